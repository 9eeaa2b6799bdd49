// The network under the wire formats: one pool of kept-alive connections per origin, requests that can be stopped at any time, and
// failures that say whether the provider had begun to answer. It knows no format and no price.

import { Readable } from "node:stream";
import { type Dispatcher, Pool, util } from "undici";
import { BusyPoll } from "@/lib/base/busy-poll";
import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";
import type { CallBudget } from "./budget";
import type { Endpoint } from "./endpoints";
import { ProviderFailure, type WireRequest } from "./types";
import { brokenOff, WireBody } from "./wire-body";

/** Above it, requests wait for a free connection, inside their first-token budget. */
const CONNECTIONS_PER_ORIGIN = 1_024;
/** Load balancers close idle connections after 60 s or more; we must close first. */
const KEEP_ALIVE_MS = 30_000;
const KEEP_ALIVE_MAX_MS = 300_000;

export interface WireAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: WireBody;
}

interface Origin {
  pool: Pool;
  /** The pool, for requests that want to hear when they go out. */
  telling: Dispatcher;
  /** Until an answer begins. */
  wait: BusyPoll;
}

interface TellingOptions {
  onSent?: () => void;
}

/** A request that waits for a connection has cost nothing yet. undici calls either method of a handler when it has one, by its age. */
const tellSent: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { onConnect, onRequestStart } = handler;
  const tell = () => (options as TellingOptions).onSent?.();
  if (onConnect)
    handler.onConnect = (...given) => {
      tell();
      onConnect.apply(handler, given);
    };
  if (onRequestStart)
    handler.onRequestStart = (...given) => {
      tell();
      onRequestStart.apply(handler, given);
    };
  return dispatch(options, handler);
};

export const openOrigin = (pool: Pool): Origin => ({ pool, telling: pool.compose(tellSent), wait: new BusyPoll() });

const origins = processSingleton("provider origins", () => new Map<string, Origin>());

function originOf(name: string): Origin {
  let origin = origins().get(name);
  if (!origin) {
    const pool = new Pool(name, {
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      connectTimeout: config().PROVIDER_CONNECT_TIMEOUT_MS,
      // The call's budget watches these timeouts with its own timer.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    origin = openOrigin(pool);
    origins().set(name, origin);
  }
  return origin;
}

/** Closes all connections to providers at once: running calls fail. For shutdown (after the drain) and tests. */
export async function closeProviderPools(): Promise<void> {
  const open = [...origins().values()];
  origins().clear();
  await Promise.all(open.map(({ pool }) => pool.destroy()));
}

/**
 * Sends one request; `onSent` is called when it goes out on a connection. The answer may have any status; redirects are not followed, so a
 * credential reaches no other host.
 * @throws ProviderFailure the budget's reason once it is stopped, otherwise the error that kept the answer from beginning
 */
export function sendWireRequest(
  endpoint: Endpoint,
  request: WireRequest,
  budget: CallBudget,
  onSent: () => void = () => undefined,
): Promise<WireAnswer> {
  if (budget.reason) return Promise.reject(budget.reason);
  return new Promise((resolve, reject) => {
    // Undici heeds its signal only once it is connected; a caller that aborts must not wait for that.
    const onAbort = () => reject(budget.reason);
    budget.once("abort", onAbort);
    const { telling, wait } = originOf(endpoint.origin);
    const endWait = wait.begin();
    const path = endpoint.pathPrefix + request.path;
    const options = { method: "POST" as const, path, ...contentOf(request), signal: budget, onSent };
    telling.request(options, (error, answer) => {
      endWait();
      budget.removeListener("abort", onAbort);
      if (error) reject(connectionFailure(error, endpoint));
      else resolve({ status: answer.statusCode, headers: answer.headers, body: new WireBody(answer.body, budget) });
    });
  });
}

/**
 * Sends one request and reads its whole answer; `onHead` gets the status and the raw headers as soon as they arrive, and returns the
 * maximum number of body bytes to read.
 * @throws ProviderFailure like sendWireRequest, or malformed when the answer broke off
 */
export function exchangeWhole(
  endpoint: Endpoint,
  request: WireRequest,
  budget: CallBudget,
  onHead: WholeReading["onHead"],
): Promise<WholeAnswer> {
  if (budget.reason) return Promise.reject(budget.reason);
  const options = { method: "POST" as const, path: endpoint.pathPrefix + request.path, ...contentOf(request) };
  const { pool, wait } = originOf(endpoint.origin);
  const notBegun = (error: Error) => connectionFailure(error, endpoint);
  return readWholeAnswer(pool, options, { budget, onHead, onBegun: wait.begin(), notBegun });
}

/** Headers and body; the pieces of a large body are sent as they are, one after the other. */
function contentOf({ headers, body, chunks }: WireRequest): { headers: Record<string, string>; body: string | Readable } {
  if (!chunks) return { headers, body };
  const length = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
  return { headers: { ...headers, "content-length": `${length}` }, body: Readable.from(chunks) };
}

/** An error before the first byte of an answer. */
function connectionFailure(error: Error & { code?: string }, endpoint: Endpoint): ProviderFailure {
  const code = error.code ?? error.name;
  const message = `${endpoint.origin} did not answer: ${code}`;
  if (code === "UND_ERR_CONNECT_TIMEOUT") return new ProviderFailure("timeout", message, { cause: error });
  if (code === "UND_ERR_INVALID_ARG") return new ProviderFailure("misconfigured", `${message} ${error.message}`, { cause: error });
  const isNotHttp = error.name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW";
  return new ProviderFailure(isNotHttp ? "malformed" : "unavailable", message, { cause: error });
}

/** True when a failure happened while connecting, before anything was sent: another try costs nothing. */
export const isConnectTimeout = (failure: ProviderFailure): boolean =>
  failure.kind === "timeout" && (failure.cause as { code?: string } | undefined)?.code === "UND_ERR_CONNECT_TIMEOUT";

interface WholeAnswer {
  status: number;
  /** As received, names and values in turn; see `readHeaders`. */
  headers: Buffer[];
  text: string;
  /** True when the body was longer than its limit: `text` is its beginning, and the connection was closed. */
  cut: boolean;
}

interface WholeReading {
  budget: CallBudget;
  /** Gets the status and the raw headers as soon as they arrive; returns the maximum number of body bytes to read. */
  onHead: (status: number, headers: Buffer[]) => number;
  /** Called once when the answer begins, or when it never will. */
  onBegun: () => void;
  /** Creates the failure of an answer that never began. */
  notBegun: (error: Error) => ProviderFailure;
}

/**
 * Sends a request and reads its whole answer, for calls that do not stream: its chunks are collected directly, without a stream in
 * between.
 * @throws ProviderFailure the budget's reason once it is stopped, otherwise what went wrong
 */
export const readWholeAnswer = (dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, reading: WholeReading): Promise<WholeAnswer> =>
  new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new AnswerReader(reading, { resolve, reject }));
  });

