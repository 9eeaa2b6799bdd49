// Finding blocks by time, on a real chain.

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findBlock, findFirstSince, getBlockOf, readLatestBlock } from "./blocks";
import { createNodes } from "./nodes";
import { startFaultyNode } from "./testing/faulty-node";
import { startUsdcChain, type UsdcChain } from "./testing/usdc-chain";

let chain: UsdcChain;
beforeAll(async () => {
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  for (const seconds of [1, 60, 5, 400, 2]) {
    await chain.client.mine({ blocks: 200, interval: 1 });
    await chain.client.increaseTime({ seconds });
  }
  await chain.mine(1);
});
afterAll(() => chain?.stop());

test("the first block at or after a given second is found with few requests, and none for blocks older than necessary", async () => {
  const { number: last, timestampS } = await readLatestBlock(chain.nodes);
  const node = await startFaultyNode(chain.url(), () => null);
  onTestFinished(node.close);
  const nodes = createNodes({ urls: [node.url], chainId: chain.chainId });
  const find = (second: number) => nodes.callFirst((one) => findFirstSince(one, second, last));
  const timeOf = async (number: number) => (await findBlock(number, chain.nodes))?.timestampS ?? 0;
  for (let number = 1; number <= last; number += 97) {
    const second = await timeOf(number);
    const first = await find(second);
    expect(await timeOf(first)).toBe(second);
    if (first > 0) expect(await timeOf(first - 1)).toBeLessThan(second); // the first two blocks may be of one second
    expect(await timeOf(await find(second - 1))).toBeGreaterThanOrEqual(second - 1);
  }
  expect([await find(0), await find(timestampS + 1)]).toEqual([0, last]);
  node.calls.length = 0;
  await find(await timeOf(last - 10));
  const numbers = node.calls.map(({ params: [number] }) => Number(number));
  expect(numbers.length).toBeLessThan(15);
  expect(Math.min(...numbers)).toBe(last - 256);
});

test("a block that a node lacks has its own failure kind", async () => {
  const beyond = (await readLatestBlock(chain.nodes)).number + 100;
  await expect(chain.nodes.callFirst((node) => getBlockOf(node, beyond))).rejects.toMatchObject({ kind: "behind" });
});
