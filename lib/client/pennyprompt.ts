// The client: one method for each operation of the service. It needs only `fetch` and web streams, so it runs in Node 20 and later,
// browsers, Deno, Bun and workers.

import { type Call, type Connection, type Fetch, fetchJson } from "./exchange";
import { PromptStream } from "./prompt-stream";
import { type RetryOptions, retrying, type Sleep, sleep } from "./retry";
import type {
  AuditPage,
  AuditQuery,
  Balance,
  DepositPage,
  DepositQuery,
  EmbeddingRequest,
  Embeddings,
  EventList,
  EventQuery,
  Groupings,
  ModelList,
  PaymentTerms,
  PromptAnswer,
  PromptRequest,
  Quote,
  Receipt,
  UsagePage,
  UsageQuery,
  UsageRow,
} from "./types";

export { ConnectionError, type ErrorCode, hasCode, PennyPromptError } from "./errors";
export type { Fetch } from "./exchange";
export type { PromptStream } from "./prompt-stream";
export { type PaymentToSign, signPayment } from "./sign-payment";
export type * from "./types";
export { verifyWebhook, WebhookError, type WebhookRequest } from "./webhooks";

export interface PennyPromptOptions {
  /** Begins with `pp_`. Anyone who has it can spend the balance: keep it out of pages that others load. */
  apiKey: string;
  /** The service's URL, such as `https://ai.example.com`. There is no default: a key must not go to an unintended host. */
  baseUrl: string;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
  /**
   * The longest silence: until an answer begins, and between its parts. Default: 6 minutes, more than the service takes for a whole answer
   * unless its operator allows more.
   */
  timeoutMs?: number;
  /** How often a failed request is retried: 2 by default, 0 for never. */
  maxRetries?: number;
  /** How to wait before a retry; for tests. */
  sleep?: Sleep;
}

export interface CallOptions {
  /** Cancels the request at once, also during the wait between two tries; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface PromptOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters; random by default. Within 24 hours the same prompt under the same key is answered from the first
   * answer and charged once. Derive it from the prompt's purpose, and a restarted program pays only once, too. A prompt with a `payment`
   * needs none: the payment itself is good for one answer.
   */
  idempotencyKey?: string;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A client of a PennyPrompt service.
 *
 * Every method rejects with a PennyPromptError when the service answers with an error, with a ConnectionError when it does
 * not answer, and with the signal's reason when that aborts. Amounts are JSON numbers, USD, of at most 9 decimals.
 */
export class PennyPrompt {
  readonly #connection: Connection;
  readonly #retry: RetryOptions;

