// Stored withdrawals, and the views of their owner and the operator.

import type { ChainId } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import type { AccountId, WithdrawalId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import type { WalletChain } from "@/lib/chains/wallet";
import { type Database, notify, type Prisma, prisma, type Transaction } from "@/lib/db/prisma";
import type { Order, SignedOrder } from "../custody/withdrawal-order";

/**
 * awaiting_approval (by the operator) → approved → signed (bytes are stored, nothing can stop it) → sent → confirmed (in a block) → final.
 * Or ended with the money returned: cancelled by its owner, refused by the operator, failed on its chain or expired.
 */
export type WithdrawalState = OpenState | "final" | "cancelled" | "refused" | "failed";
export type OpenState = "awaiting_approval" | "approved" | "signed" | "sent" | "confirmed";

/**
 * Why an approved withdrawal is not signed yet: the treasury has too little on that chain; the chain does not answer, or would refuse the
 * payout; a reserve deficit stops payouts; the account is frozen; the service's daily limit has no room for it or for one before it; the
 * signer rejects the order's signature, cannot sign at the moment, or misses the operator's own
 * signature; its owner's own waiting time is not over; the nodes do not agree about a contract wallet's signature, or do not answer.
 */
export type WaitsFor =
  | "funds"
  | "chain"
  | "reserves"
  | "frozen"
  | "limit"
  | "signature"
  | "signer"
  | "fees"
  | "approval"
  | "waiting_time"
  | "wallet";

export interface Withdrawal extends Order {
  id: WithdrawalId;
  state: WithdrawalState;
  waitsFor: WaitsFor | null;
  /** On its chain, once there is one. */
  transaction: string | null;
  /** Why it was refused or failed. */
  reason: string | null;
  requestedAt: Date;
  /** When its owner's own waiting time is over; null: there is none. */
  payFrom: Date | null;
  signedAt: Date | null;
  confirmedAt: Date | null;
  endedAt: Date | null;
}

/** With the fields that the payout needs. */
export interface OpenWithdrawal extends Withdrawal, SignedOrder {
  /** How often a payout was signed for it. */
  attempt: number;
  /** On Base: the expiry of the last attempt. */
  validBefore: Date | null;
}

/** Nothing was signed, so the money can be returned. */
export const UNSIGNED: readonly WithdrawalState[] = ["awaiting_approval", "approved"];
/** The money may leave or has left. */
export const UNDER_WAY: readonly WithdrawalState[] = ["signed", "sent", "confirmed"];

type Row = Prisma.WithdrawalGetPayload<{ omit: { approvedAt: true } }>;

const omit = { approvedAt: true } as const;

const readRow = ({ signerChain, signerAddress, ...row }: Row): OpenWithdrawal => ({
  ...row,
  id: row.id as WithdrawalId,
  accountId: row.accountId as AccountId,
  chain: row.chain as ChainId,
  state: row.state as WithdrawalState,
  waitsFor: row.waitsFor as WaitsFor | null,
  amount: nanoUsd(row.amount),
  fee: nanoUsd(row.fee),
  signer: { chain: signerChain as WalletChain, address: signerAddress },
});

interface WithdrawalPage {
  limit: number;
  /** The last withdrawal of the previous page. */
  after?: Pick<Withdrawal, "requestedAt" | "id">;
}

/** The account's withdrawals, newest first. */
export async function listWithdrawals(accountId: AccountId, { limit, after }: WithdrawalPage): Promise<Withdrawal[]> {
  const isAfter = after && {
    requestedAt: { lte: after.requestedAt },
    OR: [{ requestedAt: { lt: after.requestedAt } }, { id: { lt: after.id } }],
  };
  const orderBy = [{ requestedAt: "desc" }, { id: "desc" }] as const;
  return (await prisma().withdrawal.findMany({ where: { accountId, ...isAfter }, orderBy: [...orderBy], take: limit, omit })).map(readRow);
}

/** Withdrawals of all accounts in any of these states, oldest first. */
export async function listWithdrawalsIn(states: readonly WithdrawalState[], limit: number): Promise<OpenWithdrawal[]> {
  const where = { state: { in: [...states] } };
  return (await prisma().withdrawal.findMany({ where, orderBy: [{ requestedAt: "asc" }, { id: "asc" }], take: limit, omit })).map(readRow);
}

/** Reasons for waiting that an owner can bring about, for as long as they like: their own withdrawals cannot be paid then. */
const ownersDoing = ["signature", "frozen", "waiting_time", "wallet"] satisfies WaitsFor[];

/**
 * Approved withdrawals in the order of their approval. Those that wait for something that their owner brought about come last, and those
 * that wait for fees after them. Each of the three is counted apart: however many there are, they leave room for the others.
 */
export async function listApproved(limit: number): Promise<OpenWithdrawal[]> {
  const list = (where: Prisma.WithdrawalWhereInput) =>
    prisma().withdrawal.findMany({
      where: { state: "approved", ...where },
      orderBy: [{ approvedAt: "asc" }, { id: "asc" }],
      take: limit,
      omit,
    });
  // Once it is over, a waiting time is nobody's doing any more.
  const waited = { waitsFor: "waiting_time", payFrom: { lte: now() } };
  const others = await list({ OR: [{ waitsFor: null }, { waitsFor: { notIn: [...ownersDoing, "fees"] } }, waited] });
  const ownersOwn = await list({ waitsFor: { in: ownersDoing }, NOT: waited });
  return [...others, ...ownersOwn, ...(await list({ waitsFor: "fees" }))].map(readRow);
}

/** All withdrawals that match `where`, unordered. */
export const findWithdrawals = async (where: Prisma.WithdrawalWhereInput, database: Database): Promise<OpenWithdrawal[]> =>
  (await database.withdrawal.findMany({ where, omit })).map(readRow);

export async function findWithdrawal(id: WithdrawalId): Promise<OpenWithdrawal | null> {
  const [found] = await findWithdrawals({ id }, prisma());
  return found ?? null;
}

/** Number of open withdrawals, by state, or by wait reason for approved ones. */
export async function countOpenWithdrawals(): Promise<ReadonlyMap<WithdrawalState | WaitsFor, number>> {
  const where = { state: { in: [...UNSIGNED, ...UNDER_WAY] } };
  const groups = await prisma().withdrawal.groupBy({ by: ["state", "waitsFor"], where, _count: true });
  const counts = new Map<WithdrawalState | WaitsFor, number>();
  for (const { state, waitsFor, _count } of groups) {
    const name = (waitsFor ?? state) as WithdrawalState | WaitsFor;
    counts.set(name, (counts.get(name) ?? 0) + _count);
  }
  return counts;
}

/**
 * Updates a withdrawal if it still matches `expected`, and notifies its owner's pages on commit. The compare-and-set is one statement, so
 * only one of two processes succeeds; false for the other.
 */
export async function changeWithdrawal(
  expected: Prisma.WithdrawalWhereInput & { id: WithdrawalId; state: Prisma.WithdrawalWhereInput["state"] },
  data: Prisma.WithdrawalUpdateManyMutationInput,
  transaction: Transaction,
): Promise<boolean> {
  const [changed] = await transaction.withdrawal.updateManyAndReturn({ where: expected, data, select: { accountId: true } });
  if (changed) await notify("withdrawals", changed.accountId, transaction);
  return changed !== undefined;
}