interface Waiter {
  resolve: (answer: WholeAnswer) => void;
  reject: (failure: ProviderFailure) => void;
}

/**
 * Implements the handler methods that undici calls itself. It calls those that its documentation prefers through an object that it
 * creates per request, and parses every header for them; here all headers are parsed only when an answer is a refusal.
 */
class AnswerReader implements Dispatcher.DispatchHandler {
  readonly #reading: WholeReading;
  readonly #waiter: Waiter;
  readonly #chunks: Buffer[] = [];
  #abort: ((reason?: Error) => void) | undefined;
  /** Why the caller abandoned this answer; by now the budget may serve another route. */
  #leftFor: ProviderFailure | undefined;
  /** 0 until the answer has begun. */
  #status = 0;
  #headers: Buffer[] = [];
  #limit = 0;
  #bytes = 0;

  constructor(reading: WholeReading, waiter: Waiter) {
    this.#reading = reading;
    this.#waiter = waiter;
    reading.budget.on("abort", this.#onAbort);
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    // It may have waited for a free connection until after the caller gave up.
    if (this.#leftFor) abort(this.#leftFor);
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    if (status < 200) return true;
    this.#reading.onBegun();
    this.#status = status;
    this.#headers = headers;
    this.#limit = this.#reading.onHead(status, headers);
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#limit) return true;
    this.#end(true);
    this.#abort?.(new Error("the answer is longer than anybody wants"));
    return true;
  }

  onComplete(): void {
    this.#end(false);
  }

  onError(error: Error): void {
    const { budget, onBegun, notBegun } = this.#reading;
    budget.removeListener("abort", this.#onAbort);
    if (this.#status === 0) onBegun();
    this.#waiter.reject(this.#leftFor ?? (this.#status === 0 ? notBegun(error) : brokenOff(error)));
  }

  readonly #onAbort = (): void => {
    const { budget } = this.#reading;
    budget.removeListener("abort", this.#onAbort);
    this.#leftFor = budget.reason as ProviderFailure;
    this.#waiter.reject(this.#leftFor);
    this.#abort?.(this.#leftFor);
  };

  #end(cut: boolean): void {
    this.#reading.budget.removeListener("abort", this.#onAbort);
    if (this.#status === 0) {
      this.#waiter.reject(brokenOff(undefined));
      return;
    }
    const [first] = this.#chunks;
    const whole = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    this.#waiter.resolve({ status: this.#status, headers: this.#headers, text: whole.toString("utf8", 0, this.#limit), cut });
  }
}

/** The headers of an answer by lower-case name. */
export const readHeaders = ({ headers }: Pick<WholeAnswer, "headers">): Record<string, string | string[]> => util.parseHeaders(headers);
