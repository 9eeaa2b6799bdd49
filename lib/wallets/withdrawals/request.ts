// Asking for a withdrawal: an order is drawn up, its owner signs it, and it is taken with its money in one transaction, or not
// at all. What a page says of balance, fee and wallets counts for nothing here: everything is decided anew.

import { now, nowMs } from "@/lib/base/clock";
import { type AccountId, newWithdrawalId, randomBase62, type WithdrawalId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { prisma } from "@/lib/db/prisma";
import { endOfOrder, type Order, type SignedOrder, verifyOrder, type WithdrawalChain, walletChainOf } from "../custody/withdrawal-order";
import { type ChainFunds, readChainFunds } from "./chain-funds";
import { type DestinationFault, readDestination } from "./destination";
import { minWithdrawal, readFees, writeRules } from "./rules";

/** What an owner wants: `amount` is what arrives, nano-USD; the destination as they wrote it. */
export interface Wish {
  accountId: AccountId;
  chain: WithdrawalChain;
  destination: string;
  amount: NanoUsd;
}

/** Smaller is nothing that a chain could move. */
const UNIT = 1_000n;
const NONCE_CHARACTERS = 22;
/** How long after it was drawn up an order is taken. */
const SIGN_WITHIN_MS = 10 * 60_000;
const CLOCK_MAY_DIFFER_MS = 60_000;

export type WishFault =
  | { reason: "destination"; fault: DestinationFault }
  | { reason: "below_minimum"; least: NanoUsd }
  /** It is not made of whole units of USDC. */
  | { reason: "too_fine" }
  | { reason: "chain_unavailable" };

type Drawn = { ok: true; order: Order } | ({ ok: false } & WishFault);

/** Draws an order up for its owner to sign. The balance is not looked at: `readAllowance` tells, and `requestWithdrawal` decides. */
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

/** What it costs now, and what cannot be ordered at all. */
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

/** Null when it is the chain's nodes that failed. */
function chainFailure(error: unknown): null {
  const isNodes = isEvmFailure(error) || (error instanceof Error && error.name === "SolanaUnavailable");
  if (!isNodes) throw error;
  log().warn({ err: error }, "a withdrawal could not be priced: the chain cannot be asked");
  return null;
}

export type RequestRefusal =
  | WishFault
  /** Drawn up too long ago, or not by us. */
  | { reason: "expired" }
  /** The fee, or what it is for, is another one now. */
  | { reason: "fee_changed"; fee: NanoUsd }
  | { reason: "bad_signature" }
  /** The wallet may be a contract, and no node could be asked. */
  | { reason: "contract_wallet_unavailable" }
  | { reason: "frozen" | "destination_not_linked" | "signer_not_linked" | "too_many_open" | "nonce_used" }
  /** Linked too short a time ago. */
  | { reason: "destination_too_new"; since: Date }
  /** What could leave, or what is left of a limit. */
  | { reason: "insufficient" | "account_limit" | "service_limit"; most: NanoUsd }
  | ChainShort;

/** Less is held on that chain than is asked for; `funds`: what can leave on each. */
export interface ChainShort {
  reason: "chain_funds";
  funds: ChainFunds;
}

export type RequestOutcome = { ok: true; id: WithdrawalId } | ({ ok: false } & RequestRefusal);

/** Takes a signed order, once: the same one again is the same withdrawal. */
export async function requestWithdrawal(order: Omit<SignedOrder, "validUntil">): Promise<RequestOutcome> {
  const ageMs = nowMs() - order.issuedAt.getTime();
  if (!(ageMs <= SIGN_WITHIN_MS && ageMs >= -CLOCK_MAY_DIFFER_MS)) return { ok: false, reason: "expired" };
  const priced = await priceOf(order);
  if (!priced.ok) return priced;
  if (priced.fee !== order.fee || priced.opensAccount !== order.opensAccount) return { ok: false, reason: "fee_changed", fee: priced.fee };
  // The destination in its stored spelling: the text that was signed shows it as wallets write it, however it was sent.
  const whole: SignedOrder = { ...order, destination: priced.destination, validUntil: endOfOrder(order.issuedAt) };
  const verdict = await verifyOrder(whole);
  if (verdict === "unavailable") return { ok: false, reason: "contract_wallet_unavailable" };
  if (verdict === "invalid") return { ok: false, reason: "bad_signature" };
  const short = await findShortage(whole);
  if (short && !(await isTaken(whole.nonce))) return { ok: false, ...short };
  return takeOrder(whole);
}

/** What the newest report of reserves says against an amount on a chain; null when nothing. */
export async function findShortage({ chain, amount }: Pick<Order, "chain" | "amount">): Promise<ChainShort | null> {
  const funds = await readChainFunds();
  const left = funds[chain];
  return left !== null && amount > left ? { reason: "chain_funds", funds } : null;
}

/** The same order again is held against nothing: it counts among those that are open. */
async function isTaken(nonce: string): Promise<boolean> {
  return (await prisma().withdrawal.count({ where: { nonce } })) > 0;
}

interface Decision {
  outcome: "requested" | "already" | Exclude<RequestRefusal["reason"], WishFault["reason"] | ChainShort["reason"]>;
  id: WithdrawalId | null;
  most: bigint | null;
  since: Date | null;
}

async function takeOrder(order: SignedOrder): Promise<RequestOutcome> {
  // In SQL: the order is decided and its money taken in one step.
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
    case "service_limit":
      return { ok: false, reason: outcome, most: nanoUsd(most ?? 0n) };
    case "expired":
    case "frozen":
    case "destination_not_linked":
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
    ...{ amount: `${amount}`, fee: `${fee}` },
    ...{ walletChain: walletChainOf(order.chain), signerChain: signer.chain, signerAddress: signer.address },
  });
