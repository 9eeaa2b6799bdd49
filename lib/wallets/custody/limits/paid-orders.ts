// The orders that the signer admitted: its own count of the daily limit, and the transaction that may pay an order on Solana. The journal
// holds them, so that no order to the signer makes it forget one.

import { createHash } from "node:crypto";
import { walletChainOf } from "@/lib/base/chains";
import { DAY_MS, dateOf, nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { createSemaphore } from "@/lib/base/semaphore";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { isLost, type RecentBlockhash } from "@/lib/chains/solana/transactions";
import { readWallet, type Wallet } from "@/lib/chains/wallet";
import { isSignerUnavailable } from "@/lib/relay/signer-unavailable";
import { endOfOrder, type SignedOrder, verifyOrder, writeOrderText } from "../withdrawal-order";
import { type Journal, type JournalEntry, KEPT_MS } from "./journal";
import { isApprovedBy } from "./operator-approval";
import { PayoutRefused } from "./payout-refused";

/** One USDC base unit is a thousand nano-USD. */
export const NANO_PER_UNIT = 1_000n;

/** How long a wallet's signature counts without being checked again, and how many are remembered. */
const VERDICT_MS = 60_000;
const MAX_VERDICTS = 1_000;
/** How far a clock may step back without a payout waiting for it. */
const CLOCK_STEP_MS = 60_000;
/** How far the clock of the service, which dates orders, may be ahead of the signer's. */
const CLOCK_AHEAD_MS = 5 * 60_000;

interface PaidOrder {
  /** SHA-256 of the text that its owner signed. */
  text: string;
  amount: bigint;
  /** When it was last signed, or was to be: from then on it counts for a day. */
  atMs: number;
  /** On Solana, the last signed transaction. */
  last: SignedFor | null;
}

interface SignedFor extends Omit<RecentBlockhash, "blockhash"> {
  signature: string;
}

export class PaidOrders {
  readonly #orders = new Map<string, PaidOrder>();
  readonly #journal: Journal;
  readonly #operator: string | null;
  readonly #inTurn = createSemaphore(1);
  /** Valid signatures of orders, and when they were checked. */
  readonly #verdicts = new Map<string, number>();
  /** When the last entry was written. */
  #lastMs = 0;

  /** @param operator the address whose key approves orders above the line; null when nobody can */
  constructor(journal: Journal, operator: string | null) {
    this.#journal = journal;
    this.#operator = operator;
    for (const entry of journal.entries) this.#remember(entry);
  }

  /**
   * Returns when the order may be paid, and has written that down. A repeated order counts once, and from then on: otherwise the limits of
   * a week could be saved up, and be signed again in one hour.
   * @param payFees takes what it costs; called once nothing else speaks against the order, so that refused ones use up nothing
   * @throws PayoutRefused
   */
  async admit(order: SignedOrder, payFees: () => void): Promise<void> {
    await this.check(order);
    await this.#inTurn(() => this.#takeFromLimit(order, payFees));
  }

  /**
   * Checks everything about an order that says nothing about other orders. Nodes are asked about a contract wallet's signature.
   * @throws PayoutRefused
   */
  async check(order: SignedOrder): Promise<void> {
    if (order.amount <= 0n || order.amount % NANO_PER_UNIT !== 0n) throw new PayoutRefused("order");
    if (!isCanonical({ chain: walletChainOf(order.chain), address: order.destination }) || !isCanonical(order.signer)) {
      throw new PayoutRefused("order");
    }
    await this.#checkSignature(order);
    checkDates(order);
    const isLarge = order.amount > config().WITHDRAWAL_APPROVAL_ABOVE_USD;
    if (isLarge && !(this.#operator && (await isApprovedBy(this.#operator, order)))) throw new PayoutRefused("approval");
  }

  async #checkSignature(order: SignedOrder): Promise<void> {
    const { chain, address } = order.signer;
    const name = digestOf(JSON.stringify([writeOrderText(order), chain, address, order.signature]));
    const ageMs = nowMs() - (this.#verdicts.get(name) ?? Number.NEGATIVE_INFINITY);
    if (ageMs >= 0 && ageMs < VERDICT_MS) return;
    const verdict = await verifyOrder(order);
    if (verdict !== "valid") throw new PayoutRefused(verdict === "invalid" ? "signature" : "unavailable");
    this.#verdicts.delete(name);
    this.#verdicts.set(name, nowMs());
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > MAX_VERDICTS && oldest !== undefined) this.#verdicts.delete(oldest);
  }

  async #takeFromLimit({ nonce, amount, validUntil, ...order }: SignedOrder, payFees: () => void): Promise<void> {
    const atMs = this.#timeMs();
    if (validUntil.getTime() <= atMs) throw new PayoutRefused("expired");
    const text = digestOf(writeOrderText({ nonce, amount, validUntil, ...order }));
    const known = this.#orders.get(nonce);
    if (known && known.text !== text) throw new PayoutRefused("nonce");
    if (this.#paidInADay(atMs, nonce) + amount > config().WITHDRAWAL_SERVICE_DAILY_LIMIT_USD) throw new PayoutRefused("limit");
    payWith(payFees);
    await this.#write({ kind: "admitted", atMs, nonce, text, amount });
    this.#forgetOld(atMs);
  }

  /**
   * Returns when a transaction may replace the last one signed for the order, and has written it down: once all nodes say that the last can
   * no longer run.
   * @throws PayoutRefused, SolanaUnavailable
   */
  async replace({ nonce }: SignedOrder, { signature, lastValidBlockHeight, slot }: SignedFor): Promise<void> {
    const last = this.#orders.get(nonce)?.last ?? null;
    if (last?.signature === signature) return; // the same bytes run once
    if (last !== null && !(await isLost(solanaNodes(), last.signature, last))) throw new PayoutRefused("paid");
    await this.#inTurn(async () => {
      const known = this.#orders.get(nonce);
      if (!known || known.last !== last) throw new PayoutRefused("paid");
      await this.#write({ kind: "signed", atMs: this.#timeMs(), nonce, signature, lastValidBlockHeight, slot });
    });
  }

  /** Now, and never before the last entry: otherwise who sets the clock back would be given an expired order's time, or a day's limit, again. */
  #timeMs(): number {
    const behindMs = this.#lastMs - nowMs();
    if (behindMs <= CLOCK_STEP_MS) return Math.max(nowMs(), this.#lastMs);
    const [at, last] = [nowMs(), this.#lastMs].map((ms) => new Date(ms).toISOString());
    throw new PayoutRefused(
      "clock",
      `The signer's clock (${at}) stands before its last payout (${last}). Correct the clock of its machine. If it is right now, and was ahead ` +
        "then: stop the signer, run npm run signer -- correct-clock, and start it again.",
    );
  }

  async #write(entry: JournalEntry): Promise<void> {
    try {
      await this.#journal.append(entry);
    } catch (error) {
      log().error({ err: error }, "no payout is signed: the journal cannot be written");
      throw new PayoutRefused("journal", error instanceof Error ? error.message : undefined);
    }
    this.#remember(entry);
  }

  #remember(entry: JournalEntry): void {
    this.#lastMs = Math.max(this.#lastMs, entry.atMs);
    if (entry.kind === "admitted") {
      const { nonce, text, amount, atMs } = entry;
      this.#orders.set(nonce, { text, amount, atMs, last: this.#orders.get(nonce)?.last ?? null });
      return;
    }
    const known = this.#orders.get(entry.nonce);
    if (known) known.last = { signature: entry.signature, lastValidBlockHeight: entry.lastValidBlockHeight, slot: entry.slot };
  }

  #paidInADay(atMs: number, except: string): bigint {
    let paid = 0n;
    for (const [nonce, order] of this.#orders) if (nonce !== except && order.atMs > atMs - DAY_MS) paid += order.amount;
    return paid;
  }

  #forgetOld(atMs: number): void {
    for (const [nonce, order] of this.#orders) if (order.atMs < atMs - KEPT_MS) this.#orders.delete(nonce);
  }
}

/**
 * An order that were good for longer would outlive the signer's memory of it, and be paid again on Solana.
 * @throws PayoutRefused
 */
function checkDates({ issuedAt, validUntil }: SignedOrder): void {
  if (validUntil.getTime() !== endOfOrder(issuedAt).getTime()) throw new PayoutRefused("order");
  if (issuedAt.getTime() <= nowMs() + CLOCK_AHEAD_MS) return;
  const [at, made] = [dateOf(nowMs()), issuedAt].map((date) => date.toISOString());
  throw new PayoutRefused(
    "clock",
    `By the signer's clock (${at}) the order was made in the future (${made}). Correct the clocks of both machines.`,
  );
}

/** @throws PayoutRefused when the day's fees are used up: this order waits for them, and others need not */
function payWith(payFees: () => void): void {
  try {
    payFees();
  } catch (error) {
    if (isSignerUnavailable(error)) throw new PayoutRefused("fees", error.reason);
    throw error;
  }
}

const isCanonical = ({ chain, address }: Wallet): boolean => readWallet(chain, address)?.address === address;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
