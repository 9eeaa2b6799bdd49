import { pad, toHex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { readHead } from "./head";
import { createNodes } from "./nodes";
import { type Fault, startFaultyNode } from "./testing/faulty-node";
import { startUsdcChain, type UsdcChain } from "./testing/usdc-chain";

let chain: UsdcChain;
let restoreClock: () => void;
const toClose: (() => Promise<void>)[] = [];
beforeAll(async () => {
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  await chain.mine(40);
});
beforeEach(async () => {
  // Manual mining runs ahead of the real clock, so the clock follows the chain here.
  const { timestamp } = await chain.client.getBlock();
  restoreClock = setClock(() => Number(timestamp) * 1_000);
});
afterEach(async () => {
  restoreClock();
  for (const close of toClose.splice(0)) await close();
});
afterAll(() => chain?.stop());

interface FaultyNode {
  fault: Fault | null;
  url: string;
}

/** A node whose block responses can be corrupted at any time. */
async function faulty(): Promise<FaultyNode> {
  const node: FaultyNode = { fault: null, url: "" };
  const { url, close } = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_getBlockByNumber" ? node.fault : null));
  toClose.push(close);
  return Object.assign(node, { url });
}

const nodesAt = (...urls: string[]) => createNodes({ urls, chainId: chain.chainId });

/** Shifts the number of every block that a node returns. */
const shifted = (by: number): Fault => ({
  rewrite: (block) => ({ ...(block as object), number: toHex(Number((block as { number: string }).number) + by) }),
});
const otherHash: Fault = { rewrite: (block) => ({ ...(block as object), hash: pad("0xbad") }) };

test("the head is the latest block, with the safe block three behind and the final block six behind, without doubt", async () => {
  const { latest, safe, finalized, doubt } = await readHead(chain.nodes);
  expect(latest.number).toBe(await chain.blockNumber());
  expect([latest.number - safe.number, latest.number - finalized.number]).toEqual([3, 6]);
  expect(doubt).toBeNull();
});

test("a head that goes far back is in doubt, and a node with a plausible head is used instead", async () => {
  const node = await faulty();
  const alone = nodesAt(node.url);
  const both = nodesAt(node.url, chain.url());
  expect((await readHead(alone)).doubt).toBeNull();
  expect((await readHead(both)).doubt).toBeNull();
  node.fault = shifted(-30);
  expect(await readHead(alone)).toMatchObject({ doubt: "went_back", latest: { number: (await chain.blockNumber()) - 30 } });
  expect(await readHead(both)).toMatchObject({ doubt: null, latest: { number: await chain.blockNumber() } });
  node.fault = shifted(-5);
  expect((await readHead(alone)).doubt).toBeNull();
});

test("a final block that changed is in doubt", async () => {
  const node = await faulty();
  const nodes = nodesAt(node.url);
  await readHead(nodes);
  node.fault = otherHash;
  expect((await readHead(nodes)).doubt).toBe("final_block_changed");
  node.fault = null;
  expect((await readHead(nodes)).doubt).toBeNull();
});

test("a head that stands still or lies in the future is in doubt", async () => {
  const { timestamp } = await chain.client.getBlock();
  for (const [shiftS, doubt] of [
    [121, "stuck"],
    [-61, "future"],
    [60, null],
  ] as const) {
    const restore = setClock(() => (Number(timestamp) + shiftS) * 1_000);
    expect((await readHead(nodesAt(chain.url()))).doubt).toBe(doubt);
    restore();
  }
});

test("a node that invents blocks is exposed by the others", async () => {
  const node = await faulty();
  node.fault = otherHash;
  expect((await readHead(nodesAt(node.url))).doubt).toBeNull();
  // With two nodes nothing shows which one lies; with three, two that agree are believed.
  expect((await readHead(nodesAt(node.url, chain.url()))).doubt).toBe("disputed");
  expect(await readHead(nodesAt(node.url, chain.url(), `${chain.url()}/`))).toMatchObject({ doubt: null });
  node.fault = shifted(1_000);
  expect(await readHead(nodesAt(node.url, chain.url()))).toMatchObject({ doubt: null, latest: { number: await chain.blockNumber() } });
});

test("an unreachable second node is no reason for doubt", async () => {
  const node = await faulty();
  node.fault = { status: 503 };
  expect((await readHead(nodesAt(chain.url(), node.url))).doubt).toBeNull();
});
