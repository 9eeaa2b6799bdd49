// For tests: deposits as a watcher records them, without a chain.

import { randomBytes } from "node:crypto";
import type { ChainId } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openFundingAccount, openLiabilityAccount, openLossAccount } from "@/lib/ledger/accounts";
import { creditDeposits, reverseMissing } from "../credit";
import { type Lease, takeLease, underLease } from "../lease";
import { type FoundDeposit, recordDeposits } from "../record-deposits";
import { recordHead as record } from "../scan";

interface Head {
  latest: number;
  safe: number;
  final: number;
}

/** Opens a chain's ledger accounts and its scan. */
export async function openScan(chain: ChainId, { latest, safe, final }: Head): Promise<void> {
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
  chain?: ChainId;
}

/** Records a deposit seen in its block; resolves with its id. */
export async function addDeposit({ accountId, usd, block, chain = "base" }: Arrival): Promise<string> {
  const transaction = `0x${randomBytes(32).toString("hex")}`;
  const id = `${chain}_${transaction}`;
  const found = { id, accountId, address: `address of ${accountId}`, amount: parseUsd(usd) };
  await addFound([{ ...found, block, blockHash: `0x${block}`, transaction, index: 0 }], chain);
  return id;
}

/** Records deposits like a watcher. */
export async function addFound(found: readonly FoundDeposit[], chain: ChainId = "base"): Promise<void> {
  await underLease(await leaseOn(chain), (transaction) => recordDeposits(chain, found, transaction));
}

/** Records a chain's new head, which updates confirming and final deposits. */
export async function recordHead({ latest, safe, final }: Head, chain: ChainId = "base"): Promise<void> {
  await underLease(await leaseOn(chain), (transaction) => record(chain, { latest, safe, finalized: final }, 0, transaction));
}

/** Credits these deposits, or keeps them below the minimum. */
export async function credit(ids: readonly string[], chain: ChainId = "base"): Promise<void> {
  await creditDeposits(await leaseOn(chain), ids);
}

/** Reverses this deposit as if its block had left the chain for good. */
export async function reverse(id: string, chain: ChainId = "base"): Promise<void> {
  await pool().query("UPDATE deposit SET missing_since = $2, finalized = false WHERE id = $1", [id, now()]);
  await reverseMissing(await leaseOn(chain), 1_000_000_000);
}

/** Takes the lease for the test itself. */
export async function leaseOn(chain: ChainId): Promise<Lease> {
  const lease = await takeLease({ chain, holder: "a test", seconds: 60 });
  if (!lease) throw new Error(`A watcher of ${chain} is at work.`);
  return lease;
}
