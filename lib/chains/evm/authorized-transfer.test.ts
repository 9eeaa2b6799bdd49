// What an authorization's nonce was used for, according to nodes that have all, some or none of the data. No data is not an answer.

import { randomBytes } from "node:crypto";
import { type Hex, toHex } from "viem";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { findUseOfShown, isSpentOtherwise, type NonceUse } from "./authorized-transfer";
import { readLatestBlock } from "./blocks";
import { readFinalBlock } from "./head";
import { createNodes, type EvmNodes } from "./nodes";
import { type Fault, startFaultyNode } from "./testing/faulty-node";
import { newAddress, startUsdcChain, type UsdcChain } from "./testing/usdc-chain";
import { isAuthorizationUsedAnywhere, readSettledAuthorization } from "./token-state";
import { type Authorization, authorizationTypedData, encodeAuthorizedTransfer } from "./usdc";

const UNITS = 1_000_000n;
const USED = `0x${"0".repeat(63)}1`;

let chain: UsdcChain;
beforeAll(async () => {
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
});
afterAll(() => chain?.stop());

interface Used {
  /** The authorization as the client presented it. */
  shown: Authorization;
  search: { shownAtMs: number; toBlock: number };
  use: NonceUse;
}

/** Carries out an authorization of `units`; the one presented to us says `shownUnits` under the same nonce. */
async function useNonce(units = UNITS, shownUnits = units): Promise<Used> {
  const owner = await chain.newAccount(UNITS);
  const { timestampS } = await readLatestBlock(chain.nodes);
  const authorization: Authorization = {
    from: owner.address.toLowerCase() as Hex,
    to: newAddress(),
    value: units,
    nonce: toHex(randomBytes(32)),
    validAfter: 0n,
    validBefore: BigInt(timestampS + 3_000),
  };
  const signature = await owner.signTypedData(authorizationTypedData(authorization, chain.chainId));
  const call = { to: chain.usdc, data: encodeAuthorizedTransfer(authorization, signature) };
  const transaction = await chain.client.sendTransaction({ account: chain.minter, ...call });
  const { blockNumber } = await chain.client.waitForTransactionReceipt({ hash: transaction });
  const block = Number(blockNumber);
  return {
    shown: { ...authorization, value: shownUnits },
    search: { shownAtMs: timestampS * 1_000, toBlock: block },
    use: { kind: "moved", transaction, block },
  };
}

async function startNode(decide: (method: string) => Fault | null): Promise<string> {
  const { url, close } = await startFaultyNode(chain.url(), ({ method }) => decide(method));
  onTestFinished(close);
  return url;
}

const startWithoutLogs = () => startNode((method) => (method === "eth_getLogs" ? { rewrite: () => [] } : null));
const through = (...urls: string[]) => createNodes({ urls, chainId: chain.chainId });

test("a use missing from one node's logs is found through another; without logs at any node the result is null", async () => {
  const { shown, search, use } = await useNonce();
  const empty = await startWithoutLogs();
  expect(await findUseOfShown(shown, search, chain.nodes)).toEqual(use);
  expect(await findUseOfShown(shown, search, through(empty, chain.url()))).toEqual(use);
  expect(await findUseOfShown(shown, search, through(empty, empty))).toBeNull();
});

test("a node that has a log but not its receipt is skipped, and does not count as evidence of another use", async () => {
  const { shown, search, use } = await useNonce();
  const halfway = await startNode((method) => (method === "eth_getTransactionReceipt" ? { rewrite: () => null } : null));
  expect(await findUseOfShown(shown, search, through(halfway, chain.url()))).toEqual(use);
  await expect(findUseOfShown(shown, search, through(halfway))).rejects.toMatchObject({ kind: "behind" });
});

test("another use of the nonce is definitive when two nodes show it, or the only node", async () => {
  const { shown, search } = await useNonce(UNITS / 2n, UNITS);
  const empty = await startWithoutLogs();
  expect(await findUseOfShown(shown, search, chain.nodes)).toEqual({ kind: "spent_otherwise" });
  const isFor = (nodes: EvmNodes) => isSpentOtherwise(shown, search, nodes);
  expect(await isFor(chain.nodes)).toBe(true);
  expect(await isFor(through(chain.url(), chain.url()))).toBe(true);
  expect(await isFor(through(chain.url(), chain.url(), empty))).toBe(true);
  expect(await isFor(through(chain.url(), empty))).toBe(false);
  expect(await isFor(through(chain.url(), "http://127.0.0.1:9"))).toBe(false);
  const moved = await useNonce();
  expect(await isSpentOtherwise(moved.shown, moved.search, chain.nodes)).toBe(false);
});

