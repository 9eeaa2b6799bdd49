// What the signer asks of an order before it pays it. Whoever holds the database, and no key, gets nothing out of it: the text is
// written again from the order's fields, its owner's signature is verified again, and what is paid in a day has an end.

import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { isLost, type RecentBlockhash } from "@/lib/chains/solana/transactions";
import { type SignedOrder, verifyOrder, writeOrderText } from "./withdrawal-order";

export type Refusal =
  /** Not what its owner signed, or not signed any more: another amount or destination, the owners of a contract wallet. */
  | "signature"
  /** The wallet is a contract, and no node could be asked. */
  | "unavailable"
  | "expired"
  /** Another text had its nonce. */
  | "nonce"
  /** With it, more would be paid in 24 hours than the service's limit is. */
  | "limit"
  /** On Solana: it was paid, or may still be, by the transaction that was signed for it last. */
  | "paid"
  /** It is for the other chain, would pay to the signer's own addresses, or is not of whole units. */
  | "order";

/** The signer signs nothing. */
export class PayoutRefused extends Error {
  constructor(readonly refusal: Refusal) {
    super(`The signer does not pay this order: ${refusal}.`);
    this.name = "PayoutRefused";
  }
}

/** True for a PayoutRefused of any copy of this module. */
export const isPayoutRefused = (error: unknown): error is PayoutRefused => error instanceof Error && error.name === "PayoutRefused";

/** USDC's base units are a thousand nano-USD. */
export const NANO_PER_UNIT = 1_000n;

const DAY_MS = 24 * 3_600_000;

interface PaidOrder {
  text: string;
  amount: bigint;
  atMs: number;
  /** How often it was signed, without what was thrown away. */
  times: number;
  /** On Solana, what was signed last, and what that took the place of. */
  last: SignedFor | null;
  before: SignedFor | null;
}

interface SignedFor extends Omit<RecentBlockhash, "blockhash"> {
  signature: string;
}

/** What one signer was asked to pay, as far as it remembers. */
export class PaidOrders {
  readonly #orders = new Map<string, PaidOrder>();

  /**
   * Comes back when the order may be paid, and remembers it. The same order again is no other one.
   * @throws PayoutRefused
   */
  async admit(order: SignedOrder): Promise<void> {
    if (order.amount <= 0n || order.amount % NANO_PER_UNIT !== 0n) throw new PayoutRefused("order");
    const verdict = await verifyOrder(order);
    if (verdict !== "valid") throw new PayoutRefused(verdict === "invalid" ? "signature" : "unavailable");
    if (order.validUntil.getTime() <= nowMs()) throw new PayoutRefused("expired");
    const text = writeOrderText(order);
    const known = this.#orders.get(order.nonce);
    if (known && known.text !== text) throw new PayoutRefused("nonce");
    if (known) {
      known.times += 1;
      return;
    }
    if (this.#paidInADay() + order.amount > config().WITHDRAWAL_SERVICE_DAILY_LIMIT_USD) throw new PayoutRefused("limit");
    this.#orders.set(order.nonce, { text, amount: order.amount, atMs: nowMs(), times: 1, last: null, before: null });
  }

  /**
   * Comes back when a transaction may take the place of the one that was signed for the order before: the same again, or one after
   * all nodes say that the other can never run.
   * @throws PayoutRefused, SolanaUnavailable
   */
  async replace(order: SignedOrder, next: SignedFor): Promise<void> {
    const known = this.#orders.get(order.nonce);
    if (!known) throw new PayoutRefused("paid");
    const { last } = known;
    if (last !== null && last.signature !== next.signature) {
      const isGone = await isLost(solanaNodes(), last.signature, last);
      if (!isGone || known.last !== last) throw new PayoutRefused("paid");
    }
    Object.assign(known, { last: next, before: last });
  }

  /** What was signed last for the order was thrown away, unseen. */
  drop({ nonce }: SignedOrder): void {
    const known = this.#orders.get(nonce);
    if (!known) return;
    known.times -= 1;
    // What it took the place of can never run, or was the same bytes.
    known.last = known.before;
    if (known.times === 0) this.#orders.delete(nonce);
  }

  /** What is older than an order can be is forgotten. */
  #paidInADay(): bigint {
    let paid = 0n;
    for (const [nonce, { amount, atMs }] of this.#orders) {
      if (atMs > nowMs() - DAY_MS) paid += amount;
      else if (atMs < nowMs() - 8 * DAY_MS) this.#orders.delete(nonce);
    }
    return paid;
  }
}
