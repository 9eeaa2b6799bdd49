// Room in memory for large bodies (above MAX_BODY_BYTES), shared by all requests of the process: a request whose body does not fit waits
// for its turn, in the order of arrival, with its socket paused.

import { processSingleton } from "@/lib/base/process-singleton";
import { MAX_BODY_BYTES } from "./request";

const ROOM_BYTES = 256 * MAX_BODY_BYTES;

/** How long a request waits for room before it is refused. */
const WAIT_MS = 60_000;

interface Waiting {
  bytes: number;
  grant: () => void;
}

export class BodyRoom {
  #freeBytes: number;
  readonly #waitMs: number;
  readonly #waiting: Waiting[] = [];

  constructor(freeBytes = ROOM_BYTES, waitMs = WAIT_MS) {
    this.#freeBytes = freeBytes;
    this.#waitMs = waitMs;
  }

  /** True once there is room; it is the caller's until `giveBack`. False when there was none in time, or the client left. */
  take(bytes: number, gone: AbortSignal): boolean | Promise<boolean> {
    if (this.#waiting.length === 0 && bytes <= this.#freeBytes) {
      this.#freeBytes -= bytes;
      return true;
    }
    return new Promise((resolve) => {
      const settle = (granted: boolean) => {
        clearTimeout(timer);
        gone.removeEventListener("abort", leave);
        resolve(granted);
      };
      const waiting = { bytes, grant: () => settle(true) };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        settle(false);
        this.#grantNext(); // the one behind may need less
      };
      const timer = setTimeout(leave, this.#waitMs);
      this.#waiting.push(waiting);
      gone.addEventListener("abort", leave);
      if (gone.aborted) leave();
    });
  }

  giveBack(bytes: number): void {
    this.#freeBytes += bytes;
    this.#grantNext();
  }

  #grantNext(): void {
    for (let [next] = this.#waiting; next && next.bytes <= this.#freeBytes; [next] = this.#waiting) {
      this.#waiting.shift();
      this.#freeBytes -= next.bytes;
      next.grant();
    }
  }
}

export const bodyRoom = processSingleton("room for large bodies", () => new BodyRoom());
