// A body that is still on its way when it is asked for: read up to its limit, no slower than a client on a poor line sends, and with space
// for a large one. A client that leaves ends the reading, whenever it does.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { BytePieces } from "@/lib/base/byte-pieces";
import type { BodyBounds, BodySpace } from "@/lib/gateway/http/body-room";
import { MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES } from "@/lib/gateway/http/body-sizes";
import { CodingFault, contentCoding, unpack } from "@/lib/gateway/http/content-coding";
import { type ReadBody, readText } from "@/lib/gateway/http/request";

export interface ArrivalOptions {
  limitBytes: number;
  /** The space of a large body is given back at the end of its request. */
  bounds: BodyBounds;
  /** Aborts when the client is gone. */
  gone: () => AbortSignal;
  /** The body is read from now on: there is space for it. */
  onGranted?: () => void;
  /** For the first MiB. */
  timeoutMs: number;
  /** For each further MiB. Time saved by faster ones is kept, up to three times as much. */
  msPerMib?: number;
  /** Answers and closes the connection of a client that is too slow. */
  cut: () => void;
}

/** 0.84 megabits a second. */
const MS_PER_MIB = 10_000;

/** The most time that the largest body may take, besides `timeoutMs`, and besides its waits for space. */
export const LARGE_BODY_MS = (MAX_LARGE_BODY_BYTES / MAX_BODY_BYTES - 1) * MS_PER_MIB + 3 * 60_000;

/** Resolves with the body, unpacked, or its problem. Rejects with what `bounds.openSpace` throws, and for a coding that is not known. */
export function readArrivingBody(message: IncomingMessage, options: ArrivalOptions): Promise<ReadBody> {
  const announced = message.headers["content-length"] === undefined ? undefined : Number(message.headers["content-length"]);
  if (announced !== undefined && announced > options.limitBytes) return Promise.resolve({ text: "", problem: "too_large" });
  if (message.destroyed && !message.complete) return Promise.resolve({ text: "", problem: "cut_off" });
  const coding = contentCoding(message.headers["content-encoding"]);
  return new Promise((resolve, reject) => {
    if (coding === null) return new Arrival(message, message, options, { resolve, reject }).begin(announced);
    // The message itself stays open: its rest that is not unpacked is discarded, as of any body.
    const packed = message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const unpacked = Readable.from(unpack(packed, coding, options.limitBytes), { objectMode: false });
    // No announced length: the header has the packed one.
    new Arrival(message, unpacked, options, { resolve, reject }).begin(undefined);
  });
}

interface Outcome {
  resolve: (body: ReadBody) => void;
  reject: (error: unknown) => void;
}

class Arrival {
  readonly #message: IncomingMessage;
  /** Where its bytes come from: the message, or what unpacks it. */
  readonly #source: Readable;
  readonly #options: ArrivalOptions;
  readonly #outcome: Outcome;
  readonly #pieces = new BytePieces();
  #bytes = 0;
  #announced: number | undefined;
  /** Where the chunks of a large body of known length are copied to, so that it is never in memory twice. */
  #whole: Buffer | undefined;
  #space: BodySpace | undefined;
  /** Where the next MiB begins. */
  #nextMibAt = MAX_BODY_BYTES;
  #isWaiting = false;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the next MiB must have come. */
  #deadline = 0;

  constructor(message: IncomingMessage, source: Readable, options: ArrivalOptions, outcome: Outcome) {
    this.#message = message;
    this.#source = source;
    this.#options = options;
    this.#outcome = outcome;
  }

