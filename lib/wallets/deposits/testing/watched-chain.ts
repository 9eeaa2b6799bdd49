// For tests: a real EVM chain, accounts with watched addresses on it, and the watcher.

import type { Hex } from "viem";
import { expect } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { newAddress, startUsdcChain, type UsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { pool } from "@/lib/db/pool";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { openAccounts } from "../../custody/testing/accounts";
import { type BaseWatcherOptions, createBaseWatcher } from "../base-watcher";
import { checkDeposits } from "../check";
import { listDeposits } from "../deposit";
import type { WatchReport } from "../watcher";

export interface Customer {
  account: AccountId;
  address: Hex;
}

/** Blocks until a block is safe; twice as many until it is final. */
export const TO_SAFE = 3;
export const ONE_USDC = 1_000_000n;

/** A chain that mines only on request. The caller stops it. */
export async function startWatchedChain() {
  const chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  const startBlock = await chain.blockNumber();
  await chain.mine(2 * TO_SAFE); // before that, the first block is the safe one
  const restoreClock = setClock(() => latestMs);
  let latestMs = Date.now();
  const readClock = async () => {
    // Blocks mined in a row may share a second or lie in the future; this keeps two rounds from having the same time.
    const latest = await findBlock("latest", chain.nodes);
    latestMs = Math.max(latestMs + 1, (latest?.timestampS ?? 0) * 1_000);
  };
  const watcher = (options: Partial<BaseWatcherOptions> = {}) => {
    const made = createBaseWatcher({ nodes: chain.nodes, startBlock, ...options });
    const tick = async (): Promise<WatchReport> => {
      await readClock();
      return made.tick();
    };
    return { ...made, tick };
  };
  const stop = async () => {
    restoreClock();
    await chain.stop();
  };
  return { ...chain, startBlock, readClock, clockMs: () => latestMs, watcher, stop };
}

export type WatchedChain = Awaited<ReturnType<typeof startWatchedChain>>;

/** Customers with one address each, stored as if the signer had created them. */
export async function openCustomers(count: number): Promise<Customer[]> {
  const customers = (await openAccounts(count)).map((account) => ({ account, address: newAddress() }));
  const { rows } = await pool().query<{ next: number }>("SELECT coalesce(max(derivation_index), -1) + 1 AS next FROM custodial_wallet");
  const first = rows[0]?.next ?? 0;
  await pool().query(
    `INSERT INTO custodial_wallet (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at, shown_at)
     SELECT c.account, $1 + c.ord - 1, c.address, 'owner of ' || c.address, 'tokens of ' || c.address, '\\x', now(), now()
     FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS c(account, address, ord)`,
    [first, customers.map(({ account }) => account), customers.map(({ address }) => address)],
  );
  return customers;
}

export async function openCustomer(): Promise<Customer> {
  const [customer] = await openCustomers(1);
  if (!customer) throw new Error("one customer was asked for");
  return customer;
}

export const statesOf = async ({ account }: Customer) => (await listDeposits(account, { limit: 100 })).map(({ state }) => state);

/** In nano-USD. */
export const postedOf = async ({ account }: Customer): Promise<bigint> => (await readBalance(account)).posted;

async function postedAt(account: string): Promise<bigint> {
  const { rows } = await pool().query<{ posted: bigint }>("SELECT posted FROM ledger_account WHERE id = $1", [account]);
  return rows[0]?.posted ?? 0n;
}

/**
 * Expects clean books, and that the booked deposits equal the addresses' balances exactly. All deposits must be safe, and no transfers
 * between the addresses may have happened.
 */
export async function expectAllAccountedFor({ nodes, usdc }: Pick<UsdcChain, "usdc"> & { nodes: EvmNodes }): Promise<void> {
  expect(await checkLedger()).toEqual([]);
  expect(await checkDeposits()).toEqual([]);
  const { rows } = await pool().query<{ address: Hex }>("SELECT base_address AS address FROM custodial_wallet");
  const { rows: twice } = await pool().query(
    "SELECT id FROM transfer WHERE kind = 'credit' AND id NOT LIKE 'small%' AND id NOT LIKE 'base%'",
  );
  expect(twice).toEqual([]);
  const latest = await findBlock("latest", nodes);
  const accounts = rows.map(({ address }) => address);
  const balances = await readBalances({ token: usdc, accounts, blockHash: latest?.hash ?? "0x" }, nodes);
  expect(-(await postedAt("base_chain"))).toBe(balances.reduce((sum, units) => sum + units, 0n) * 1_000n);
  const { rows: kept } = await pool().query<{ sum: bigint }>(
    "SELECT coalesce(sum(amount), 0)::bigint AS sum FROM deposit WHERE state = 'below_minimum'",
  );
  expect(await postedAt("uncredited_deposits")).toBe(kept[0]?.sum);
}