  /** @throws TypeError for invalid options */
  constructor(options: PennyPromptOptions) {
    const { apiKey, baseUrl, timeoutMs = 360_000, maxRetries = 2 } = options;
    // The key is never part of a message, so it cannot reach a log.
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError("apiKey: give the key as it was shown, beginning with pp_");
    if (!/^https?:$/.test(new URL(baseUrl).protocol)) throw new TypeError("baseUrl: must begin with https:// or http://");
    if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)) throw new TypeError(`timeoutMs: must be from 1 to ${LONGEST_TIMER_MS}`);
    if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) throw new TypeError("maxRetries: must be a whole number, 0 or more");
    const url = `${baseUrl.replace(/(?<!\/)\/+$/, "")}/api/v1`;
    this.#connection = { url, apiKey, timeoutMs, fetch: options.fetch ?? ((input, init) => fetch(input, init)) };
    this.#retry = { maxRetries, longestWaitMs: timeoutMs, sleep: options.sleep ?? sleep };
  }

  /** Answers a prompt and charges its exact cost, once, however often it is retried. */
  async prompt(request: PromptRequest, { idempotencyKey, signal }: PromptOptions = {}): Promise<PromptAnswer> {
    return this.#send({ ...post("/prompt", request), idempotencyKey: keyFor(request, idempotencyKey), signal });
  }

  /**
   * Answers a prompt piece by piece. A stream that breaks off after its first piece is not retried: it throws an error whose `requestId`
   * names the request, and that request's receipt has the charge.
   */
  stream(request: PromptRequest, { idempotencyKey, signal }: PromptOptions = {}): PromptStream {
    const call = { ...post("/prompt", { ...request, stream: true }), idempotencyKey: keyFor(request, idempotencyKey), signal };
    return new PromptStream(this.#connection, call, this.#retry);
  }

  /** Makes embeddings and charges their exact cost, once, however often it is retried. */
  async embeddings(request: EmbeddingRequest, { idempotencyKey, signal }: PromptOptions = {}): Promise<Embeddings> {
    return this.#send({ ...post("/embeddings", request), idempotencyKey: readKey(idempotencyKey), signal });
  }

  /** The available models and their prices. */
  async models({ signal }: CallOptions = {}): Promise<ModelList> {
    return this.#send({ method: "GET", path: "/models", signal });
  }

  /** The terms that a wallet signs to pay for a request, and the contracts that move the money. */
  async paymentTerms({ signal }: CallOptions = {}): Promise<PaymentTerms> {
    return this.#send({ method: "GET", path: "/payment-terms", signal });
  }

  /** The balance of the key's account. */
  async balance({ signal }: CallOptions = {}): Promise<Balance> {
    return this.#send({ method: "GET", path: "/balance", signal });
  }

  /** One page of the charges for the account's requests, with the totals of all pages. */
  async usage<G extends Groupings | undefined = undefined>(query?: UsageQuery<G>, options?: CallOptions): Promise<UsagePage<UsageRow<G>>> {
    return this.#usagePage(query, options);
  }

  /** All pages, one after the other, from `query.cursor` on. They cover the same charges, however many are added meanwhile. */
  async *usagePages<G extends Groupings | undefined = undefined>(
    query?: UsageQuery<G>,
    options?: CallOptions,
  ): AsyncGenerator<UsagePage<UsageRow<G>>> {
    for (let cursor = query?.cursor, isLast = false; !isLast; ) {
      const page = await this.#usagePage<UsageRow<G>>({ ...query, cursor }, options);
      yield page;
      cursor = page.nextCursor ?? undefined;
      isLast = cursor === undefined;
    }
  }

  /** One page of the deposits to the account's addresses. */
  async deposits(query: DepositQuery = {}, { signal }: CallOptions = {}): Promise<DepositPage> {
    return this.#send({ method: "GET", path: `/deposits${queryString(query)}`, signal });
  }

  /** One page of the account's events, the oldest first, after the event `query.after`. */
  async events(query: EventQuery = {}, { signal }: CallOptions = {}): Promise<EventList> {
    return this.#send({ method: "GET", path: `/events${queryString(query)}`, signal });
  }

  /** One page of the changes of power or money, and who made them, the newest first. */
  async audit(query: AuditQuery = {}, { signal }: CallOptions = {}): Promise<AuditPage> {
    return this.#send({ method: "GET", path: `/audit${queryString(query)}`, signal });
  }

  /** The receipt of one request of the account. */
  async request(requestId: string, { signal }: CallOptions = {}): Promise<Receipt> {
    return this.#send({ method: "GET", path: `/requests/${encodeURIComponent(requestId)}`, signal });
  }

  /** What a prompt would cost, and whether the balance covers it. Nothing is held or charged. */
  async quote(request: PromptRequest, { signal }: CallOptions = {}): Promise<Quote> {
    return this.#send({ ...post("/quote", request), signal });
  }

  #usagePage<Row>(query: UsageQuery = {}, { signal }: CallOptions = {}): Promise<UsagePage<Row>> {
    return this.#send({ method: "GET", path: `/usage${queryString(query)}`, signal });
  }

  #send<T extends object>(call: Call): Promise<T & { requestId: string }> {
    return retrying(() => fetchJson<T>(this.#connection, call), this.#retry, call.signal);
  }
}

/** The body is serialised once: a retry is the same request to the byte. */
const post = (path: string, body: object): Call => ({ method: "POST", path, body: JSON.stringify(body) });

/**
 * No random key for a payment: it would bind the payment to that key, and a restarted program would send the same payment under another.
 */
function keyFor({ payment }: PromptRequest, idempotencyKey?: string): string | undefined {
  return payment !== undefined && idempotencyKey === undefined ? undefined : readKey(idempotencyKey);
}

function readKey(idempotencyKey: string = crypto.randomUUID()): string {
  if (/^[\x20-\x7e]{1,255}$/.test(idempotencyKey)) return idempotencyKey;
  throw new TypeError("idempotencyKey: must be 1 to 255 printable ASCII characters");
}

function queryString(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}
