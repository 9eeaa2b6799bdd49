// Credits: money that payers paid beyond their requests' cost. Each is a customer's account of the ledger, named by the payer's address,
// until the payer signs in and moves it to an account.

import { randomUUID } from "node:crypto";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { Wallet } from "@/lib/chains/wallet";
import { type Database, prisma } from "@/lib/db/prisma";
import { networkOf } from "./networks";

/** The ledger account of a payer's credit. `payer` is in its stored spelling. */
export const creditAccountOf = (network: string, payer: string): AccountId => `credit:${network}:${payer}` as AccountId;

/** The part that can be spent now. */
export async function readCredit(network: string, payer: string, database: Database = prisma()): Promise<NanoUsd> {
  // The ledger's own figure, which is zero for an account that was never opened.
  const [row] = await database.$queryRaw<{ available: bigint }[]>`SELECT ledger_available(${creditAccountOf(network, payer)}) AS available`;
  return nanoUsd(row?.available ?? 0n);
}

/**
 * Moves the available part of a wallet's credit to the account, in its own commit: call it after the commit that gave the wallet to the
 * account. Each sign-in repeats it.
 * @returns the amount that was moved
 * @throws Error when the wallet is not the account's
 */
export async function claimCredit(accountId: AccountId, { chain, address }: Wallet): Promise<NanoUsd> {
  const transfer = `credit_claim_${randomUUID()}`;
  const [row] = await prisma().$queryRaw<{ moved: bigint }[]>`
    SELECT payments_claim_credit(${accountId}, ${networkOf(chain)}, ${chain}, ${address}, ${transfer}, ${now()}) AS moved`;
  return nanoUsd(row?.moved ?? 0n);
}
