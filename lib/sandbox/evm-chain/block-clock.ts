// When blocks are made without a transaction: some after each one that has any, so that it becomes safe and then final, and one now
// and then, so that the chain's time stays near the clock's. An idle sandbox's chain hardly grows.

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
  /** Milliseconds between two blocks while something waits to become final. */
  blockTimeMs: number;
}

export interface BlockClock {
  /** Ends after what it is doing now. */
  stop(): Promise<void>;
}

/** A head that is older is taken for stuck by those who watch it, and calls would see its time as now. */
const IDLE_BLOCK_MS = 30_000;
/** Between a block's changes to the accounts and its being shown. */
const BLOCK_SHOWN_MS = 25;
/** The rest of the time is for the node's own work. */
const MAX_TIME_WRITING = 0.1;

const head = z.object({ number: quantity, hash: bytes32, timestamp: quantity, transactions: z.array(bytes32) });
type HeadBlock = z.infer<typeof head>;

/** Makes blocks and saves the state until it is stopped. A node that is away is waited for. */
export function startBlockClock(node: EvmNode, { statePath, blockTimeMs }: BlockClockOptions): BlockClock {
  const stopping = new AbortController();
  const readHead = () => node.call("eth_getBlockByNumber", ["latest", false], head);
  /** The last block that this clock made; any other head is news. */
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
    // Somebody else's transaction may have come with it or between: then the next tick must find news.
    if (made.number === before.number + 1 && made.transactions.length === 0) known = made;
  }

  async function save(hash: string): Promise<void> {
    const startedMs = nowMs();
    const dumped = await node.call("anvil_dumpState", [], bytes);
    const tookMs = nowMs() - startedMs;
    // anvil reads its blocks first and its accounts after, and shows a block a moment after it has changed the accounts: a state is
    // whole only if no block came while it was read, nor right after.
    await sleep(BLOCK_SHOWN_MS);
    if ((await readHead()).hash !== hash) return;
    await writeStateFile(statePath, dumped);
    savedHash = hash;
    nextSaveMs = nowMs() + tookMs / MAX_TIME_WRITING;
  }

  async function run(): Promise<void> {
    let isTold = false;
    while (!stopping.signal.aborted) {
      try {
        await tick();
        isTold = false;
      } catch (error) {
        if (!isTold && !stopping.signal.aborted) log().warn({ err: error }, "the sandbox's EVM chain makes no blocks now");
        isTold = true;
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
