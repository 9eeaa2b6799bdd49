// For tests: the Solana chain as a real child process, built on demand.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getAssociatedTokenAddressSync } from "@solana/spl-token";
import { Connection, Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js";
import { vi } from "vitest";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { bundleProgram } from "@/lib/db/testing/programs";
import { type SolanaProcess, type SolanaProcessOptions, startSolanaProcess } from "./process";

/** The path of the chain's program. */
export const solanaProgram = (): string => bundleProgram("lib/sandbox/solana-chain/main.ts");

export interface TestSolanaChain extends SolanaProcess {
  dataDir: string;
  /** A new connection of web3.js. It stops reconnecting when the chain stops. */
  connect(): Connection;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

/** Starts a chain for a test, with fast slots and its own data directory. Call `remove` in `afterAll`. */
export async function startTestSolanaChain(options: Partial<SolanaProcessOptions> = {}): Promise<TestSolanaChain> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "solana-chain-"));
  const chain = await startSolanaProcess({ usdcMint: USDC_MINT, slotMs: 50, scriptPath: solanaProgram(), ...options, dataDir });
  const connections: Connection[] = [];
  const connect = () => {
    const connection = new Connection(chain.url, "confirmed");
    connections.push(connection);
    return connection;
  };
  const stop = () => {
    for (const connection of connections) Reflect.get(connection, "_rpcWebSocket").setAutoReconnect(false);
    return chain.stop();
  };
  const remove = async () => {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...chain, stop, dataDir, connect, remove };
}

/** A new key with 10 SOL and a token account with `units` USDC, both confirmed. */
export async function newHolder(chain: SolanaProcess, units: bigint): Promise<{ wallet: Keypair; account: PublicKey }> {
  const connection = new Connection(chain.url, "confirmed");
  const wallet = Keypair.generate();
  await chain.airdrop(wallet.publicKey.toBase58(), 10n * BigInt(LAMPORTS_PER_SOL));
  const signature = await chain.faucet(wallet.publicKey.toBase58(), units);
  const isConfirmed = async () => (await connection.getSignatureStatus(signature)).value?.confirmationStatus !== "processed";
  await vi.waitUntil(isConfirmed, { timeout: 30_000, interval: 20 });
  return { wallet, account: getAssociatedTokenAddressSync(new PublicKey(USDC_MINT), wallet.publicKey) };
}
