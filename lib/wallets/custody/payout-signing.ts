// The signer's checks before it pays an order. An attacker with the database but without keys gains nothing: the signer rebuilds the text
// from the order's fields, verifies the owner's signature again, and enforces a daily limit.

import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { isLost, type RecentBlockhash } from "@/lib/chains/solana/transactions";
import { type SignedOrder, verifyOrder, writeOrderText } from "./withdrawal-order";

export type Refusal =
  /** The signature does not match the order (another amount or destination), or no longer counts (a contract wallet changed its owners). */
  | "signature"
  /** The wallet is a contract, and no node answered. */
  | "unavailable"
  | "expired"
  /** Its nonce was used with another text. */
  | "nonce"
  /** It would exceed the service's limit for 24 hours. */
  | "limit"
  /** On Solana: the transaction last signed for it paid it, or still could. */
  | "paid"
  /** It is for the other chain, pays to the signer's own addresses, or is not in whole units. */
  | "order";

/** The signer refused, and signed nothing. */
export class PayoutRefused extends Error {
  constructor(readonly refusal: Refusal) {
    super(`The signer does not pay this order: ${refusal}.`);
    this.name = "PayoutRefused";
  }
}

/** True for a PayoutRefused of any copy of this module. */
export const isPayoutRefused = (error: unknown): error is PayoutRefused => error instanceof Error && error.name === "PayoutRefused";

/** One USDC base unit is a thousand nano-USD. */
export const NANO_PER_UNIT = 1_000n;

const DAY_MS = 24 * 3_600_000;

interface PaidOrder {
  text: string;
  amount: bigint;
  atMs: number;
  /** How often it was signed, without dropped payouts. */
  times: number;
  /** On Solana, the last signed transaction, and the one it replaced. */
  last: SignedFor | null;
  before: SignedFor | null;
}

interface SignedFor extends Omit<RecentBlockhash, "blockhash"> {
  signature: string;
}

/** The orders that one signer has admitted, in memory. */
export class PaidOrders {
  readonly #orders = new Map<string, PaidOrder>();

  /**
   * Returns when the order may be paid, and records it. A repeated order counts once.
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
   * Returns when a transaction may replace the last one signed for the order: the same one, or another once all nodes say that the last can
   * no longer run.
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

  /** The last transaction signed for the order was discarded unseen. */
  drop({ nonce }: SignedOrder): void {
    const known = this.#orders.get(nonce);
    if (!known) return;
    known.times -= 1;
    // The transaction it replaced can never run, or was the same bytes.
    known.last = known.before;
    if (known.times === 0) this.#orders.delete(nonce);
  }

  /** Entries older than an order's maximum life are deleted. */
  #paidInADay(): bigint {
    let paid = 0n;
    for (const [nonce, { amount, atMs }] of this.#orders) {
      if (atMs > nowMs() - DAY_MS) paid += amount;
      else if (atMs < nowMs() - 8 * DAY_MS) this.#orders.delete(nonce);
    }
    return paid;
  }
}
