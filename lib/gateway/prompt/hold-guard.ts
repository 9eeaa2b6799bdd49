// Guards a streamed answer: a piece of it may be written only while its hold is there. A process that was stalled may have been taken for
// dead, its holds freed and its requests answered elsewhere; so after a late heartbeat a stream waits for the next one, and asks.

import { setTimeout as sleep } from "node:timers/promises";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processFence } from "@/lib/db/heartbeat/fence";
import { isHoldOpen } from "@/lib/ledger/confirm-hold";
import type { Hold } from "@/lib/ledger/holds";
import { commit } from "./commit";

const ASK_AGAIN_AFTER_MS = 100;
/** A hold outlives the provider's time limit by three times this: see holdDeadline. */
const WRITE_MARGIN_MS = 20_000;

/** Read it before the hold is placed: a death of this process from then on is noticed. */
export const readFence = (): bigint => processFence().number;

/** gone: the hold was freed, or its time is up. left: the client went away meanwhile. */
export type HoldState = "open" | "gone" | "left";

const outcomes = { open: "resumed", gone: "cut", left: "left" } as const satisfies Record<HoldState, string>;

export class HoldGuard {
  readonly #hold: Hold;
  /** The number of the fence under which the hold is known to be there. */
  #fence: bigint;
  /** Monotonic milliseconds. */
  readonly #endsAt = performance.now() + config().PROVIDER_TOTAL_TIMEOUT_MS + WRITE_MARGIN_MS;

  /** Guards a hold that was placed just now, after `fence` was read. */
  constructor(hold: Hold, fence: bigint) {
    this.#hold = hold;
    this.#fence = fence;
  }

  /** True while the hold is certainly there. */
  mayWrite(): boolean {
    return processFence().mayWrite(this.#fence) && performance.now() < this.#endsAt;
  }

  /** Waits for a fresh heartbeat and asks whether the hold is still there. `hasLeft` says that nobody waits any more. */
  async regain(hasLeft: () => boolean): Promise<HoldState> {
    const state = await this.#ask(hasLeft);
    metrics().pausedStreams.inc({ outcome: outcomes[state] });
    return state;
  }

  async #ask(hasLeft: () => boolean): Promise<HoldState> {
    const fence = processFence();
    const isOver = () => hasLeft() || performance.now() >= this.#endsAt;
    while (await fence.untilFresh(isOver)) {
      // Read before it is asked: a later sweep shows in the next number.
      const number = fence.number;
      const isOpen = await isHoldOpen(commit(), this.#hold).catch((error: unknown) => this.#warn(error));
      if (isOpen === false || isOver()) break;
      if (isOpen === null) await sleep(ASK_AGAIN_AFTER_MS);
      else if (fence.mayWrite(number)) {
        this.#fence = number;
        return "open";
      }
    }
    return hasLeft() ? "left" : "gone";
  }

  #warn(error: unknown): null {
    log().warn({ err: error, requestId: this.#hold.requestId }, "could not ask whether a hold is still there; asking again");
    return null;
  }
}
