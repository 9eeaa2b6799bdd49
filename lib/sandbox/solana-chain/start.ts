// The sandbox's Solana chain: its own process with test USDC, persisted, kept running, and never connected to a public cluster.

import { keepNodeRunning } from "../keep-running";
import { type SolanaProcess, type SolanaProcessOptions, startSolanaProcess } from "./process";

export interface SolanaChainOptions extends SolanaProcessOptions {
  /** Called with the chain's URL, at the start and whenever it changes. */
  onUrl?: (url: string) => void;
}

export interface SolanaChain extends Pick<SolanaProcess, "genesisHash" | "faucet" | "airdrop"> {
  usdcMint: string;
  /** The chain's current or last URL. WebSocket is one port above. */
  url: () => string;
  /** False while the process is down. */
  isWell: () => boolean;
  /** Null while the process is down. */
  pid: () => number | null;
  stop: () => Promise<void>;
}

/**
 * Starts the chain on 127.0.0.1 from its last state. It ends with this process, however that ends.
 * @throws Error when it cannot start: a port is taken, or its journal is damaged or in use
 */
export async function startSolanaChain({ onUrl, ...options }: SolanaChainOptions): Promise<SolanaChain> {
  const startAt = (port: number) => startSolanaProcess({ ...options, port });
  const kept = await keepNodeRunning("Solana chain", { port: options.port, onUrl }, startAt);
  return {
    usdcMint: options.usdcMint,
    genesisHash: kept.running().genesisHash,
    url: kept.url,
    isWell: () => kept.current() !== null,
    pid: () => kept.current()?.pid ?? null,
    faucet: async (owner, units) => kept.running().faucet(owner, units),
    airdrop: async (address, lamports) => kept.running().airdrop(address, lamports),
    stop: kept.stop,
  };
}
