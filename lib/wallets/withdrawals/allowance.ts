// How much an account can withdraw now, and to which of its wallets.

import { listIdentities } from "@/lib/access/identities";
import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { Wallet } from "@/lib/chains/wallet";
import { type Database, prisma } from "@/lib/db/prisma";
import { type ChainFunds, readChainFunds } from "./chain-funds";
import { readHeldRules } from "./own-rules";
import { LINKED_SECONDS, MAX_OPEN } from "./rules";

export interface Allowance {
  /** The withdrawable amount including the fee: the available balance, less arrivals that are not final. */
  withdrawable: NanoUsd;
  /** Arrivals that are not final. */
  unfinal: NanoUsd;
  /** The rest of the account's 24-hour limit. */
  leftOfDay: NanoUsd;
  /** The rest of its owner's own limit; null: there is none. */
  leftOfOwn: NanoUsd | null;
  /** How long its owner's own rules let a withdrawal wait, in seconds. */
  waitSeconds: number;
  /** The room in the service's 24-hour limit after the withdrawals that wait; a larger amount waits for its turn. */
  leftOfService: NanoUsd;
  /** The service's whole limit: more than that is never paid at once. */
  mostOfService: NanoUsd;
  /** The amount that can leave on each chain, if known; the fee is not included, since it stays here. */
  leftOnChain: ChainFunds;
  /** A larger amount waits for the operator's approval. */
  leftWithoutApproval: NanoUsd;
  /** How many more withdrawals may be open. */
  leftOpen: number;
}

interface Row {
  withdrawable: bigint;
  available: bigint;
  accountDay: bigint;
  serviceDay: bigint;
}

export async function readAllowance(accountId: AccountId): Promise<Allowance> {
  const leftOnChain = await readChainFunds();
  const own = await readHeldRules(accountId);
  const open = await countOpenWithdrawals(accountId);
  const at = now();
  // The same SQL functions that decide an order.
  const [row] = await prisma().$queryRaw<Row[]>`
    SELECT wallets_withdrawable(${accountId}) AS withdrawable, ledger_available(${accountId}) AS available,
      wallets_withdrawn_in_a_day(${accountId}, ${at}::timestamptz) AS "accountDay",
      (wallets_paid_in_a_day(${at}::timestamptz) + (SELECT coalesce(sum(q.amount), 0) FROM wallets_queue() q))::bigint AS "serviceDay"`;
  if (!row) throw new Error("The database returned no allowance.");
  const { WITHDRAWAL_DAILY_LIMIT_USD, WITHDRAWAL_SERVICE_DAILY_LIMIT_USD, WITHDRAWAL_APPROVAL_ABOVE_USD } = config();
  return {
    withdrawable: nanoUsd(row.withdrawable),
    unfinal: nanoUsd(row.available - row.withdrawable),
    leftOfDay: left(WITHDRAWAL_DAILY_LIMIT_USD, row.accountDay),
    leftOfOwn: own.dailyLimit === null ? null : left(own.dailyLimit, row.accountDay),
    waitSeconds: own.waitSeconds,
    leftOnChain,
    mostOfService: WITHDRAWAL_SERVICE_DAILY_LIMIT_USD,
    leftOfService: left(WITHDRAWAL_SERVICE_DAILY_LIMIT_USD, row.serviceDay),
    leftWithoutApproval: left(WITHDRAWAL_APPROVAL_ABOVE_USD, row.accountDay),
    leftOpen: Math.max(0, MAX_OPEN - open),
  };
}

/** How many withdrawals of the account are neither paid nor given up. */
export const countOpenWithdrawals = (accountId: AccountId, database: Database = prisma()): Promise<number> =>
  database.withdrawal.count({ where: { accountId, endedAt: null } });

const left = (limit: NanoUsd, used: bigint): NanoUsd => nanoUsd(limit > used ? limit - used : 0n);

export interface PayableWallet extends Wallet {
  linkedAt: Date;
  /** From when withdrawals may go to it; null: now. */
  payableFrom: Date | null;
  /** False: its owner's own rules leave it out. */
  isAllowed: boolean;
}

/** The account's wallets, the oldest first, without those that are leaving. */
export async function listPayableWallets(accountId: AccountId): Promise<PayableWallet[]> {
  const at = now();
  const { allows } = await readHeldRules(accountId);
  const staying = (await listIdentities(accountId)).filter(({ leavesAt }) => leavesAt === null);
  return staying.map(({ wallet, linkedAt, isFirst }) => {
    const from = new Date(linkedAt.getTime() + LINKED_SECONDS * 1_000);
    return { ...wallet, linkedAt, payableFrom: isFirst || from <= at ? null : from, isAllowed: allows(wallet) };
  });
}
