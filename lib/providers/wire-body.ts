// The body of a provider's answer: read whole up to a limit, or chunk by chunk with bounded memory; at the end it is either finished,
// so that its connection is reused, or closed.

import type { Readable } from "node:stream";
import type { CallBudget } from "./budget";
import { ProviderFailure } from "./types";

/** Above it the stream is paused until the reader has caught up. */
const BUFFER_BYTES = 256 * 1024;
/** Far above any model's longest answer. */
const STREAM_LIMIT_BYTES = 256 * 1024 * 1024;
/** How much may follow the last event (`[DONE]`, a final chunk) before the connection is not worth keeping. */
const TAIL_LIMIT_BYTES = 64 * 1024;
const TAIL_LIMIT_MS = 1_000;

/** Of blank lines that keep a connection open before an answer. */
const PEEK_LIMIT_BYTES = 4 * 1024;

/** White space, or the bytes of a byte-order mark. */
const isBlank = (chunk: Buffer): boolean => chunk.every((byte) => byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf);

interface Waiter {
  resolve: (result: IteratorResult<Buffer, undefined>) => void;
  reject: (failure: unknown) => void;
}

/** Iterates over its chunks, once. Ending the iteration early neither closes nor drains it: `finish` or `close` does. */
export class WireBody implements AsyncIterableIterator<Buffer, undefined> {
  readonly #stream: Readable;
  readonly #budget: CallBudget;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  #totalBytes = 0;
  #waiter: Waiter | undefined;
  #end: "open" | "complete" | "broken" = "open";
  #failure: unknown;
  #isDraining = false;

  constructor(stream: Readable, budget: CallBudget) {
    this.#stream = stream;
    this.#budget = budget;
    stream.on("data", this.#onData);
    stream.on("end", () => this.#onEnd("complete", undefined));
    stream.on("error", (error) => this.#onBroken(error));
    stream.on("close", () => this.#onBroken(undefined));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    const chunk = this.#queue.shift();
    if (chunk) {
      this.#queuedBytes -= chunk.length;
      if (this.#queue.length === 0 && this.#stream.isPaused()) this.#stream.resume();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#end === "complete") return Promise.resolve({ done: true, value: undefined });
    if (this.#end === "broken") return Promise.reject(this.#failure);
    this.#budget.awaitChunk();
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /**
   * The beginning, up to the first chunk that is not blank; it stays in the body.
   * @throws ProviderFailure malformed (broken off), or the budget's reason
   */
  async peek(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (let part = await this.next(); !part.done; part = await this.next()) {
      chunks.push(part.value);
      bytes += part.value.length;
      if (!isBlank(part.value) || bytes > PEEK_LIMIT_BYTES) break;
    }
    this.#queue.unshift(...chunks);
    this.#queuedBytes += bytes;
    return Buffer.concat(chunks);
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    return Promise.resolve({ done: true, value: undefined });
  }

  /**
   * The whole body as text. When it is longer than `limitBytes`: its beginning with `cut`, and the connection is closed.
   * @throws ProviderFailure malformed (broken off), or the budget's reason
   */
  async readText(limitBytes: number): Promise<{ text: string; cut: boolean }> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (let part = await this.next(); !part.done; part = await this.next()) {
      chunks.push(part.value);
      bytes += part.value.length;
      if (bytes > limitBytes) {
        this.close();
        break;
      }
    }
    const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    return { text: whole.toString("utf8", 0, limitBytes), cut: bytes > limitBytes };
  }

  /** The answer is complete: discards the body's tail, so that the connection can be reused. */
  finish(): void {
    if (this.#end !== "open" || this.#isDraining) return;
    this.#isDraining = true;
    this.#totalBytes = 0;
    this.#queue.length = 0;
    const timer = setTimeout(() => this.close(), TAIL_LIMIT_MS).unref();
    this.#stream.once("close", () => clearTimeout(timer));
    this.#stream.resume();
  }

  /** Closes the connection, unless the body has ended already. */
  close(): void {
    if (this.#end === "open") this.#stream.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#totalBytes += chunk.length;
    if (this.#isDraining) {
      if (this.#totalBytes > TAIL_LIMIT_BYTES) this.#stream.destroy();
      return;
    }
    if (this.#totalBytes > STREAM_LIMIT_BYTES) {
      this.#onEnd("broken", new ProviderFailure("malformed", `the answer is longer than ${STREAM_LIMIT_BYTES} bytes`, { accepted: true }));
      this.#stream.destroy();
      return;
    }
    this.#budget.gotChunk();
    const waiter = this.#waiter;
    if (waiter) {
      this.#waiter = undefined;
      waiter.resolve({ done: false, value: chunk });
      return;
    }
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (this.#queuedBytes > BUFFER_BYTES) this.#stream.pause();
  };

  /** Every complete body closes as well: a failure, with its stack, is created only for the others. */
  #onBroken(error: Error | undefined): void {
    if (this.#end === "open") this.#onEnd("broken", this.#budget.reason ?? brokenOff(error));
  }

  #onEnd(end: "complete" | "broken", failure: unknown): void {
    if (this.#end !== "open") return;
    this.#end = end;
    this.#failure = failure;
    // Events that arrived before a broken end are still handed on; a stopped call needs nothing more.
    if (this.#budget.aborted) this.#queue.length = 0;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (end === "complete") waiter?.resolve({ done: true, value: undefined });
    else waiter?.reject(failure);
  }
}

/** The failure of an answer that began and never completed. */
export function brokenOff(cause: (Error & { code?: string }) | undefined): ProviderFailure {
  return new ProviderFailure("malformed", `the answer broke off: ${cause?.code ?? cause?.name ?? "closed"}`, { accepted: true, cause });
}
