// A real Solana chain with customers who paid in at addresses of a real seed, the watcher, the relay and the sweeps, for tests.

import { freezeAccount, thawAccount } from "@solana/spl-token";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { expect } from "vitest";
import { readSolanaHead } from "@/lib/chains/solana/finality";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { runRelay } from "@/lib/relay/run";
import { startTestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { createSolanaWatcher } from "../../deposits/solana-watcher";
import { startTestCustody } from "../../testing/seeds";
import { deriveTokenAccount } from "../../token-account";
import { runSweepsOn } from "../run";
import { type Customer, letWaitsEnd } from "./swept-chain";

/** A chain with quick slots, and a treasury without any SOL. The caller stops it. */
export async function startSweptSolana() {
  const custody = await startTestCustody();
  const { usdcMint: mint } = custody;
  const chain = await startTestSolanaChain({ usdcMint: mint, slotMs: 50 });
  const nodesAt = (url: string) => new SolanaNodes({ urls: [url], genesisHash: chain.genesisHash });
  const nodes = nodesAt(chain.url);
  const connection = new Connection(chain.url, "confirmed");
  const issuer = Keypair.fromSecretKey(chain.faucetSecretKey);
  const treasury = custody.treasury.solana;

  /** Resolves when all that was sent until now is final. */
  const finalize = async () => {
    const sent = await connection.getSlot("processed");
    while ((await readSolanaHead(nodes)).finalized <= sent);
  };
  const watch = async () => {
    const watcher = createSolanaWatcher({ nodes });
    expect(await watcher.tick()).toMatchObject({ outcome: "read" });
    await watcher.release();
  };
  const countFinal = async (): Promise<number> =>
    (await pool().query("SELECT 1 FROM deposit WHERE chain = 'solana' AND finalized")).rowCount ?? 0;
  const payIn = async (payments: readonly (readonly [Customer, bigint])[]) => {
    const before = await countFinal();
    for (const [{ owner }, units] of payments) await chain.faucet(owner, units);
    await finalize();
    await expect.poll(() => watch().then(countFinal), { timeout: 20_000, interval: 50 }).toBe(before + payments.length);
  };
  const balances = async (owners: readonly string[]): Promise<bigint[]> => {
    await finalize();
    const accounts = owners.map((owner) => deriveTokenAccount(owner, mint));
    const found = await readTokenBalances(nodes, accounts);
    return accounts.map((account) => found.get(account)?.value ?? 0n);
  };
  const sweep = (through = nodes) => runSweepsOn("solana", { solana: through });
  const relay = (through = nodes) => runRelay({ solana: through, resendAfterMs: 0 });
  const countOpen = async (): Promise<number> =>
    (await pool().query("SELECT 1 FROM sweep WHERE chain = 'solana' AND state IN ('planned', 'relayed')")).rowCount ?? 0;
  /** Rounds of everything until no sweep is under way. */
  const finish = async () => {
    const round = async () => {
      await letWaitsEnd("solana");
      await sweep();
      await relay();
      return countOpen();
    };
    await expect.poll(round, { timeout: 30_000, interval: 50 }).toBe(0);
  };
  const accountOf = (owner: string) => new PublicKey(deriveTokenAccount(owner, mint));
  /** A connection remembers a blockhash for half a minute, in which these slots run out many times: each has one of its own. */
  const asIssuer = async (act: typeof freezeAccount | typeof thawAccount, owner: string) => {
    await act(new Connection(chain.url, "confirmed"), issuer, accountOf(owner), new PublicKey(mint), issuer);
    await finalize();
  };
  return {
    ...chain,
    custody,
    connection,
    nodesAt,
    finalize,
    watch,
    payIn,
    balances,
    treasuryBalance: async (): Promise<bigint> => (await balances([treasury]))[0] ?? 0n,
    sweep,
    relay,
    finish,
    freeze: (owner: string) => asIssuer(freezeAccount, owner),
    thaw: (owner: string) => asIssuer(thawAccount, owner),
    giveSol: async () => {
      await chain.airdrop(treasury, 10_000_000_000n);
      await finalize();
    },
  };
}

export type SweptSolana = Awaited<ReturnType<typeof startSweptSolana>>;
