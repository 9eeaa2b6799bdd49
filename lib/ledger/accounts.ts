// Ledger accounts: what is owed to whom. A customer's account has the id of its owner's account.

import type { PoolClient } from "pg";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";

type Queryable = Pick<PoolClient, "query">;

/** What an account has, in nano-USD: `available` = `posted` − `held`, less what it owes back of a reversed deposit. */
export interface Balance {
  posted: NanoUsd;
  held: NanoUsd;
  available: NanoUsd;
}

/** Opens the ledger account of a customer; opening it twice changes nothing. */
export async function openCustomerAccount(accountId: AccountId, client: Queryable = pool()): Promise<void> {
  await client.query("SELECT ledger_open_account($1, 'customer', $2)", [accountId, now()]);
}

/** Opens an account that money comes from, such as a chain or the sandbox's faucet; it goes negative by what came in. */
export async function openFundingAccount(name: string, client: Queryable = pool()): Promise<void> {
  await client.query("SELECT ledger_open_account($1, 'funding', $2)", [name, now()]);
}

/** Opens an account of money that came in and is no customer's yet, such as deposits below the minimum. */
export async function openLiabilityAccount(name: string, client: Queryable = pool()): Promise<void> {
  await client.query("SELECT ledger_open_account($1, 'liability', $2)", [name, now()]);
}

/** Opens an account of what the operator bears; it goes negative by what was lost. */
export async function openLossAccount(name: string, client: Queryable = pool()): Promise<void> {
  await client.query("SELECT ledger_open_account($1, 'operator_loss', $2)", [name, now()]);
}

/** @throws Error when there is no such account: accounts are opened with their owner */
export async function readBalance(accountId: AccountId): Promise<Balance> {
  const { rows } = await pool().query<{ posted: bigint; held: bigint; available: bigint }>({
    name: "ledger_read_balance",
    text: "SELECT posted, held, greatest(posted - held - debt, 0) AS available FROM ledger_account WHERE id = $1",
    values: [accountId],
  });
  const [row] = rows;
  if (!row) throw new Error(`account ${accountId} has no ledger account`);
  return { posted: nanoUsd(row.posted), held: nanoUsd(row.held), available: nanoUsd(row.available) };
}
