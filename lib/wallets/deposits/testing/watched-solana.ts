// For tests: a real Solana chain, accounts with watched addresses on it, and the watcher.

import { createTransferInstruction, getAssociatedTokenAddressSync } from "@solana/spl-token";
import { Keypair, PublicKey, sendAndConfirmTransaction, Transaction } from "@solana/web3.js";
import { expect, vi } from "vitest";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { readSolanaHead } from "@/lib/chains/solana/finality";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances, USDC_MINT } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { startTestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { openAccounts } from "../../custody/testing/accounts";
import { checkDeposits } from "../check";
import { listDeposits } from "../deposit";
import { createSolanaWatcher, type SolanaWatcherOptions } from "../solana-watcher";

export interface SolanaCustomer {
  account: AccountId;
  /** The address' key; in the product only the signer has it. */
  wallet: Keypair;
  /** The address that people send to. */
  owner: string;
  tokenAccount: string;
}

export const ONE_USDC = 1_000_000n;
export const mint = new PublicKey(USDC_MINT);

/** A chain with fast slots: a transaction is final after four. The caller stops it. */
export async function startWatchedSolana(slotMs = 100) {
  const chain = await startTestSolanaChain({ slotMs, finalityLagSlots: 4 });
  const nodesAt = (urls: readonly string[], timeoutMs?: number) => new SolanaNodes({ urls, genesisHash: chain.genesisHash, timeoutMs });
  const nodes = nodesAt([chain.url]);
  // A new connection each time: it caches a blockhash for longer than the fast slots keep it valid.
  const { connect } = chain;
  await pool().query(
    `INSERT INTO custody (fingerprint, xpub, usdc_mint, treasury_base, treasury_solana, relayer_base, sponsor_solana, created_at)
     VALUES ('test', 'test', $1, '', '', '', '', $2) ON CONFLICT DO NOTHING`,
    [USDC_MINT, now()],
  );
  /** Resolves when everything sent so far is final. */
  const finalize = async () => {
    const sent = await connect().getSlot("processed");
    await vi.waitUntil(async () => (await readSolanaHead(nodes)).finalized >= sent, { timeout: 60_000, interval: slotMs });
  };
  const watcher = (options: SolanaWatcherOptions = {}) => createSolanaWatcher({ nodes, ...options });
  /** Sends USDC out of a customer's address, like a sweep. */
  const sweep = async ({ wallet, tokenAccount }: SolanaCustomer, units: bigint) => {
    await chain.airdrop(wallet.publicKey.toBase58(), 1_000_000_000n);
    const treasury = getAssociatedTokenAddressSync(mint, new PublicKey(chain.faucetAddress));
    await chain.faucet(chain.faucetAddress, 1n);
    const transaction = new Transaction().add(createTransferInstruction(new PublicKey(tokenAccount), treasury, wallet.publicKey, units));
    return sendAndConfirmTransaction(connect(), transaction, [wallet], { commitment: "confirmed" });
  };
  return { ...chain, nodes, nodesAt, finalize, watcher, sweep };
}

export type WatchedSolana = Awaited<ReturnType<typeof startWatchedSolana>>;

/** Customers with one address each, stored as if the signer had created them. */
export async function openCustomers(count: number): Promise<SolanaCustomer[]> {
  const customers = (await openAccounts(count)).map((account) => {
    const wallet = Keypair.generate();
    const owner = wallet.publicKey.toBase58();
    return { account, wallet, owner, tokenAccount: deriveTokenAccount(owner, USDC_MINT) };
  });
  const { rows } = await pool().query<{ next: number }>("SELECT coalesce(max(derivation_index), -1) + 1 AS next FROM custodial_wallet");
  await pool().query(
    `INSERT INTO custodial_wallet (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at, shown_at)
     SELECT c.account, $1 + c.ord - 1, 'base of ' || c.owner, c.owner, c.tokens, '\\x', $5, $5
     FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS c(account, owner, tokens, ord)`,
    [
      rows[0]?.next ?? 0,
      customers.map(({ account }) => account),
      customers.map(({ owner }) => owner),
      customers.map(({ tokenAccount }) => tokenAccount),
      now(),
    ],
  );
  return customers;
}

export async function openCustomer(): Promise<SolanaCustomer> {
  const [customer] = await openCustomers(1);
  if (!customer) throw new Error("one customer was asked for");
  return customer;
}

export const depositsOf = ({ account }: SolanaCustomer) => listDeposits(account, { limit: 100 });

export const statesOf = async (customer: SolanaCustomer) => (await depositsOf(customer)).map(({ state }) => state);

/** In nano-USD. */
export const postedOf = async ({ account }: SolanaCustomer): Promise<bigint> => (await readBalance(account)).posted;

async function postedAt(account: string): Promise<bigint> {
  const { rows } = await pool().query<{ posted: bigint }>("SELECT posted FROM ledger_account WHERE id = $1", [account]);
  return rows[0]?.posted ?? 0n;
}

/**
 * Expects clean books, and that the booked deposits equal the addresses' balances plus `sweptUnits` exactly. All deposits must be final and
 * read.
 */
export async function expectAllAccountedFor({ nodes }: Pick<WatchedSolana, "nodes">, sweptUnits = 0n): Promise<void> {
  expect(await checkLedger()).toEqual([]);
  expect(await checkDeposits()).toEqual([]);
  const { rows } = await pool().query<{ address: string }>("SELECT solana_token_account AS address FROM custodial_wallet");
  const balances = await readTokenBalances(
    nodes,
    rows.map(({ address }) => address),
  );
  const lying = [...balances.values()].reduce((sum, { value }) => sum + (value ?? 0n), 0n);
  expect(-(await postedAt("solana_chain"))).toBe((lying + sweptUnits) * 1_000n);
  const { rows: kept } = await pool().query<{ sum: bigint }>(
    "SELECT coalesce(sum(amount), 0)::bigint AS sum FROM deposit WHERE state = 'below_minimum'",
  );
  expect(await postedAt("uncredited_deposits")).toBe(kept[0]?.sum ?? 0n);
}
