// The sandbox's EVM chain: a real node of its own with test USDC on it, kept on disk, kept running, and never in reach of a public one.

import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { createNode, type EvmNode } from "@/lib/chains/evm/node";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { keepRunning } from "../keep-running";
import { type Anvil, startAnvil } from "./anvil";
import { startBlockClock } from "./block-clock";
import { fundGas } from "./gas";
import { createMinter } from "./minter";
import { checkStateFile } from "./state-file";
import { openToken } from "./token";

export interface EvmChainOptions {
  /** The chain is kept in `chains/evm.json` below it. */
  dataDir: string;
  /** Whoever holds it makes USDC, pauses it and blacklists. Random, and the sandbox's own. */
  minterKey: Hex;
  /** Addresses that are given gas money at every start: the relayer, demo wallets. */
  gasFor?: readonly Hex[];
  /** 8453 for tests with clients that know only public chains. */
  chainId?: number;
  /** 0 takes a free one. */
  port?: number;
  /** Milliseconds between blocks while something waits to become final; 3 of them until it is safe, 6 until it is final. */
  blockTimeMs?: number;
  /** Called with the node's address, at the start and whenever it had to take another. */
  onUrl?: (url: string) => void;
}

export interface EvmChain {
  chainId: number;
  usdc: Hex;
  /** Where the node is now, or was last. */
  url: () => string;
  /** False while the node is away. */
  isWell: () => boolean;
  /**
   * Makes `units` (millionths) of test USDC for `to`, in a transaction of its own.
   * @returns its hash
   * @throws Error when the node is away or the token refuses: it is paused, the address blacklisted
   */
  mint: (to: Hex, units: bigint) => Promise<Hex>;
  /** As `mint`, out of what the minter's own address has. */
  pay: (to: Hex, units: bigint) => Promise<Hex>;
  minterAddress: Hex;
  /** Fills an address' gas money up; never lowers it. */
  fundGas: (address: Hex) => Promise<void>;
  stop: () => Promise<void>;
}

const SANDBOX_CHAIN_ID = 31_337;
const CALL_TIMEOUT_MS = 30_000;

/**
 * Starts the chain on 127.0.0.1, where its last run left it. It ends with this process, however that ends.
 * @throws Error when it cannot start: the port is taken, its file is damaged
 */
export async function startEvmChain(options: EvmChainOptions): Promise<EvmChain> {
  const { chainId = SANDBOX_CHAIN_ID, onUrl } = options;
  let url = "";
  let port = options.port ?? 0;
  const start = async () => {
    const started = await startWhole({ ...options, chainId, port });
    // After a fall it comes back where it was, since somebody may have written that address down.
    port = started.anvil.port;
    if (url !== started.anvil.url) onUrl?.(started.anvil.url);
    url = started.anvil.url;
    return started;
  };
  const kept = await keepRunning("EVM chain", async () => {
    try {
      return await start();
    } catch (error) {
      // The first start says what is wrong with the port that was wished for; later ones take any.
      if (url === "") throw error;
      port = options.port ?? 0;
      return start();
    }
  });
  const minter = createMinter(options.minterKey, chainId);
  const node = (): EvmNode => {
    const whole = kept.current();
    if (!whole) throw new Error("The sandbox's EVM chain is starting again: try in a moment.");
    return whole.node;
  };
  return {
    chainId,
    usdc: usdcOnBase,
    url: () => url,
    isWell: () => kept.current() !== null,
    mint: async (to, units) => minter.mint(node(), to, units),
    pay: async (to, units) => minter.pay(node(), to, units),
    minterAddress: minter.address,
    fundGas: async (address) => fundGas(node(), address),
    stop: kept.stop,
  };
}

interface WholeOptions extends EvmChainOptions {
  chainId: number;
  port: number;
}

/** A node with its token, its money for gas, and its clock. */
async function startWhole({ dataDir, chainId, port, minterKey, gasFor = [], blockTimeMs = 1_000 }: WholeOptions) {
  const statePath = join(dataDir, "chains", "evm.json");
  const cachePath = join(dataDir, "chains", "evm-cache");
  checkStateFile(statePath);
  rmSync(cachePath, { recursive: true, force: true });
  const anvil = await startAnvil({ chainId, port, statePath, cachePath });
  try {
    const node = createNode({ url: anvil.url, name: "the sandbox's EVM chain", timeoutMs: CALL_TIMEOUT_MS });
    await openToken(node, privateKeyToAddress(minterKey));
    for (const address of gasFor) await fundGas(node, address);
    return whole(anvil, node, { statePath, blockTimeMs });
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

function whole(anvil: Anvil, node: EvmNode, options: { statePath: string; blockTimeMs: number }) {
  const clock = startBlockClock(node, options);
  const stopClock = () => clock.stop();
  return {
    anvil,
    node,
    ended: anvil.ended.finally(stopClock),
    stop: async () => {
      await stopClock();
      await anvil.stop();
    },
  };
}
