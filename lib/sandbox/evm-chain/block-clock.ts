// Mines blocks without transactions: a few after each block with transactions, so that it becomes safe and then final, and one every 30 s,
// so that the chain's time follows the clock. An idle sandbox's chain hardly grows.

import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import type { EvmNode } from "@/lib/chains/evm/node";
import { bytes, bytes32, quantity } from "@/lib/chains/evm/wire";
import { BLOCKS_TO_SAFE } from "./anvil";
import { writeStateFile } from "./state-file";

export interface BlockClockOptions {
  statePath: string;
  /** Milliseconds between two blocks while a block is not final. */
  blockTimeMs: number;
}

export interface BlockClock {
  /** Ends after the current tick. */
  stop(): Promise<void>;
}

/** An older head would count as stuck, and calls would use its timestamp as the current time. */
const IDLE_BLOCK_MS = 30_000;
/** Delay between a block's changes to the accounts and its appearance as head. */
const BLOCK_SHOWN_MS = 25;
/** Maximum share of time spent on saving; the rest is for the node's own work. */
const MAX_TIME_WRITING = 0.1;

const head = z.object({ number: quantity, hash: bytes32, timestamp: quantity, transactions: z.array(bytes32) });
type HeadBlock = z.infer<typeof head>;

/** Mines blocks and saves the state until it is stopped. Retries while the node is down. */
export function startBlockClock(node: EvmNode, { statePath, blockTimeMs }: BlockClockOptions): BlockClock {
  const stopping = new AbortController();
  const readHead = () => node.call("eth_getBlockByNumber", ["latest", false], head);
  /** The last head seen; a different one restarts the countdown to final. */
  let known: HeadBlock | null = null;
  let finalAt = 0;
  let savedHash = "";
  let nextSaveMs = 0;

  async function tick(): Promise<void> {
    const now = await readHead();
    if (now.hash !== known?.hash) finalAt = now.number + 2 * BLOCKS_TO_SAFE;
    known = now;
    if (now.number < finalAt || nowMs() - now.timestamp * 1_000 > IDLE_BLOCK_MS) await mineBlock(now);
    if (savedHash !== known.hash && nowMs() >= nextSaveMs) await save(known.hash);
  }

  async function mineBlock(before: HeadBlock): Promise<void> {
    await node.call("evm_mine", [], z.unknown());
    const made = await readHead();
    // A transaction may have been mined in this block or between: then the next tick must see a new head.
    if (made.number === before.number + 1 && made.transactions.length === 0) known = made;
  }

  async function save(hash: string): Promise<void> {
    const startedMs = nowMs();
    const dumped = await node.call("anvil_dumpState", [], bytes);
    const tookMs = nowMs() - startedMs;
    // anvil dumps its blocks before its accounts, and shows a block slightly after changing the accounts: a dump is consistent only if no
    // block arrived during it or right after.
    await sleep(BLOCK_SHOWN_MS);
    if ((await readHead()).hash !== hash) return;
    await writeStateFile(statePath, dumped);
    savedHash = hash;
    nextSaveMs = nowMs() + tookMs / MAX_TIME_WRITING;
  }

  async function run(): Promise<void> {
    let isLogged = false;
    while (!stopping.signal.aborted) {
      try {
        await tick();
        isLogged = false;
      } catch (error) {
        if (!isLogged && !stopping.signal.aborted) log().warn({ err: error }, "the sandbox's EVM chain produces no blocks");
        isLogged = true;
      }
      await sleep(blockTimeMs, undefined, { signal: stopping.signal }).catch(() => undefined); // stopping ends the pause
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
