// Limits on one key's transaction fees, for each transaction and for 24 hours: a client that may have transactions signed cannot burn the
// key's coins. Each transaction counts at its highest cost, in memory: a restart begins anew, and nobody at the socket can cause one.

import { DAY_MS, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { SignerUnavailable } from "@/lib/relay/signer-unavailable";

/** In the smallest unit of the chain's coin. */
interface Bounds {
  day: bigint;
  each: bigint;
}

/** Spending is summed up by the quarter of an hour. */
const SLOT_MS = 900_000;
const LOG_EVERY_MS = 60_000;
/** Transactions whose cost is remembered, so that a repeated or raised one counts once. */
const MAX_REMEMBERED = 10_000;

export class FeeBudget {
  readonly #of: string;
  readonly #bounds: () => Bounds;
  readonly #slots = new Map<number, bigint>();
  readonly #costs = new Map<string, bigint>();
  #loggedMs = Number.NEGATIVE_INFINITY;

  /** @param of whose coins, for messages */
  constructor(of: string, bounds: () => Bounds) {
    this.#of = of;
    this.#bounds = bounds;
  }

  /**
   * Takes the highest cost of a transaction.
   * @param name of the transaction: another one with the same name takes its place on the chain, so only the difference in cost is taken
   * @throws SignerUnavailable when it is too much: it may be signed later
   */
  take(cost: bigint, name: string): void {
    const more = this.check(cost, name);
    if (more === 0n) return;
    const slot = Math.floor(nowMs() / SLOT_MS);
    this.#slots.set(slot, (this.#slots.get(slot) ?? 0n) + more);
    this.#costs.delete(name);
    this.#costs.set(name, cost);
    const [oldest] = this.#costs.keys();
    if (this.#costs.size > MAX_REMEMBERED && oldest !== undefined) this.#costs.delete(oldest);
  }

  /**
   * Takes nothing.
   * @returns what `take` would take
   * @throws SignerUnavailable as `take` does
   */
  check(cost: bigint, name: string): bigint {
    const { day, each } = this.#bounds();
    if (cost > each) throw this.#refuse(`a transaction may cost ${cost} of ${this.#of}, more than ${each}: fees are too high`);
    const more = cost - (this.#costs.get(name) ?? 0n);
    if (more <= 0n) return 0n;
    if (this.#spentInADay() + more <= day) return more;
    throw this.#refuse(
      `the transactions of 24 hours may cost ${day} of ${this.#of}; raise its limit in the signer's settings if that is yours`,
    );
  }

  #spentInADay(): bigint {
    const first = Math.floor((nowMs() - DAY_MS) / SLOT_MS);
    let spent = 0n;
    for (const [slot, cost] of this.#slots) {
      if (slot >= first) spent += cost;
      else this.#slots.delete(slot);
    }
    return spent;
  }

  #refuse(reason: string): SignerUnavailable {
    if (nowMs() - this.#loggedMs >= LOG_EVERY_MS) {
      this.#loggedMs = nowMs();
      log().error({ reason }, "the signer spends no more on fees for now");
    }
    return new SignerUnavailable(reason);
  }
}

const ETH = 10n ** 18n;
const SOL = 10n ** 9n;
/** Of a sandbox, whose coins are worth nothing. */
const NO_LIMIT = 1_000_000n * ETH;
/** 0.01 ETH: above a hundred times the cost of a call on Base on a bad day. */
const MAX_GAS_WEI = ETH / 100n;

/** The budgets of a seed's keys. */
export interface FeeBudgets {
  relayer: FeeBudget;
  treasury: FeeBudget;
  /** Apart from the treasury's fees: who uses it up stops no other payout and no sweep. */
  rent: FeeBudget;
  sponsor: FeeBudget;
}

export function openBudgets(mode: "sandbox" | "live"): FeeBudgets {
  const day = (set: bigint | undefined, live: bigint) => set ?? (mode === "live" ? live : NO_LIMIT);
  return {
    relayer: new FeeBudget("the relayer's wei", () => ({ day: day(config().RELAYER_DAILY_FEES_ETH, ETH / 4n), each: MAX_GAS_WEI })),
    treasury: new FeeBudget("the treasury's lamports", () => ({ day: day(config().TREASURY_DAILY_FEES_SOL, SOL / 2n), each: SOL })),
    rent: new FeeBudget("the treasury's lamports for rent", () => ({ day: day(config().TREASURY_DAILY_RENT_SOL, 2n * SOL), each: SOL })),
    sponsor: new FeeBudget("the sponsor's lamports", () => ({ day: day(config().SPONSOR_DAILY_FEES_SOL, SOL), each: SOL })),
  };
}
