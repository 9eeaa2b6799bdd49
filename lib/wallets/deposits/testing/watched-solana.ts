// A real Solana chain, accounts whose addresses on it are watched, and the watcher, for tests.

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
  /** Holds the address; the product itself has no key but the signer's. */
  wallet: Keypair;
  /** Where people send to. */
  owner: string;
  tokenAccount: string;
}

export const ONE_USDC = 1_000_000n;
export const mint = new PublicKey(USDC_MINT);

/** A chain with quick slots: what is sent is final after four of them. The caller stops it. */
export async function startWatchedSolana(slotMs = 100) {
  const chain = await startTestSolanaChain({ slotMs, finalityLagSlots: 4 });
  const nodesAt = (urls: readonly string[], timeoutMs?: number) => new SolanaNodes({ urls, genesisHash: chain.genesisHash, timeoutMs });
  const nodes = nodesAt([chain.url]);
  // A new connection each time: it keeps a blockhash for longer than the quick slots let it live.
  const { connect } = chain;
  await pool().query(
    `INSERT INTO custody (fingerprint, xpub, usdc_mint, treasury_base, treasury_solana, relayer_base, sponsor_solana, created_at)
     VALUES ('test', 'test', $1, '', '', '', '', $2) ON CONFLICT DO NOTHING`,
    [USDC_MINT, now()],
  );
  /** Resolves when all that was sent until now is final. */
  const finalize = async () => {
    const sent = await connect().getSlot("processed");
    await vi.waitUntil(async () => (await readSolanaHead(nodes)).finalized >= sent, { timeout: 60_000, interval: slotMs });
  };
  const watcher = (options: SolanaWatcherOptions = {}) => createSolanaWatcher({ nodes, ...options });
  /** Sends USDC out of a customer's address, as a sweep does, without anything coming in. */
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

/** Customers with an address each, written as if the signer had made them. */
export async function openCustomers(count: number): Promise<SolanaCustomer[]> {
  const customers = (await openAccounts(count)).map((account) => {
    const wallet = Keypair.generate();
    const owner = wallet.publicKey.toBase58();
    return { account, wallet, owner, tokenAccount: deriveTokenAccount(owner, USDC_MINT) };
  });
  const { rows } = await pool().query<{ next: number }>("SELECT coalesce(max(derivation_index), -1) + 1 AS next FROM custodial_wallet");
  await pool().query(
    `INSERT INTO custodial_wallet (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at)
     SELECT c.account, $1 + c.ord - 1, 'base of ' || c.owner, c.owner, c.tokens, '\\x', $5
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
 * The books are clean, and what they say came in over the chain is what lies at the addresses on it, to the unit, and `sweptUnits`
 * that have left them. Everything that came in must be final by then and read.
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
