// Requests for withdrawals: an order is created, its owner signs it, and order and money are taken in one transaction or not at all.
// Balance, fee and wallets as shown by a page are not trusted: everything is decided again.

import { type ChainId, walletChainOf } from "@/lib/base/chains";
import { now, nowMs } from "@/lib/base/clock";
import { type AccountId, newWithdrawalId, randomBase62, type WithdrawalId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { prisma } from "@/lib/db/prisma";
import { endOfOrder, type Order, type SignedOrder, verifyOrder } from "../custody/withdrawal-order";
import { type ChainFunds, readChainFunds } from "./chain-funds";
import { type DestinationFault, readDestination } from "./destination";
import { minWithdrawal, readFees, writeRules } from "./rules";

/** An owner's wish: `amount` arrives at the destination, nano-USD; the destination is unparsed. */
export interface Wish {
  accountId: AccountId;
  chain: ChainId;
  destination: string;
  amount: NanoUsd;
}

/** The smallest amount that a chain can move. */
const UNIT = 1_000n;
const NONCE_CHARACTERS = 22;
/** How long after its creation an order can be submitted. */
const SIGN_WITHIN_MS = 10 * 60_000;
const CLOCK_MAY_DIFFER_MS = 60_000;

export type WishFault =
  | { reason: "destination"; fault: DestinationFault }
  | { reason: "below_minimum"; least: NanoUsd }
  /** It is not a whole number of USDC base units. */
  | { reason: "too_fine" }
  | { reason: "chain_unavailable" };

type Drawn = { ok: true; order: Order } | ({ ok: false } & WishFault);

/** Creates an order for its owner to sign. It ignores the balance: `readAllowance` reports it, and `requestWithdrawal` decides. */
export async function createOrder(wish: Wish): Promise<Drawn> {
  const priced = await priceOf(wish);
  if (!priced.ok) return priced;
  const issuedAt = now();
  const { accountId, chain, amount } = wish;
  const { ok: _, ...terms } = priced;
  const nonce = randomBase62(NONCE_CHARACTERS);
  return { ok: true, order: { accountId, chain, amount, ...terms, nonce, issuedAt, validUntil: endOfOrder(issuedAt) } };
}

type Priced = ({ ok: true } & Pick<Order, "destination" | "fee" | "opensAccount">) | ({ ok: false } & WishFault);

/** The current fee, or why the wish cannot be ordered. */
async function priceOf({ chain, destination, amount }: Wish): Promise<Priced> {
  if (amount % UNIT !== 0n) return { ok: false, reason: "too_fine" };
  const least = minWithdrawal();
  if (amount < least || amount <= ZERO_USD) return { ok: false, reason: "below_minimum", least };
  const read = await readDestination(chain, destination).catch(chainFailure);
  if (read === null) return { ok: false, reason: "chain_unavailable" };
  if (!read.ok) return { ok: false, reason: "destination", fault: read.fault };
  const fees = readFees();
  const fee = read.needsAccount ? fees.solanaWithAccount : fees[chain];
  return { ok: true, destination: read.address, fee, opensAccount: read.needsAccount };
}

/** Null for a failure of the chain's nodes. */
function chainFailure(error: unknown): null {
  const isNodes = isEvmFailure(error) || (error instanceof Error && error.name === "SolanaUnavailable");
  if (!isNodes) throw error;
  log().warn({ err: error }, "could not price a withdrawal: the chain does not respond");
  return null;
}

export type RequestRefusal =
  | WishFault
  /** Created too long ago, or not by us. */
  | { reason: "expired" }
  /** The fee, or its account creation part, has changed. */
  | { reason: "fee_changed"; fee: NanoUsd }
  | { reason: "bad_signature" }
  /** The wallet may be a contract, and no node answered. */
  | { reason: "contract_wallet_unavailable" }
  | { reason: "frozen" | "destination_not_linked" | "destination_not_allowed" | "signer_not_linked" | "too_many_open" | "nonce_used" }
  /** The destination was linked too recently. */
  | { reason: "destination_too_new"; since: Date }
  /** `most`: the withdrawable amount, or the rest of the limit. */
  | { reason: "insufficient" | "account_limit" | "own_limit" | "service_limit"; most: NanoUsd }
  | ChainShort;

/** The chain holds less than requested; `funds`: the amount that can leave on each chain. */
export interface ChainShort {
  reason: "chain_funds";
  funds: ChainFunds;
}

export type RequestOutcome = { ok: true; id: WithdrawalId } | ({ ok: false } & RequestRefusal);

type SentOrder = Omit<SignedOrder, "validUntil">;

/** Accepts a signed order, idempotently: a repeated order is the same withdrawal, whatever has changed since it was taken. */
export async function requestWithdrawal(order: SentOrder): Promise<RequestOutcome> {
  const outcome = await decideOrder(order);
  const taken = outcome.ok ? null : await findTaken(order);
  return taken ? { ok: true, id: taken } : outcome;
}

async function decideOrder(order: SentOrder): Promise<RequestOutcome> {
  const ageMs = nowMs() - order.issuedAt.getTime();
  if (!(ageMs <= SIGN_WITHIN_MS && ageMs >= -CLOCK_MAY_DIFFER_MS)) return { ok: false, reason: "expired" };
  const priced = await priceOf(order);
  if (!priced.ok) return priced;
  if (priced.fee !== order.fee || priced.opensAccount !== order.opensAccount) return { ok: false, reason: "fee_changed", fee: priced.fee };
  // The destination in canonical form: the signed text uses its display form, whichever form was sent.
  const whole: SignedOrder = { ...order, destination: priced.destination, validUntil: endOfOrder(order.issuedAt) };
  const verdict = await verifyOrder(whole);
  if (verdict === "unavailable") return { ok: false, reason: "contract_wallet_unavailable" };
  if (verdict === "invalid") return { ok: false, reason: "bad_signature" };
  const short = await findShortage(whole);
  return short ? { ok: false, ...short } : takeOrder(whole);
}

/** The withdrawal that was made of exactly this order. */
async function findTaken({ accountId, nonce, chain, destination, amount, fee, signature }: SentOrder): Promise<WithdrawalId | null> {
  const where = { accountId, nonce, chain, destination, amount, fee, signature };
  const taken = await prisma().withdrawal.findFirst({ where, select: { id: true } });
  return taken && (taken.id as WithdrawalId);
}

/** The shortage for an amount on a chain according to the newest known reserve report; null when there is none. */
export async function findShortage({ chain, amount }: Pick<Order, "chain" | "amount">): Promise<ChainShort | null> {
  const funds = await readChainFunds();
  const left = funds[chain];
  return left !== null && amount > left ? { reason: "chain_funds", funds } : null;
}

interface Decision {
  outcome: "requested" | "already" | Exclude<RequestRefusal["reason"], WishFault["reason"] | ChainShort["reason"]>;
  id: WithdrawalId | null;
  most: bigint | null;
  since: Date | null;
}

async function takeOrder(order: SignedOrder): Promise<RequestOutcome> {
  // In SQL: decides the order and takes its money in one step.
  const [decision] = await prisma().$queryRaw<Decision[]>`
    SELECT outcome, id, most, since FROM wallets_request_withdrawal(${writeOrder(order)}::json, ${writeRules()}::json, ${now()}::timestamptz)`;
  if (!decision) throw new Error("A withdrawal was not decided.");
  const { outcome, id, most, since } = decision;
  switch (outcome) {
    case "requested":
    case "already":
      if (!id) throw new Error("A withdrawal that was taken has no id.");
      return { ok: true, id };
    case "destination_too_new":
      return { ok: false, reason: outcome, since: since ?? now() };
    case "insufficient":
    case "account_limit":
    case "own_limit":
    case "service_limit":
      return { ok: false, reason: outcome, most: nanoUsd(most ?? 0n) };
    case "expired":
    case "frozen":
    case "destination_not_linked":
    case "destination_not_allowed":
    case "signer_not_linked":
    case "too_many_open":
    case "nonce_used":
      return { ok: false, reason: outcome };
    default:
      throw new Error(`The database decided ${outcome} on a withdrawal.`);
  }
}

const writeOrder = ({ signer, amount, fee, ...order }: SignedOrder): string =>
  JSON.stringify({
    id: newWithdrawalId(),
    ...order,
    amount: `${amount}`,
    fee: `${fee}`,
    walletChain: walletChainOf(order.chain),
    signerChain: signer.chain,
    signerAddress: signer.address,
  });
