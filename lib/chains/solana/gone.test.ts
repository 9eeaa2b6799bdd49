// When nodes can prove that a transaction never ran: on a real chain in its own process, through nodes that lag, prune or do not answer.

import { Connection } from "@solana/web3.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { requireMemory } from "./gone";
import { SolanaNodes } from "./nodes";

let chain: TestSolanaChain;
let connection: Connection;
beforeAll(async () => {
  chain = await startTestSolanaChain({ slotMs: 25 });
  connection = new Connection(chain.url, "finalized");
});
afterAll(() => chain?.remove());

const through = (...urls: string[]) => new SolanaNodes({ urls, genesisHash: chain.genesisHash });

async function startNode(decide: (method: string) => Fault | null): Promise<string> {
  const { url, close } = await startFaultyNode(chain.url, ({ method }) => decide(method));
  onTestFinished(close);
  return url;
}

/** The chain's time in seconds, once it has a final block. */
async function finalTime(): Promise<number> {
  const read = async () => connection.getBlockTime(await connection.getSlot());
  await expect.poll(() => read().catch(() => null)).not.toBeNull();
  return (await read()) ?? 0;
}

test("a period that every node still has and has as final passes; one that is not final yet on any of them does not", async () => {
  const seconds = await finalTime();
  const time = { since: new Date((seconds + 1) * 1_000), until: new Date((seconds + 2) * 1_000) };
  await expect(requireMemory(through(chain.url), { ...time, until: new Date((seconds + 600) * 1_000) })).rejects.toThrow("not final yet");
  await expect.poll(finalTime).toBeGreaterThan(seconds + 2);
  await requireMemory(through(chain.url), time);
  await requireMemory(through(chain.url, chain.url), time);
  const stuck = await startNode((method) => (method === "getBlockTime" ? { rewrite: () => seconds } : null));
  await expect(requireMemory(through(chain.url, stuck), time)).rejects.toThrow("node 2: that time is not final yet");
  await expect(requireMemory(through(chain.url, "http://127.0.0.1:9"), time)).rejects.toThrow("node 2");
});

test("a node that has pruned the blocks of that period proves nothing", async () => {
  const seconds = await finalTime();
  const slot = await connection.getSlot();
  const forgetful = await startNode((method) => (method === "getFirstAvailableBlock" ? { rewrite: () => slot } : null));
  const time = { since: new Date((seconds - 60) * 1_000), until: new Date(seconds * 1_000) };
  await expect(requireMemory(through(chain.url, forgetful), time)).rejects.toThrow("node 2: the blocks of that time are forgotten");
});
