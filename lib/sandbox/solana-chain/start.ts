// The sandbox's Solana chain: a process of its own with test USDC on it, kept on disk, kept running, and never in reach of a
// public one.

import { keepRunning } from "../keep-running";
import { type SolanaProcess, type SolanaProcessOptions, startSolanaProcess } from "./process";

export interface SolanaChainOptions extends SolanaProcessOptions {
  /** Called with the chain's address, at the start and whenever it had to take another. */
  onUrl?: (url: string) => void;
}

export interface SolanaChain {
  usdcMint: string;
  /** Of this sandbox alone, for as long as its data directory lives. */
  genesisHash: string;
  /** May mint the test USDC and freeze accounts of it. */
  faucetAddress: string;
  /** 64 bytes. */
  faucetSecretKey: Uint8Array;
  /** Where the chain is now, or was last. WebSocket is one port above. */
  url: () => string;
  /** False while the process is away. */
  isWell: () => boolean;
  /** Null while the process is away. */
  pid: () => number | null;
  /**
   * Sends `units` (millionths) of test USDC to an owner, by a transaction of its own; the token account is made if there is none.
   * @returns its signature
   * @throws Error when the chain is away or refuses
   */
  faucet: (owner: string, units: bigint) => Promise<string>;
  /** As `faucet`, of test SOL for fees, at most 1,000. */
  airdrop: (address: string, lamports: bigint) => Promise<string>;
  stop: () => Promise<void>;
}

/**
 * Starts the chain on 127.0.0.1, where its last run left it. It ends with this process, however that ends.
 * @throws Error when it cannot start: a port is taken, its journal is damaged or in use
 */
export async function startSolanaChain({ onUrl, ...options }: SolanaChainOptions): Promise<SolanaChain> {
  let url = "";
  let port = options.port ?? 0;
  const start = async () => {
    const started = await startSolanaProcess({ ...options, port });
    // After a fall it comes back where it was, since somebody may have written that address down.
    port = Number(new URL(started.url).port);
    if (url !== started.url) onUrl?.(started.url);
    url = started.url;
    return started;
  };
  const kept = await keepRunning("Solana chain", async () => {
    try {
      return await start();
    } catch (error) {
      // The first start says what is wrong with the port that was wished for; later ones take any.
      if (url === "") throw error;
      port = options.port ?? 0;
      return start();
    }
  });
  const running = (): SolanaProcess => {
    const current = kept.current();
    if (!current) throw new Error("The sandbox's Solana chain is starting again: try in a moment.");
    return current;
  };
  const { genesisHash, faucetAddress, faucetSecretKey } = running();
  return {
    usdcMint: options.usdcMint,
    genesisHash,
    faucetAddress,
    faucetSecretKey,
    url: () => url,
    isWell: () => kept.current() !== null,
    pid: () => kept.current()?.pid ?? null,
    faucet: async (owner, units) => running().faucet(owner, units),
    airdrop: async (address, lamports) => running().airdrop(address, lamports),
    stop: kept.stop,
  };
}
