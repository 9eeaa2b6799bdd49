// The sandbox's Solana chain: its own process with test USDC, persisted, kept running, and never connected to a public cluster.

import { keepRunning } from "../keep-running";
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
  let url = "";
  let port = options.port ?? 0;
  const start = async () => {
    const started = await startSolanaProcess({ ...options, port });
    // After a crash it restarts on the same port, since users may have stored the URL.
    port = Number(new URL(started.url).port);
    if (url !== started.url) onUrl?.(started.url);
    url = started.url;
    return started;
  };
  const kept = await keepRunning("Solana chain", async () => {
    try {
      return await start();
    } catch (error) {
      // The first start reports a problem with the requested port; later ones fall back to any port.
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
  return {
    usdcMint: options.usdcMint,
    genesisHash: running().genesisHash,
    url: () => url,
    isWell: () => kept.current() !== null,
    pid: () => kept.current()?.pid ?? null,
    faucet: async (owner, units) => running().faucet(owner, units),
    airdrop: async (address, lamports) => running().airdrop(address, lamports),
    stop: kept.stop,
  };
}
