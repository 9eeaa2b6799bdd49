// A body that is still on its way when it is asked for: read up to its limit, no slower than a client on a poor line sends, and with room
// for a large one. A client that leaves ends the reading, whenever it does.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { type BodyRoom, bodyRoom } from "@/lib/gateway/http/body-room";
import { type BodyBounds, MAX_BODY_BYTES, type ReadBody, readText } from "@/lib/gateway/http/request";

export interface ArrivalOptions {
  limitBytes: number;
  /** The room that a large body takes is given back at the end of its request. */
  bounds: BodyBounds;
  /** Aborts when the client is gone. */
  gone: () => AbortSignal;
  /** For the first MiB; each further one has MS_PER_MIB more. */
  timeoutMs: number;
  /** Answers and closes the connection of a client that is too slow. */
  cut: () => void;
  room?: BodyRoom;
}

/** 1.7 megabits a second. */
const MS_PER_MIB = 5_000;

/** The most time that the largest body may take, besides `timeoutMs`. */
export const LARGE_BODY_MS = 5 * 60_000;

/** Resolves with the body or its problem. Never rejects. */
export function readArrivingBody(message: IncomingMessage, options: ArrivalOptions): Promise<ReadBody> {
  const announced = message.headers["content-length"] === undefined ? undefined : Number(message.headers["content-length"]);
  if (announced !== undefined && announced > options.limitBytes) return Promise.resolve({ text: "", problem: "too_large" });
  if (message.destroyed && !message.complete) return Promise.resolve({ text: "", problem: "cut_off" });
  return new Promise((resolve) => new Arrival(message, options, resolve).begin(announced));
}

class Arrival {
  readonly #message: IncomingMessage;
  readonly #options: ArrivalOptions;
  readonly #resolve: (body: ReadBody) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  /** Where the chunks of a large body of known length are copied to, so that it is never in memory twice. */
  #whole: Buffer | undefined;
  #roomBytes = 0;
  #isWaiting = false;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = performance.now();

  constructor(message: IncomingMessage, options: ArrivalOptions, resolve: (body: ReadBody) => void) {
    this.#message = message;
    this.#options = options;
    this.#resolve = resolve;
  }

  begin(announced: number | undefined): void {
    const message = this.#message;
    message.on("end", this.#onEnd).on("close", this.#onGone).on("error", this.#onGone);
    if (announced !== undefined && announced > MAX_BODY_BYTES) {
      void this.#takeRoom(announced).then((isGranted) => {
        if (!isGranted) return;
        this.#whole = Buffer.allocUnsafeSlow(announced);
        this.#listen();
      });
    } else this.#listen();
  }

  #listen(): void {
    this.#startedAt = performance.now();
    this.#watch();
    this.#message.on("data", this.#onData);
  }

  /** Resolves with false when the reading has ended meanwhile. */
  async #takeRoom(bytes: number): Promise<boolean> {
    const { room = bodyRoom(), bounds, gone } = this.#options;
    this.#isWaiting = true;
    const isGranted = await room.take(bytes, gone());
    this.#isWaiting = false;
    if (!isGranted) {
      this.#finish({ text: "", problem: gone().aborted ? "cut_off" : "busy" });
      return false;
    }
    this.#roomBytes = bytes;
    bounds.onEnd(() => room.giveBack(this.#roomBytes));
    // A client that left while its socket was paused is noticed only now.
    return !this.#message.destroyed || this.#message.complete;
  }

  readonly #onData = (chunk: Buffer): void => {
    const at = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.limitBytes) {
      this.#finish({ text: "", problem: "too_large" });
      return;
    }
    if (this.#whole) chunk.copy(this.#whole, at);
    else this.#chunks.push(chunk);
    if (this.#bytes > MAX_BODY_BYTES && this.#roomBytes === 0 && !this.#isWaiting) void this.#waitForRoom();
  };

  /** For a body of unknown length that turned out to be large. */
  async #waitForRoom(): Promise<void> {
    this.#message.pause();
    clearTimeout(this.#timer);
    const pausedAt = performance.now();
    if (!(await this.#takeRoom(this.#options.limitBytes))) return;
    this.#startedAt += performance.now() - pausedAt;
    this.#watch();
    this.#message.resume();
  }

  /** Re-armed as long as the client keeps up with its pace. */
  #watch(): void {
    const allowedMs = this.#options.timeoutMs + Math.floor(this.#bytes / MAX_BODY_BYTES) * MS_PER_MIB;
    const remainingMs = this.#startedAt + allowedMs - performance.now();
    if (remainingMs > 0) {
      this.#timer = setTimeout(() => this.#watch(), remainingMs);
      return;
    }
    this.#options.cut();
    this.#finish({ text: "", problem: "cut_off" });
  }

  readonly #onGone = (): void => this.#finish({ text: "", problem: "cut_off" });

  readonly #onEnd = (): void => {
    if (this.#bytes <= MAX_BODY_BYTES) {
      const [first] = this.#chunks;
      this.#finish(readText(this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)));
      return;
    }
    const whole = this.#whole ?? Buffer.concat(this.#chunks);
    if (!this.#whole) this.#shrinkRoom();
    this.#finish(isUtf8(whole) ? { text: "", large: whole } : { text: "", problem: "not_utf8" });
  };

  #shrinkRoom(): void {
    const { room = bodyRoom() } = this.#options;
    const unused = this.#roomBytes - this.#bytes;
    this.#roomBytes = this.#bytes;
    room.giveBack(unused);
  }

  #finish(body: ReadBody): void {
    clearTimeout(this.#timer);
    this.#chunks.length = 0;
    this.#whole = undefined;
    const message = this.#message;
    message.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onGone).off("error", this.#onGone);
    this.#resolve(body);
  }
}
