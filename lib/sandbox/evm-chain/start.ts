// The sandbox's EVM chain: its own real node with test USDC at real USDC's address, persisted, kept running, and never connected to a public
// chain.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { encodeDeployData, type Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { keepNodeRunning } from "@/lib/base/keep-running";
import artifact from "@/lib/chains/contracts/artifacts/test-usdc.json";
import { createNode, type EvmNode } from "@/lib/chains/evm/node";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { bytes } from "@/lib/chains/evm/wire";
import { type Anvil, startAnvil } from "./anvil";
import { startBlockClock } from "./block-clock";
import { fundGas } from "./gas";
import { createMinter } from "./minter";
import { checkStateFile } from "./state-file";

export interface EvmChainOptions {
  /** The chain's state is in `chains/evm.json` below it. */
  dataDir: string;
  /** Its holder can mint, pause and blacklist USDC. Random per sandbox. */
  minterKey: Hex;
  /** Addresses that get gas money at every start: the relayer, demo wallets. */
  gasFor?: readonly Hex[];
  /** 8453 in tests with clients that know public chains only. */
  chainId?: number;
  /** 0 picks a free one. */
  port?: number;
  /** Milliseconds between blocks while a block is not final; a block is safe after 3 more and final after 6. */
  blockTimeMs?: number;
  /** Called with the node's URL, at the start and whenever it changes. */
  onUrl?: (url: string) => void;
}

export interface EvmChain {
  chainId: number;
  usdc: Hex;
  /** The node's current or last URL. */
  url: () => string;
  /** False while the node is down. */
  isWell: () => boolean;
  /**
   * Mints `units` (millionths) of test USDC to `to`, in its own transaction.
   * @returns its hash
   * @throws Error when the node is down or the token refuses: it is paused, or the address is blacklisted
   */
  mint: (to: Hex, units: bigint) => Promise<Hex>;
  /** Like `mint`, from the minter's own balance. */
  pay: (to: Hex, units: bigint) => Promise<Hex>;
  minterAddress: Hex;
  /** Tops up an address' gas money; never lowers it. */
  fundGas: (address: Hex) => Promise<void>;
  stop: () => Promise<void>;
}

const SANDBOX_CHAIN_ID = 31_337;
const CALL_TIMEOUT_MS = 30_000;

/**
 * Starts the chain on 127.0.0.1 from its last state. It ends with this process, however that ends.
 * @throws Error when it cannot start: the port is taken, or its file is damaged
 */
export async function startEvmChain(options: EvmChainOptions): Promise<EvmChain> {
  const { chainId = SANDBOX_CHAIN_ID } = options;
  const kept = await keepNodeRunning("EVM chain", options, (port) => startWhole({ ...options, chainId, port }));
  const minter = createMinter(options.minterKey, chainId);
  const node = () => kept.running().node;
  return {
    chainId,
    usdc: usdcOnBase,
    url: kept.url,
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

/** A node with its token, gas money and block clock. */
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
    url: anvil.url,
    node,
    ended: anvil.ended.finally(stopClock),
    stop: async () => {
      await stopClock();
      await anvil.stop();
    },
  };
}

/**
 * Ensures that this release's contract is at USDC's address, with `minter` as its minter. Balances stay.
 *
 * The runtime code comes from an eth_call of the creation code: the compiler's output has placeholders for immutables, and a real
 * deployment would get another address.
 */
async function openToken(node: EvmNode, minter: Hex): Promise<void> {
  const creation = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode as Hex, args: [minter] });
  const code = await node.call("eth_call", [{ data: creation }, "latest"], bytes);
  const before = await node.call("eth_getCode", [usdcOnBase, "latest"], bytes);
  if (before !== code) await node.call("anvil_setCode", [usdcOnBase, code], z.null());
}
