// For tests: a real EVM chain, customers with deposits at addresses of a real seed, the watcher, the relay and the sweeps.

import type { Hex } from "viem";
import { expect } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import type { ChainId } from "@/lib/base/chains";
import { setClock } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { usdcAbi } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openCustomerAccount } from "@/lib/ledger/accounts";
import { runRelay } from "@/lib/relay/run";
import { fillAddressPool } from "../../custody/address-pool";
import { findWallet, openWallet } from "../../custody/custodial-wallet";
import { signer } from "../../custody/signer";
import { startTestCustody, withSettings } from "../../custody/testing/seeds";
import { startWatchedChain, TO_SAFE, type WatchedChain } from "../../deposits/testing/watched-chain";
import { planFor } from "../plan";
import { runSweepsOn } from "../run";
import { readUnitsUnderWay } from "../sweep";

export interface Customer {
  account: AccountId;
  index: number;
  /** On Base. */
  address: Hex;
  /** On Solana. */
  owner: string;
}

/** Customers whose addresses are the signer's. */
export async function openCustomers(count: number): Promise<Customer[]> {
  withSettings({ ADDRESS_POOL_SIZE: String(count) });
  // A run creates as many as its time allows.
  while (((await pool().query("SELECT 1 FROM address_pool")).rowCount ?? 0) < count) await fillAddressPool();
  const customers = await inTransaction(async (transaction) => {
    const opened: Customer[] = [];
    while (opened.length < count) {
      const account = await createAccount(undefined, transaction);
      await openCustomerAccount(account, transaction);
      const { index, baseAddress, solanaAddress } = await openWallet(account, transaction);
      opened.push({ account, index, address: baseAddress as Hex, owner: solanaAddress });
    }
    return opened;
  });
  for (const { account } of customers) await findWallet(account); // shows the addresses, which are watched from now on
  return customers;
}

export async function openCustomer(): Promise<Customer> {
  const [customer] = await openCustomers(1);
  if (!customer) throw new Error("one customer was asked for");
  return customer;
}

export interface StoredSweep {
  id: string;
  address: string;
  units: bigint;
  state: string;
  attempt: number;
  reason: string | null;
}

/** All sweeps ever planned for these addresses, oldest first. */
export async function sweepsOf(...addresses: string[]): Promise<StoredSweep[]> {
  const { rows } = await pool().query<StoredSweep>(
    "SELECT id, address, units, state, attempt, reason FROM sweep WHERE address = ANY ($1) ORDER BY id",
    [addresses],
  );
  return rows;
}

/** Makes all waiting sweeps due. */
export const letWaitsEnd = (chain: ChainId) =>
  pool().query("UPDATE sweep SET try_at = planned_at WHERE chain = $1 AND state = 'planned'", [chain]);

/** A chain that mines a block per transaction, and others only on request. The caller stops it. */
export async function startSweptChain() {
  const chain = await startWatchedChain();
  const custody = await startTestCustody();
  await chain.fundGas(custody.relayer.address);
  let latestMs = chain.clockMs();
  const restoreClock = setClock(() => latestMs);
  const readClock = async () => {
    await chain.readClock();
    latestMs = Math.max(latestMs + 1, chain.clockMs());
  };
  /** Advances the clock and the chain's time. */
  const passTime = async (seconds: number) => {
    await chain.client.increaseTime({ seconds });
    await chain.mine(1);
    await readClock();
  };
  const stop = async () => {
    restoreClock();
    await chain.stop();
  };
  const clock = { readClock, clockMs: () => latestMs, passTime };
  return { ...chain, custody, ...clock, ...readsOf(chain), ...roundsOf(chain, readClock), stop };
}

export type SweptChain = Awaited<ReturnType<typeof startSweptChain>>;

function readsOf(chain: WatchedChain) {
  const balances = async (accounts: readonly Hex[]): Promise<bigint[]> => {
    const latest = await findBlock("latest", chain.nodes);
    return readBalances({ token: chain.usdc, accounts, blockHash: latest?.hash ?? "0x" }, chain.nodes);
  };
  /** How often the chain carried out an authorization of this address. */
  const carriedOut = async (address: Hex): Promise<number> => {
    const args = { authorizer: address };
    const query = { address: chain.usdc, abi: usdcAbi, eventName: "AuthorizationUsed", args, fromBlock: 0n } as const;
    return (await chain.client.getContractEvents(query)).length;
  };
  const treasuryBalance = async (): Promise<bigint> => (await balances([signer().treasury.base]))[0] ?? 0n;
  return { balances, carriedOut, treasuryBalance };
}

function roundsOf(chain: WatchedChain, readClock: () => Promise<void>) {
  const nodes = { evm: chain.nodes };
  /** Makes all deposits so far final and seen by the watcher. */
  const finalize = async () => {
    await chain.mine(2 * TO_SAFE);
    await readClock();
    expect(await chain.watcher().tick()).toMatchObject({ outcome: "read", headLag: 0 });
    await pool().query("UPDATE watch_lease SET until = clock_timestamp()");
  };
  const payIn = async (payments: readonly (readonly [Customer, bigint])[]) => {
    for (const [{ address }, units] of payments) await chain.mint(address, units);
    await finalize();
  };
  const relay = async () => {
    await readClock();
    await runRelay({ ...nodes, resendAfterMs: 0 });
  };
  const sweep = async () => {
    await readClock();
    await runSweepsOn("base", nodes);
  };
  /** Plans sweeps for withdrawals' needs; resolves with the total in progress. */
  const planForNeed = async (units: bigint): Promise<bigint> => {
    await readClock();
    await planFor("base", units, nodes);
    return readUnitsUnderWay("base");
  };
  /** Runs rounds and mines blocks until no sweep is in progress. */
  const finish = async () => {
    for (let round = 0; round < 12; round++) {
      await sweep();
      await relay();
      await chain.mine(2 * TO_SAFE);
      await relay();
      await sweep();
      const { rowCount } = await pool().query("SELECT 1 FROM sweep WHERE chain = 'base' AND state IN ('planned', 'relayed')");
      if (rowCount === 0) return;
    }
    throw new Error("sweeps do not come to an end");
  };
  return { finalize, payIn, relay, sweep, planFor: planForNeed, finish };
}