  begin(announced: number | undefined): void {
    const source = this.#source;
    this.#announced = announced;
    source.on("end", this.#onEnd).on("close", this.#onGone).on("error", this.#onGone);
    const listen = () => {
      this.#options.onGranted?.();
      this.#deadline = performance.now() + this.#options.timeoutMs;
      this.#watch();
      source.on("data", this.#onData);
    };
    if (announced === undefined || announced <= MAX_BODY_BYTES) listen();
    else void this.#wait(() => this.#openSpace(announced)).then((isGranted) => isGranted && listen());
  }

  /** Waits with the socket paused, and the clock. Resolves with false when the reading has ended meanwhile. */
  async #wait(forSpace: () => boolean | Promise<boolean>): Promise<boolean> {
    this.#isWaiting = true;
    clearTimeout(this.#timer);
    const pausedAt = performance.now();
    try {
      if (!(await forSpace())) {
        this.#finish({ text: "", problem: this.#options.gone().aborted ? "cut_off" : "busy" });
        return false;
      }
    } catch (error) {
      this.#stop();
      this.#outcome.reject(error);
      return false;
    } finally {
      this.#isWaiting = false;
      this.#deadline += performance.now() - pausedAt;
    }
    // A client that left while its socket was paused is noticed only now.
    return !this.#message.destroyed || this.#message.complete;
  }

  async #openSpace(mostBytes: number): Promise<boolean> {
    const { bounds, gone } = this.#options;
    const space = await bounds.openSpace?.(mostBytes, gone());
    if (!space) return false;
    // Its request may have ended, and would not give it back.
    if (this.#isOver) space.close();
    else bounds.onEnd(() => space.close());
    this.#space = space;
    return !this.#isOver;
  }

  readonly #onData = (chunk: Buffer): void => {
    const at = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.limitBytes) {
      this.#finish({ text: "", problem: "too_large" });
      return;
    }
    if (this.#whole) chunk.copy(this.#whole, at);
    else this.#pieces.push(chunk);
    if (this.#bytes <= this.#nextMibAt || this.#isWaiting) return;
    const granted = this.#space?.holdTo(this.#bytes);
    if (granted === true) this.#goOn();
    else void this.#waitInTheMiddle(granted);
  };

  async #waitInTheMiddle(granted: boolean | Promise<boolean> | undefined): Promise<void> {
    this.#source.pause();
    const { limitBytes } = this.#options;
    const forSpace = async () => {
      if (granted !== undefined) return granted;
      // A body of unknown length that turned out to be large.
      return (await this.#openSpace(limitBytes)) && (this.#space?.holdTo(this.#bytes) ?? false);
    };
    if (!(await this.#wait(forSpace))) return;
    this.#goOn();
    this.#source.resume();
  }

  /** Called when there is space for the bytes that have arrived. */
  #goOn(): void {
    this.#nextMibAt = Math.ceil(this.#bytes / MAX_BODY_BYTES) * MAX_BODY_BYTES;
    const [now, allowedMs] = [performance.now(), this.#options.msPerMib ?? MS_PER_MIB];
    this.#deadline = Math.min(Math.max(this.#deadline, now) + allowedMs, now + 3 * allowedMs);
    this.#watch();
    if (this.#whole || this.#announced === undefined) return;
    this.#whole = Buffer.allocUnsafeSlow(this.#announced);
    this.#pieces.join().copy(this.#whole);
    this.#pieces.clear();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#options.cut();
      this.#finish({ text: "", problem: "cut_off" });
    }, this.#deadline - performance.now());
  }

  readonly #onGone = (fault?: Error): void => this.#finish({ text: "", problem: fault instanceof CodingFault ? fault.problem : "cut_off" });

  readonly #onEnd = (): void => {
    if (this.#bytes <= MAX_BODY_BYTES) {
      this.#finish(readText(this.#pieces.join()));
      return;
    }
    const whole = this.#whole ?? this.#pieces.join();
    this.#finish(isUtf8(whole) ? { text: "", large: whole } : { text: "", problem: "not_utf8" });
  };

  #finish(body: ReadBody): void {
    this.#stop();
    this.#outcome.resolve(body);
  }

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#pieces.clear();
    this.#whole = undefined;
    this.#space?.finish();
    const source = this.#source;
    source.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onGone).off("error", this.#onGone);
    if (source === this.#message) return;
    source.on("error", () => undefined); // its body has been answered for
    source.destroy();
  }
}
