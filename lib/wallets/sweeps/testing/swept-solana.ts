// For tests: a real Solana chain, customers with deposits at addresses of a real seed, the watcher, the relay and the sweeps.

import { freezeAccount, thawAccount } from "@solana/spl-token";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { expect, vi } from "vitest";
import { readSolanaHead } from "@/lib/chains/solana/finality";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { runRelay } from "@/lib/relay/run";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { startTestCustody } from "../../custody/testing/seeds";
import { createSolanaWatcher } from "../../deposits/solana-watcher";
import { runSweepsOn } from "../run";
import { type Customer, letWaitsEnd } from "./swept-chain";

/** A chain with fast slots, and a treasury without SOL. The caller stops it. */
export async function startSweptSolana() {
  const custody = await startTestCustody();
  const chain = await startTestSolanaChain({ usdcMint: custody.usdcMint, slotMs: 25, finalityLagSlots: 4 });
  const nodesAt = (url: string) => new SolanaNodes({ urls: [url], genesisHash: chain.genesisHash });
  const nodes = nodesAt(chain.url);
  const connection = new Connection(chain.url, "confirmed");
  const treasury = custody.treasury.solana;
  /** Resolves when everything sent so far is final. */
  const finalize = async () => {
    const sent = await connection.getSlot("processed");
    await vi.waitUntil(async () => (await readSolanaHead(nodes)).finalized > sent, { timeout: 30_000, interval: 25 });
  };
  const giveSol = async () => {
    await chain.airdrop(treasury, 10_000_000_000n);
    await finalize();
  };
  const balances = async (owners: readonly string[]): Promise<bigint[]> => {
    await finalize();
    const accounts = owners.map((owner) => deriveTokenAccount(owner, custody.usdcMint));
    const found = await readTokenBalances(nodes, accounts);
    return accounts.map((account) => found.get(account)?.value ?? 0n);
  };
  const treasuryBalance = async (): Promise<bigint> => (await balances([treasury]))[0] ?? 0n;
  const tools = { custody, connection, nodesAt, finalize, giveSol, balances, treasuryBalance };
  return { ...chain, ...tools, ...issuerOf(chain, custody.usdcMint, finalize), ...roundsOf(chain, nodes, finalize) };
}

export type SweptSolana = Awaited<ReturnType<typeof startSweptSolana>>;

function issuerOf({ url, faucetSecretKey }: TestSolanaChain, mint: string, finalize: () => Promise<void>) {
  const issuer = Keypair.fromSecretKey(faucetSecretKey);
  /**
   * Each call uses its own connection: a connection caches a blockhash for half a minute, in which it expires many times with these slots.
   */
  const act = async (change: typeof freezeAccount | typeof thawAccount, owner: string) => {
    const account = new PublicKey(deriveTokenAccount(owner, mint));
    await change(new Connection(url, "confirmed"), issuer, account, new PublicKey(mint), issuer);
    await finalize();
  };
  return { freeze: (owner: string) => act(freezeAccount, owner), thaw: (owner: string) => act(thawAccount, owner) };
}

function roundsOf(chain: TestSolanaChain, nodes: SolanaNodes, finalize: () => Promise<void>) {
  const watch = async () => {
    const watcher = createSolanaWatcher({ nodes });
    expect(await watcher.tick()).toMatchObject({ outcome: "read" });
    await watcher.release();
  };
  const count = async (sql: string): Promise<number> => (await pool().query(sql)).rowCount ?? 0;
  const countFinal = () => count("SELECT 1 FROM deposit WHERE chain = 'solana' AND finalized");
  /** Resolves when the deposits are final and seen by the watcher. */
  const payIn = async (payments: readonly (readonly [Customer, bigint])[]) => {
    const before = await countFinal();
    for (const [{ owner }, units] of payments) await chain.faucet(owner, units);
    await finalize();
    await expect.poll(() => watch().then(countFinal), { interval: 50 }).toBe(before + payments.length);
  };
  const sweep = (through = nodes) => runSweepsOn("solana", { solana: through });
  const relay = (through = nodes) => runRelay({ solana: through, resendAfterMs: 0 });
  /** Runs rounds until no sweep is in progress. */
  const finish = async () => {
    const round = async () => {
      await letWaitsEnd("solana");
      await sweep();
      await relay();
      return count("SELECT 1 FROM sweep WHERE chain = 'solana' AND state IN ('planned', 'relayed')");
    };
    await expect.poll(round, { timeout: 30_000, interval: 50 }).toBe(0);
  };
  return { watch, payIn, sweep, relay, finish };
}
