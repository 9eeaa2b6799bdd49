// Credits: what payers have paid beyond their requests' cost. Each is a customer's account of the ledger, named by the payer's address,
// until the payer signs in and moves it to an account.

import { randomUUID } from "node:crypto";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { Wallet } from "@/lib/chains/wallet";
import { type Database, prisma, type Transaction } from "@/lib/db/prisma";
import { networkOf } from "./networks";

/** The ledger's account of a payer's credit. `payer` in its stored spelling. */
export const creditAccountOf = (network: string, payer: string): AccountId => `credit:${network}:${payer}` as AccountId;

/** What can be spent of it now. */
export async function readCredit(network: string, payer: string, database: Database = prisma()): Promise<NanoUsd> {
  // The ledger's own figure, which is zero for an account that was never opened.
  const [row] = await database.$queryRaw<{ available: bigint }[]>`SELECT ledger_available(${creditAccountOf(network, payer)}) AS available`;
  return nanoUsd(row?.available ?? 0n);
}

/**
 * Moves what is available of a wallet's credit to the account, in the transaction in which the wallet signed in or was linked, or in
 * which it was found to be the account's.
 * @returns what was moved
 * @throws Error when the wallet is not the account's
 */
export async function claimCredit(accountId: AccountId, wallet: Wallet, transaction: Transaction): Promise<NanoUsd> {
  const { rows } = await transaction.query<{ moved: bigint }>("SELECT payments_claim_credit($1, $2, $3, $4, $5, $6) AS moved", [
    ...[accountId, networkOf(wallet.chain), wallet.chain, wallet.address, `credit_claim_${randomUUID()}`, now()],
  ]);
  return nanoUsd(rows[0]?.moved ?? 0n);
}
