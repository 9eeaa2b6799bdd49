import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { setClock } from "@/lib/base/clock";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { findBlock } from "./blocks";
import { setSandboxEvmNodes } from "./node-urls";
import { createNodes, evmNodes } from "./nodes";
import { type Fault, startFaultyNode } from "./testing/faulty-node";
import { startUsdcChain, type UsdcChain } from "./testing/usdc-chain";

let chain: UsdcChain;
const toClose: (() => unknown)[] = [];
const logged: string[] = [];
const keepLine = (...values: unknown[]) => void logged.push(JSON.stringify(values));

beforeAll(async () => {
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
});
beforeAll(() => {
  replaceSingleton("log", { info: keepLine, warn: keepLine, error: keepLine });
});
afterEach(async () => {
  logged.length = 0;
  vi.unstubAllEnvs();
  for (const name of ["config", "sandbox EVM nodes", "EVM nodes"]) forgetSingleton(name);
  for (const close of toClose.splice(0)) await close();
});
afterAll(async () => {
  forgetSingleton("log");
  await chain?.stop();
});

async function faulty(decide: (method: string) => Fault | null) {
  const node = await startFaultyNode(chain.url(), ({ method }) => decide(method));
  toClose.push(node.close);
  return node;
}

const nodesAt = (urls: string[], timeoutMs = 2_000) => createNodes({ urls, chainId: chain.chainId, timeoutMs });
const isBlock = (method: string) => method === "eth_getBlockByNumber";

test.each<[string, Fault]>([
  ["unreachable", { drop: true }],
  ["timeout", { delayMs: 4_000 }],
  ["rate_limited", { status: 429 }],
  ["failing", { status: 503 }],
  ["failing", { status: 302 }],
  ["refused", { status: 401 }],
  ["rate_limited", { error: { code: -32_005, message: "limit exceeded" } }],
  ["rate_limited", { error: { code: -32_000, message: "your rate limit is 10 requests per second" } }],
  ["failing", { error: { code: -32_603, message: "internal error" } }],
  ["failing", { error: { code: -32_601, message: "the method does not exist" } }],
  ["behind", { error: { code: -32_000, message: "header not found" } }],
  ["malformed", { rewrite: () => ({ number: "latest" }) }],
  ["malformed", { rewrite: () => "0x1" }],
])("after a failure (%s: %j) the next node is used, and the failed one rests", async (kind, fault) => {
  const node = await faulty((method) => (isBlock(method) ? fault : null));
  const timeoutMs = kind === "timeout" ? 1_000 : 5_000;
  await expect(findBlock("latest", nodesAt([node.url], timeoutMs))).rejects.toMatchObject({ kind });
  const nodes = nodesAt([node.url, chain.url()], timeoutMs);
  expect((await findBlock("latest", nodes))?.number).toBe(await chain.blockNumber());
  const calls = node.calls.length;
  await findBlock("latest", nodes);
  expect(node.calls).toHaveLength(calls);
});

test("a port without a listener is skipped for the next node", async () => {
  const probe = createServer();
  await new Promise<void>((listening) => probe.listen(0, "127.0.0.1", listening));
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  const gone = `http://127.0.0.1:${port}`;
  expect(await findBlock("latest", nodesAt([gone, chain.url()]))).not.toBeNull();
  await expect(findBlock("latest", nodesAt([gone]))).rejects.toMatchObject({ kind: "unreachable" });
});

test("a node that works again is used again, first in the order as before", async () => {
  let fault: Fault | null = { status: 503 };
  const node = await faulty(() => fault);
  const nodes = nodesAt([node.url, chain.url()]);
  await findBlock("latest", nodes);
  fault = null;
  const calls = node.calls.length;
  toClose.push(setClock(() => Date.now() + 11_000));
  await findBlock("latest", nodes);
  expect(node.calls.length).toBeGreaterThan(calls);
  expect(logged.some((line) => line.includes("works again"))).toBe(true);
});

test("a node of another chain gets no request but eth_chainId", async () => {
  const other = await faulty((method) => (method === "eth_chainId" ? { rewrite: () => "0x2105" } : null));
  await expect(findBlock("latest", nodesAt([other.url]))).rejects.toMatchObject({ kind: "wrong_chain" });
  expect(await findBlock("latest", nodesAt([other.url, chain.url()]))).not.toBeNull();
  expect(new Set(other.calls.map(({ method }) => method))).toEqual(new Set(["eth_chainId"]));
});

test("a refusal that every node would give is reported at once, without trying another", async () => {
  const error = { code: 3, message: "execution reverted: no", data: "0x" };
  const node = await faulty((method) => (isBlock(method) ? { error } : null));
  const second = await faulty(() => null);
  await expect(findBlock("latest", nodesAt([node.url, second.url]))).rejects.toMatchObject({ kind: "rejected", rpcCode: 3 });
  expect(second.calls).toHaveLength(0);
});

test("no message and no log line contains a node's URL, whatever the node answers", async () => {
  const node = await faulty((method) =>
    isBlock(method) ? { error: { code: -32_603, message: "bad key SECRETKEY99 at 127.0.0.1" } } : null,
  );
  const url = `${node.url}/v2/SECRETKEY99?token=SECRETTOKEN`;
  const gone = "http://user99:pass9999@no-such-host.invalid/v2/SECRETKEY99";
  const failure: unknown = await findBlock("latest", nodesAt([gone, url])).catch((error: unknown) => error);
  const { message, stack, cause } = failure as Error;
  const output = [message, stack, String(cause), ...logged].join("\n");
  expect(logged.length).toBe(2);
  for (const secret of ["SECRET", "no-such-host", "user99", "pass9999", new URL(url).host]) expect(output).not.toContain(secret);
});

test("without a node the failure names the setting to configure", async () => {
  await expect(findBlock("latest", nodesAt([]))).rejects.toMatchObject({
    kind: "no_nodes",
    message: expect.stringContaining("BASE_RPC_URLS"),
  });
});

test("a sandbox uses its own chain at its current address, and never another machine's", async () => {
  vi.stubEnv("BASE_RPC_URLS", "https://mainnet.example");
  setSandboxEvmNodes([chain.url()]);
  expect((await findBlock("latest"))?.number).toBe(await chain.blockNumber());
  const before = evmNodes();
  expect(evmNodes()).toBe(before);
  const moved = await faulty(() => null);
  setSandboxEvmNodes([moved.url]);
  await findBlock("latest");
  expect(moved.calls.length).toBeGreaterThan(0);
  expect(() => setSandboxEvmNodes(["https://mainnet.example"])).toThrow();
});
