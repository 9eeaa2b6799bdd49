// One Solana node, over JSON-RPC and HTTP. Its responses are validated before use; first of all, that it belongs to the right cluster.

import { z } from "zod";
import { readBoundedText } from "@/lib/base/bounded-text";
import { nowMs } from "@/lib/base/clock";
import { mostAnswerBytes, type UsedBy } from "../callers";
import { NodeFailure, SolanaRefusal } from "./node-failure";

export interface NodeOptions {
  /** May contain an API key in any of its parts. */
  url: string;
  /** Genesis hash of the cluster that it must belong to. */
  genesisHash: string;
  timeoutMs: number;
  usedBy: UsedBy;
}

const REST_MS = 5_000;
const RATE_LIMIT_REST_MS = 1_000;
const MAX_REST_MS = 60_000;
const MAX_MESSAGE_CHARACTERS = 300;
/** Shorter parts of a URL are no secrets, and would match in any text. */
const MIN_SECRET_CHARACTERS = 6;

const answerForm = z.object({
  result: z.unknown().optional(),
  error: z
    .object({
      code: z.number(),
      message: z.string(),
      data: z
        .looseObject({ err: z.unknown(), logs: z.array(z.string()).nullish() })
        .nullish()
        .catch(undefined),
    })
    .optional(),
});

// Errors caused by the request itself, at any node. Every other error is the node's: another one may succeed. Transaction error codes count
// only for transaction methods, since providers reuse them for their own limits.
const REFUSALS: readonly number[] = [-32602, -32015];
const TRANSACTION_REFUSALS: readonly number[] = [-32002, -32003, -32006, -32013];
const LIMIT_EXCEEDED = -32005;
const TOO_MANY_REQUESTS = 429;
/** Some providers use this status for a refused call, with the reason in the body. */
const BAD_REQUEST = 400;

export class SolanaNode {
  readonly #url: URL;
  readonly #headers: Record<string, string> = { "content-type": "application/json" };
  readonly #secrets: string[];
  readonly #options: NodeOptions;
  #isOfCluster = false;
  #restsUntilMs = 0;
  #hangsUntilMs = 0;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    const { username, password, hostname, pathname, searchParams } = this.#url;
    this.#secrets = [username, password, hostname, ...hostname.split("."), ...pathname.split("/"), ...searchParams.values()]
      .filter((part) => part.length >= MIN_SECRET_CHARACTERS)
      .sort((one, other) => other.length - one.length);
    if (username === "" && password === "") return;
    // fetch rejects a URL with a name and password in it.
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers.authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
    this.#url.username = "";
    this.#url.password = "";
  }

  /** True while other nodes should be tried first. */
  isResting(): boolean {
    return nowMs() < this.#restsUntilMs;
  }

  /** True for a while after it let a call wait in vain. */
  isHanging(): boolean {
    return nowMs() < this.#hangsUntilMs;
  }

  rest(forMs: number): void {
    this.#restsUntilMs = nowMs() + forMs;
  }

  /**
   * The result of a call, validated by `schema`.
   * @throws SolanaRefusal when every node would refuse it
   * @throws NodeFailure when another node may succeed
   */
  async call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
    if (!this.#isOfCluster) await this.#checkCluster();
    return this.#call(method, params, schema);
  }

  async #checkCluster(): Promise<void> {
    const genesisHash = await this.#call("getGenesisHash", [], z.string());
    if (genesisHash !== this.#options.genesisHash) throw new NodeFailure("belongs to another cluster", MAX_REST_MS);
    this.#isOfCluster = true;
  }

  async #call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>): Promise<T> {
    const { error, result } = await this.#post({ jsonrpc: "2.0", id: 1, method, params });
    if (error) {
      const message = this.#withoutSecrets(error.message).slice(0, MAX_MESSAGE_CHARACTERS);
      const isRefusal = REFUSALS.includes(error.code) || (method === "sendTransaction" && TRANSACTION_REFUSALS.includes(error.code));
      if (!isRefusal) throw new NodeFailure(`error ${error.code}, ${message}`, error.code === TOO_MANY_REQUESTS ? RATE_LIMIT_REST_MS : 0);
      throw new SolanaRefusal(error.code, message, error.data ? { err: error.data.err, logs: error.data.logs ?? [] } : null);
    }
    const parsed = schema.safeParse(result);
    if (!parsed.success) throw new NodeFailure("an answer of another form", REST_MS);
    return parsed.data;
  }

  async #post(body: object): Promise<z.output<typeof answerForm>> {
    let status = 0;
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body: JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.timeout(this.#options.timeoutMs),
      });
      status = response.status;
      if (status === TOO_MANY_REQUESTS) throw new NodeFailure("status 429", retryAfterMs(response));
      const answer = response.ok || status === BAD_REQUEST ? answerForm.safeParse(await this.#readJson(response)) : null;
      this.#hangsUntilMs = 0;
      if (answer?.success && (response.ok || answer.data.error)) return answer.data;
    } catch (error) {
      if (error instanceof NodeFailure || error instanceof SolanaRefusal) throw error;
      if (isTimeout(error)) this.#hangsUntilMs = nowMs() + REST_MS;
      if (!(error instanceof SyntaxError)) throw new NodeFailure(this.#reasonOf(error), REST_MS);
    }
    throw new NodeFailure(status === 200 ? "an answer that is no JSON-RPC" : `status ${status}`, REST_MS);
  }

  /** @throws SyntaxError; for an answer that is too long SolanaRefusal where a page chose how much is asked for, otherwise NodeFailure */
  async #readJson({ body }: Response): Promise<unknown> {
    const { usedBy } = this.#options;
    const mostBytes = mostAnswerBytes[usedBy];
    const text = body ? await readBoundedText(body, mostBytes) : "";
    if (text !== null) return JSON.parse(text);
    const reason = `an answer of more than ${mostBytes} bytes`;
    throw usedBy === "pages" ? new SolanaRefusal(LIMIT_EXCEEDED, `The node gave ${reason}.`) : new NodeFailure(reason, 0);
  }

  /** Never the error's own message, which names the host. */
  #reasonOf(error: unknown): string {
    if (isTimeout(error)) return `no answer in ${this.#options.timeoutMs} ms`;
    const { code } = (error instanceof Error ? (error.cause ?? {}) : {}) as { code?: unknown };
    return typeof code === "string" ? code : "no connection";
  }

  #withoutSecrets(text: string): string {
    return this.#secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, "…"), text);
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";

function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1000, RATE_LIMIT_REST_MS), MAX_REST_MS) : RATE_LIMIT_REST_MS;
}
