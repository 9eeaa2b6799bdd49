// What comes in and what goes out, for both doors: nothing here knows Next or Node's http.

import { nowMs } from "@/lib/base/clock";
import { newRequestId, type RequestId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";

/** A request as a door hands it over. */
export interface IncomingRequest {
  method: string;
  /** Path without query, as sent. */
  path: string;
  /** Query string without the question mark. */
  query: string;
  /** Lower-case names; a repeated header's values joined by a comma. */
  headers: Readonly<Record<string, string | undefined>>;
  bodyText: string;
  /** Set when the body could not be read; `bodyText` is empty then. */
  bodyProblem?: "too_large" | "not_utf8" | "cut_off";
  /** Address of the direct peer. */
  remoteAddress: string;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
}

/** A request on its way: with its identity and what must be undone when it ends. */
export interface GatewayRequest extends IncomingRequest {
  readonly id: RequestId;
  /** Unix milliseconds and monotonic milliseconds of its arrival. */
  arrivedAtMs: number;
  startedAt: number;
  /** Headers that every answer to this request carries, errors included. */
  replyHeaders: Record<string, string>;
  /** What the log says of it at its end, beside status and duration. */
  facts: Record<string, unknown>;
  /** Milliseconds that were the provider's, not ours. */
  providerMs: number | undefined;
  /** Runs `undo` when the request has ended, at the end of its stream; last in, first out. */
  onEnd(undo: () => void | Promise<void>): void;
  /** Ends the request: runs the stack once. A promise only when something in it takes time; the same one for whoever asks again. */
  end(): void | Promise<void>;
}

export interface GatewayReply {
  status: number;
  headers: Record<string, string>;
  /** The whole body, or chunks of a stream. Whoever reads a stream calls `return` when it stops early. */
  body: string | AsyncIterable<string>;
  /** Ends the request. A door calls it when the reply is written or its client is gone; twice is once. */
  end: GatewayRequest["end"];
}

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * How much of a larger body is read and thrown away. A client that is still sending when its connection is closed is reset,
 * and most never see the answer that says why.
 */
export const MAX_DISCARDED_BYTES = 16 * MAX_BODY_BYTES;

/** Gives an incoming request its identity. */
export const openRequest = (incoming: IncomingRequest): GatewayRequest => new OpenRequest(incoming);

type Undo = () => void | Promise<void>;

/** A class for its getter. A literal's getter is allocated for each object, in old space, and the whole request lives as long. */
class OpenRequest implements GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingRequest["headers"];
  readonly bodyText: string;
  readonly bodyProblem: IncomingRequest["bodyProblem"];
  readonly remoteAddress: string;
  readonly id = newRequestId();
  readonly arrivedAtMs = nowMs();
  readonly startedAt = performance.now();
  readonly replyHeaders: Record<string, string> = {};
  readonly facts: Record<string, unknown> = {};
  providerMs: number | undefined = undefined;
  readonly #incoming: IncomingRequest;
  readonly #undos: Undo[] = [];
  #ending: Promise<void> | undefined;

  // Handed on by themselves, as part of a reply.
  readonly onEnd = (undo: Undo): void => {
    this.#undos.push(undo);
  };
  readonly end = (): void | Promise<void> => {
    this.#ending ??= runAll(this.#undos) || undefined;
    return this.#ending;
  };

  constructor(incoming: IncomingRequest) {
    this.method = incoming.method;
    this.path = incoming.path;
    this.query = incoming.query;
    this.headers = incoming.headers;
    this.bodyText = incoming.bodyText;
    this.bodyProblem = incoming.bodyProblem;
    this.remoteAddress = incoming.remoteAddress;
    this.#incoming = incoming;
  }

  // A door makes its signal when it is asked for; only streams ask.
  get signal(): AbortSignal {
    return this.#incoming.signal;
  }
}

/** Awaits only what takes time: for most requests nothing does. */
function runAll(undos: Undo[]): void | Promise<void> {
  for (let undo = undos.pop(); undo; undo = undos.pop()) {
    try {
      const undoing = undo();
      if (undoing) return undoing.catch(recordFailedUndo).then(() => runAll(undos));
    } catch (error) {
      recordFailedUndo(error);
    }
  }
}

/** The others must still run: a slot that is not given back is lost to its account. */
function recordFailedUndo(error: unknown): void {
  log().error({ err: error }, "ending a request failed");
}