test("a nonce used before the searched range counts as spent when a node still has the state of that time", async () => {
  const { shown } = await useNonce();
  await chain.mine(2_000);
  await chain.client.increaseTime({ seconds: 4_000 });
  await chain.mine(1);
  const { number, timestampS } = await readLatestBlock(chain.nodes);
  const search = { shownAtMs: timestampS * 1_000, toBlock: number };
  // Like most nodes, this chain keeps the state of its last blocks only.
  expect(await findUseOfShown(shown, search, chain.nodes)).toBeNull();
  const archive: EvmNodes = {
    ...chain.nodes,
    callFirst: (use) =>
      chain.nodes.callFirst((node) =>
        use({
          name: node.name,
          call: async (method, params, form) => (method === "eth_call" ? form.parse(USED) : node.call(method, params, form)),
        }),
      ),
  };
  expect(await findUseOfShown(shown, search, archive)).toEqual({ kind: "spent_otherwise" });
});

test("the search covers the authorization's validity period, however long ago it ended", async () => {
  const { shown, search } = await useNonce();
  await chain.client.mine({ blocks: 5_000, interval: 4 });
  const { number, timestampS } = await readLatestBlock(chain.nodes);
  onTestFinished(setClock(() => timestampS * 1_000));
  const node = await startFaultyNode(chain.url(), ({ method }) => (method === "eth_getLogs" ? { rewrite: () => [] } : null));
  onTestFinished(node.close);
  expect(await findUseOfShown(shown, { ...search, toBlock: number }, through(node.url))).toBeNull();
  const requests = node.calls.filter(({ method }) => method === "eth_getLogs").map(({ params: [filter] }) => filter as { toBlock: Hex });
  // Its 3,000 seconds of validity, and the blocks before.
  expect(Number(requests[0]?.toBlock)).toBeLessThan(search.toBlock + 760);
  expect(requests.length).toBeLessThan(4);
  const all = { ...search, toBlock: number };
  expect(await findUseOfShown(shown, all, chain.nodes)).toMatchObject({ kind: "moved" });
});

test("use in a final block needs agreement of all answering nodes; use in the latest block needs any one node", async () => {
  const { shown } = await useNonce();
  const { from, nonce } = shown;
  await chain.mine(20);
  const latest = await readLatestBlock(chain.nodes);
  onTestFinished(setClock(() => latest.timestampS * 1_000));
  const final = await readFinalBlock(chain.nodes);
  const ignorant = await startNode((method) => (method === "eth_call" ? { rewrite: () => `0x${"0".repeat(64)}` } : null));
  const lagging = await startNode((method) => (method === "eth_getBlockByNumber" ? { rewrite: () => null } : null));
  const isUsed = (...urls: string[]) => readSettledAuthorization(from, nonce, final, through(...urls));
  expect(await isUsed(chain.url())).toBe(true);
  expect(await isUsed(chain.url(), chain.url())).toBe(true);
  expect(await isUsed(chain.url(), ignorant)).toBeNull();
  expect(await isUsed(chain.url(), lagging)).toBeNull();
  expect(await isUsed(chain.url(), lagging, chain.url())).toBe(true);
  await expect(isUsed(lagging)).rejects.toMatchObject({ kind: "behind" });
  expect(await isAuthorizationUsedAnywhere(from, nonce, through(ignorant, chain.url()))).toBe(true);
  expect(await isAuthorizationUsedAnywhere(from, nonce, through(ignorant))).toBe(false);
});

test("while the chain's head is in doubt no block of it is final", async () => {
  const { timestampS } = await readLatestBlock(chain.nodes);
  onTestFinished(setClock(() => (timestampS + 1_000) * 1_000));
  await expect(readFinalBlock(through(chain.url()))).rejects.toMatchObject({ kind: "moved" });
});
