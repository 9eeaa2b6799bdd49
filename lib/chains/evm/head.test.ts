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
  chain = await startUsdcChain({ blockTimeMs: 60_000 });
  await chain.mine(40);
});
beforeEach(async () => {
  // Mining by hand runs ahead of the clock; here it is the chain's.
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

/** A node whose answers about blocks can be spoiled at any time. */
async function faulty(): Promise<FaultyNode> {
  const node: FaultyNode = { fault: null, url: "" };
  const { url, close } = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_getBlockByNumber" ? node.fault : null));
  toClose.push(close);
  return Object.assign(node, { url });
}

const nodesAt = (...urls: string[]) => createNodes({ urls, chainId: chain.chainId });

/** Moves every block that a node tells of. */
const shifted = (by: number): Fault => ({
  rewrite: (block) => ({ ...(block as object), number: toHex(Number((block as { number: string }).number) + by) }),
});
const otherHash: Fault = { rewrite: (block) => ({ ...(block as object), hash: pad("0xbad") }) };

test("the head is the latest block, the safe one three behind and the final one six, without doubt", async () => {
  const { latest, safe, finalized, doubt } = await readHead(chain.nodes);
  expect(latest.number).toBe(await chain.blockNumber());
  expect([latest.number - safe.number, latest.number - finalized.number]).toEqual([3, 6]);
  expect(doubt).toBeNull();
});

test("a head that goes far back is doubted, and a node that has the right one is asked instead", async () => {
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

test("a final block that is another one now is doubted", async () => {
  const node = await faulty();
  const nodes = nodesAt(node.url);
  await readHead(nodes);
  node.fault = otherHash;
  expect((await readHead(nodes)).doubt).toBe("final_block_changed");
  node.fault = null;
  expect((await readHead(nodes)).doubt).toBeNull();
});

test("a head that stands still, or is of the future, is doubted", async () => {
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

test("a node that makes blocks up is found out by the others", async () => {
  const node = await faulty();
  node.fault = otherHash;
  expect((await readHead(nodesAt(node.url))).doubt).toBeNull();
  // Of two, nobody knows which one lies; of three, two that agree are believed.
  expect((await readHead(nodesAt(node.url, chain.url()))).doubt).toBe("disputed");
  expect(await readHead(nodesAt(node.url, chain.url(), `${chain.url()}/`))).toMatchObject({ doubt: null });
  node.fault = shifted(1_000);
  expect(await readHead(nodesAt(node.url, chain.url()))).toMatchObject({ doubt: null, latest: { number: await chain.blockNumber() } });
});

test("another node that is away is no reason to doubt", async () => {
  const node = await faulty();
  node.fault = { status: 503 };
  expect((await readHead(nodesAt(chain.url(), node.url))).doubt).toBeNull();
});
