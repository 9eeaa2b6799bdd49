// One request and its answer: sends it, waits no longer than allowed, and returns a value or events, or throws one of the client's errors.

import { ConnectionError, PennyPromptError } from "./errors";
import { EventParser, type ServerSentEvent } from "./event-stream";
import { readRetryAfter } from "./retry";

/** The part of the global `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Connection {
  /** Up to and including `/api/v1`. */
  url: string;
  apiKey: string;
  fetch: Fetch;
  timeoutMs: number;
}

export interface Call {
  method: "GET" | "POST";
  /** With its query string. */
  path: string;
  /** JSON. */
  body?: string;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** How long to wait for the end of a stream's body after its last event. */
const END_WAIT_MS = 250;

/**
 * The JSON body of a 200, plus the request's id where the body has none.
 * @throws PennyPromptError, ConnectionError, or the signal's reason
 */
export async function fetchJson<T extends object>(connection: Connection, call: Call): Promise<T & { requestId: string }> {
  const exchange = new Exchange(connection, call);
  try {
    const response = await exchange.open();
    const body = await exchange.waitFor(() => response.text());
    return { requestId: exchange.requestId, ...exchange.parse<T>(body) };
  } finally {
    exchange.end();
  }
}

/**
 * The events of a stream, up to its `done`. Leaving early closes the connection.
 * @throws PennyPromptError (from an `error` event too), ConnectionError (also when it ends without `done`), or the signal's reason
 */
export async function* fetchEvents(connection: Connection, call: Call): AsyncGenerator<{ name: string; body: object }> {
  const exchange = new Exchange(connection, call);
  try {
    const response = await exchange.open();
    const reader = response.body?.getReader();
    const parser = new EventParser();
    const decoder = new TextDecoder();
    for (;;) {
      const chunk = await exchange.waitFor(async () => reader?.read());
      if (!chunk?.value) throw exchange.failure("The stream ended before its last event");
      for (const event of parser.push(decoder.decode(chunk.value, { stream: true }))) {
        exchange.throwIfLeft();
        yield { name: event.name, body: exchange.readEvent(event) };
        if (event.name !== "done") continue;
        // A connection whose answer was read to its end can be reused for the next request.
        await exchange.waitFor(async () => reader?.read(), END_WAIT_MS).catch(() => undefined);
        return;
      }
    }
  } finally {
    exchange.end();
  }
}

class Exchange {
  readonly #connection: Connection;
  readonly #call: Call;
  readonly #controller = new AbortController();
  readonly #leave = () => this.#controller.abort(this.#call.signal?.reason);
  /** From the header; "" until the answer begins. */
  requestId = "";

  constructor(connection: Connection, call: Call) {
    this.#connection = connection;
    this.#call = call;
    if (call.signal?.aborted) this.#leave();
    call.signal?.addEventListener("abort", this.#leave, { once: true });
  }

  /** Sends the request and resolves when a successful answer begins; an error answer is read whole and thrown. */
  async open(): Promise<Response> {
    const { method, path, body, idempotencyKey } = this.#call;
    const { url, apiKey, fetch } = this.#connection;
    const headers: Record<string, string> = { authorization: `Bearer ${apiKey}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    const { signal } = this.#controller;
    const response = await this.waitFor(() => fetch(url + path, { method, headers, body, signal }));
    this.requestId = response.headers.get("x-request-id") ?? "";
    if (response.ok) return response;
    const text = await this.waitFor(() => response.text());
    throw this.#errorOf(text, response.status, response.headers.get("retry-after"));
  }

  /** Waits for a step of the exchange, for `timeoutMs` at most, and no longer once the caller has aborted. */
  async waitFor<T>(step: () => Promise<T>, timeoutMs = this.#connection.timeoutMs): Promise<T> {
    const { signal } = this.#controller;
    const giveUp = () => this.#controller.abort(this.failure(`Nothing came from the service for ${timeoutMs} ms`));
    const timer = setTimeout(giveUp, timeoutMs);
    try {
      return await step();
    } catch (cause) {
      throw signal.aborted ? signal.reason : this.failure("The connection to the service failed", { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Data that was already received is not delivered to a caller that has aborted. */
  throwIfLeft(): void {
    this.#controller.signal.throwIfAborted();
  }

  parse<T extends object>(text: string): T {
    const body = parseObject(text);
    if (!body) throw this.failure("The answer is not what the service sends");
    return body as T;
  }

  readEvent({ name, text }: ServerSentEvent): object {
    if (name === "error") throw this.#errorOf(text, 200, null);
    return this.parse(text);
  }

  failure(message: string, { status, cause }: { status?: number; cause?: unknown } = {}): ConnectionError {
    const requestId = this.requestId || undefined;
    return new ConnectionError(message, { status, requestId, idempotencyKey: this.#call.idempotencyKey, cause });
  }

  /** Closes the connection if it is still open; does nothing when the answer was read to its end. */
  end(): void {
    this.#call.signal?.removeEventListener("abort", this.#leave);
    this.#controller.abort();
  }

  #errorOf(text: string, status: number, retryAfter: string | null): Error {
    const body: ErrorBody = parseObject(text) ?? {};
    // Where the service speaks OpenAI's format, everything is inside the error.
    const inner = typeof body.error === "object" && body.error !== null ? (body.error as ErrorBody & { message?: unknown }) : null;
    const { code, details = {}, requestId = this.requestId } = inner ?? body;
    const error = inner ? inner.message : body.error;
    if (typeof code !== "string") return this.failure(`HTTP ${status}, not from the service itself`, { status });
    const bodyRetryAfterMs = typeof details.retryAfterMs === "number" ? details.retryAfterMs : undefined;
    const retryAfterMs = readRetryAfter(retryAfter) ?? bodyRetryAfterMs;
    const { idempotencyKey } = this.#call;
    return new PennyPromptError(String(error), { code, status, details, requestId, retryAfterMs, idempotencyKey });
  }
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined; // a proxy's page, or a truncated answer
  }
}

interface ErrorBody {
  error?: unknown;
  code?: unknown;
  details?: Record<string, unknown>;
  requestId?: string;
}
