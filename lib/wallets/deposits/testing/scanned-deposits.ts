// Deposits as a watcher writes them, without a chain: for tests of what is made of them.

import { randomBytes } from "node:crypto";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openFundingAccount, openLiabilityAccount, openLossAccount } from "@/lib/ledger/accounts";
import { type DepositChain, MINIMUM_DEPOSIT } from "../deposit";

interface Head {
  latest: number;
  safe: number;
  final: number;
}

/** Opens a chain's books and its scan. */
export async function openScan(chain: DepositChain, { latest, safe, final }: Head): Promise<void> {
  await openFundingAccount(`${chain}_chain`);
  await openLiabilityAccount("uncredited_deposits");
  await openLossAccount("deposit_losses");
  await pool().query(
    `INSERT INTO chain_scan (chain, block, block_hash, latest, safe, finalized, checked_block, foreign_block)
     VALUES ($1, $2, '0x', $2, $3, $4, $2, $2) ON CONFLICT (chain) DO NOTHING`,
    [chain, latest, safe, final],
  );
}

interface Arrival {
  accountId: AccountId;
  usd: string;
  block: number;
  chain?: DepositChain;
}

/** Writes a deposit that is seen in its block; resolves with its id. */
export async function addDeposit({ accountId, usd, block, chain = "base" }: Arrival): Promise<string> {
  const transaction = `0x${randomBytes(32).toString("hex")}`;
  const id = `${chain}_${transaction}`;
  const address = `address of ${accountId}`;
  const amount = parseUsd(usd).toString();
  const found = [{ id, accountId, address, amount, block, blockHash: `0x${block}`, transaction, place: 0 }];
  await pool().query("SELECT wallets_add_deposits($1, $2, $3)", [chain, JSON.stringify(found), now()]);
  return id;
}

/** Writes a chain's new head down: what follows on it is confirming, what is final is said to be. */
export async function noteHead({ latest, safe, final }: Head, chain: DepositChain = "base"): Promise<void> {
  await pool().query("SELECT wallets_note_head($1, $2, $3, $4, 0)", [chain, latest, safe, final]);
}

/** Credits these deposits, or keeps them below the minimum. */
export async function credit(ids: readonly string[], chain: DepositChain = "base"): Promise<void> {
  await pool().query("SELECT wallets_credit_deposits($1, $2, $3, $4)", [chain, ids, MINIMUM_DEPOSIT, now()]);
}

/** The chain dropped the block of this deposit for good. */
export async function reverse(id: string, chain: DepositChain = "base"): Promise<void> {
  await pool().query("UPDATE deposit SET missing_since = $2, finalized = false WHERE id = $1", [id, now()]);
  await pool().query("SELECT wallets_reverse_missing($1, 1000000000, $2)", [chain, now()]);
}
