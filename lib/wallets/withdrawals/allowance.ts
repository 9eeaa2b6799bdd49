// How much an account can take out now, and to which of its wallets.

import { listIdentities } from "@/lib/access/identities";
import { now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { Wallet } from "@/lib/chains/wallet";
import { prisma } from "@/lib/db/prisma";
import { type ChainFunds, readChainFunds } from "./chain-funds";
import { LINKED_SECONDS, MAX_OPEN } from "./rules";

export interface Allowance {
  /** What could leave, fee included: what is available, less what came in and is not final yet. */
  withdrawable: NanoUsd;
  /** What came in and is not final yet. */
  unfinal: NanoUsd;
  /** What is left of the account's limit of 24 hours, and of the service's. */
  leftOfDay: NanoUsd;
  leftOfService: NanoUsd;
  /** What can leave on each chain, as far as that is known: the fee stays here. */
  leftOnChain: ChainFunds;
  /** An amount above this waits for the operator. */
  leftWithoutApproval: NanoUsd;
  /** How many more may be open at once. */
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
  const open = await prisma().withdrawal.count({ where: { accountId, endedAt: null } });
  const at = now();
  // The very functions by which an order is decided.
  const [row] = await prisma().$queryRaw<Row[]>`
    SELECT wallets_withdrawable(${accountId}) AS withdrawable, ledger_available(${accountId}) AS available,
      wallets_withdrawn_in_a_day(${accountId}, ${at}::timestamptz) AS "accountDay",
      wallets_withdrawn_in_a_day(NULL, ${at}::timestamptz) AS "serviceDay"`;
  if (!row) throw new Error("The database told no allowance.");
  const { WITHDRAWAL_DAILY_LIMIT_USD, WITHDRAWAL_SERVICE_DAILY_LIMIT_USD, WITHDRAWAL_APPROVAL_ABOVE_USD } = config();
  return {
    withdrawable: nanoUsd(row.withdrawable),
    unfinal: nanoUsd(row.available - row.withdrawable),
    leftOfDay: left(WITHDRAWAL_DAILY_LIMIT_USD, row.accountDay),
    leftOnChain,
    leftOfService: left(WITHDRAWAL_SERVICE_DAILY_LIMIT_USD, row.serviceDay),
    leftWithoutApproval: left(WITHDRAWAL_APPROVAL_ABOVE_USD, row.accountDay),
    leftOpen: Math.max(0, MAX_OPEN - open),
  };
}

const left = (limit: NanoUsd, used: bigint): NanoUsd => nanoUsd(limit > used ? limit - used : 0n);

export interface PayableWallet extends Wallet {
  linkedAt: Date;
  /** From when money may go to it; null: now. */
  payableFrom: Date | null;
}

/** The account's wallets, the oldest first. */
export async function listPayableWallets(accountId: AccountId): Promise<PayableWallet[]> {
  const at = now();
  return (await listIdentities(accountId)).map(({ wallet, linkedAt, isFirst }) => {
    const from = new Date(linkedAt.getTime() + LINKED_SECONDS * 1_000);
    return { ...wallet, linkedAt, payableFrom: isFirst || from <= at ? null : from };
  });
}
