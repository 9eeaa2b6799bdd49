// Attacks on the nodes that deposits and payouts need, through the proxy that our pages have to them.

import { NextRequest } from "next/server";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { POST } from "@/app/api/rpc/[chain]/route";
import { setSandboxSessionSecret } from "@/lib/access/session-secret";
import { type ChainId, chainIds } from "@/lib/base/chains";
import { setClock } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { evmNodes } from "@/lib/chains/evm/nodes";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { startUsdcChain, type UsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { sessionCookieName } from "../sign-in/session-cookie";
import { openTestCustody } from "../testing/custody";
import { newOwner } from "../testing/owners";

await openTestDatabase();

const origin = "http://127.0.0.1:3000";
let evm: UsdcChain;
let solana: TestSolanaChain;
const toClose: (() => unknown)[] = [];
let restoreClock = () => {};

/** While time stands still no quota fills again. */
function stopClock(): void {
  const at = Date.now();
  restoreClock = setClock(() => at);
}

beforeAll(async () => {
  setSandboxSessionSecret("a session secret for tests, of more than 32 characters");
  [evm, solana] = await Promise.all([startUsdcChain({ blockTimeMs: 100 }), startTestSolanaChain()]);
  await openTestCustody();
});
afterAll(async () => {
  await evm?.stop();
  await solana?.remove();
});
beforeEach(() => {
  forgetSingleton("limits.limiter");
  setSandboxEvmNodes([evm.url()]);
  setSandboxSolanaNodes([solana.url], solana.genesisHash);
});
afterEach(async () => {
  restoreClock();
  vi.unstubAllEnvs();
  for (const name of ["config", "trustedProxies", "sandbox EVM nodes", "EVM nodes", "sandbox Solana nodes", "Solana nodes"])
    forgetSingleton(name);
  for (const close of toClose.splice(0)) await close();
});

interface Sent {
  chain?: ChainId;
  /** The client's address. */
  from?: string;
  cookie?: string;
  /** One call, or a batch. */
  body?: string;
}

async function send(method: string, { chain = "base", cookie, from, body = JSON.stringify(callOf(method)) }: Sent) {
  const headers = { origin, ...(cookie && { cookie }), ...(from && { "x-forwarded-for": from }) };
  const request = new NextRequest(`${origin}/api/rpc/${chain}`, { method: "POST", headers, body });
  const answer = await POST(request, { params: Promise.resolve({ chain }) });
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), text: await answer.text() };
}

const callOf = (method: string) => ({ jsonrpc: "2.0", id: 1, method, params: [] });

async function sessionCookie(): Promise<string> {
  const { owner } = await newOwner();
  return `${sessionCookieName()}=${owner.token}`;
}

/** A node in front of the chain's that fails at every call but that for its identity. */
async function failingNode(url: string, works: (method: string) => boolean) {
  const node = await startFaultyNode(url, ({ method }) => (works(method) ? null : { status: 503 }));
  toClose.push(node.close);
  return node;
}

test("a forged Origin without a session reaches no node, and its body is not read", async () => {
  const node = await failingNode(evm.url(), () => true);
  setSandboxEvmNodes([node.url]);
  setSandboxSolanaNodes([node.url], solana.genesisHash);
  for (const cookie of [undefined, `${sessionCookieName()}=forged`])
    for (const chain of chainIds) {
      const { status, text } = await send("eth_chainId", { chain, cookie, body: "{".repeat(100_000) });
      expect({ status, text }).toEqual({ status: 401, text: expect.stringContaining("Sign in") });
    }
  expect(node.calls).toEqual([]);
});

test("one account uses up its own quota from all its sessions and addresses, and no other account's", async () => {
  stopClock();
  const [greedy, other] = [await sessionCookie(), await sessionCookie()];
  const batch = JSON.stringify(Array.from({ length: 5 }, () => callOf("eth_chainId")));
  const limited = async (cookie: string) => (await send("", { cookie, body: batch })).text.includes("-32005");
  let batches = 0;
  while (!(await limited(greedy))) expect(++batches).toBeLessThan(100);
  expect(await send("eth_chainId", { cookie: greedy })).toMatchObject({ status: 429, retryAfter: expect.stringMatching(/^[1-9]/) });
  expect(await send("eth_chainId", { cookie: other })).toMatchObject({ status: 200 });
});

test("one network uses up its own quota with however many accounts, and no other network's", async () => {
  stopClock();
  vi.stubEnv("TRUSTED_PROXIES", "loopback");
  for (const name of ["config", "trustedProxies"]) forgetSingleton(name);
  const batch = JSON.stringify(Array.from({ length: 5 }, () => callOf("eth_chainId")));
  const isRefused = async (cookie: string) => (await send("", { cookie, from: "203.0.113.7", body: batch })).text.includes("-32005");
  let accounts = 0;
  // An account that is new, and refused at its first batch, is refused for its network.
  for (let cookie = await sessionCookie(); !(await isRefused(cookie)); cookie = await sessionCookie()) {
    expect(++accounts).toBeLessThan(50);
    while (!(await isRefused(cookie)));
  }
  expect(accounts).toBeGreaterThan(3);
  const another = await sessionCookie();
  expect(await send("eth_chainId", { cookie: another, from: "203.0.113.7" })).toMatchObject({ status: 429 });
  expect(await send("eth_chainId", { cookie: another, from: "198.51.100.7" })).toMatchObject({ status: 200 });
});

test("a page's failed calls never make deposits and payouts skip a node", async () => {
  const cookie = await sessionCookie();
  const first = await failingNode(evm.url(), (method) => method !== "eth_gasPrice");
  setSandboxEvmNodes([first.url, evm.url()]);
  expect((await send("eth_gasPrice", { cookie })).status).toBe(200);
  expect(first.calls.map(({ method }) => method)).toContain("eth_gasPrice");
  const before = first.calls.length;
  await evmNodes().callFirst((node) => node.call("eth_blockNumber", [], z.string()));
  expect(first.calls.slice(before).map(({ method }) => method)).toContain("eth_blockNumber");

  const firstSolana = await failingNode(solana.url, (method) => method !== "getBlockHeight");
  setSandboxSolanaNodes([firstSolana.url, solana.url], solana.genesisHash);
  expect((await send("getBlockHeight", { chain: "solana", cookie })).status).toBe(200);
  expect(firstSolana.calls.map(({ method }) => method)).toContain("getBlockHeight");
  const beforeSolana = firstSolana.calls.length;
  await solanaNodes().call("getSlot", [], z.number());
  expect(firstSolana.calls.slice(beforeSolana).map(({ method }) => method)).toContain("getSlot");
});

const rpc = (method: string, params: unknown[]) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const elsewhere = `0x${"12".repeat(20)}`;

test.each<[what: string, method: string, params: unknown[]]>([
  ["code without an address", "eth_call", [{ data: "0x623000006000fd" }]],
  ["code of a new contract", "eth_estimateGas", [{ to: null, data: "0x623000006000fd" }]],
  ["another state", "eth_call", [{ to: elsewhere }, "latest", { [elsewhere]: { code: "0x623000006000fd" } }]],
  ["another state and block", "eth_estimateGas", [{ to: elsewhere }, "latest", {}, {}]],
  ["nothing", "eth_call", []],
])("%s reaches no node", async (_what, method, params) => {
  const cookie = await sessionCookie();
  const node = await failingNode(evm.url(), () => true);
  setSandboxEvmNodes([node.url]);
  expect(JSON.parse((await send("", { cookie, body: rpc(method, params) })).text)).toMatchObject({ error: { code: -32_602 } });
  expect(node.calls).toEqual([]);
});

test.each([
  ["more than it may", "0x5f5e100"],
  ["none", undefined],
])("a call that names %s gets five million gas", async (_what, gas) => {
  const cookie = await sessionCookie();
  const node = await failingNode(evm.url(), () => true);
  setSandboxEvmNodes([node.url]);
  await send("", { cookie, body: rpc("eth_call", [{ to: elsewhere, gas }, "latest"]) });
  expect(node.calls.at(-1)).toMatchObject({ method: "eth_call", params: [{ to: elsewhere, gas: "0x4c4b40" }, "latest"] });
});

/** A node in front of the chain's that answers every call but that for its identity with 300 kB. */
async function verboseNode(url: string) {
  const isIdentity = (method: string) => method === "eth_chainId" || method === "getGenesisHash";
  const node = await startFaultyNode(url, ({ method }) => (isIdentity(method) ? null : { claim: () => `0x${"00".repeat(150_000)}` }));
  toClose.push(node.close);
  return node;
}

test("an answer of a node is read up to 256 kB, asked for once, and costs our own watchers nothing", async () => {
  const cookie = await sessionCookie();
  const [big, bigSolana] = await Promise.all([verboseNode(evm.url()), verboseNode(solana.url)]);
  setSandboxEvmNodes([big.url, big.url]);
  setSandboxSolanaNodes([bigSolana.url, bigSolana.url], solana.genesisHash);
  for (const [chain, node, method, params] of [
    ["base", big, "eth_call", [{ to: elsewhere }, "latest"]],
    ["solana", bigSolana, "getMultipleAccounts", [[]]],
  ] as const) {
    const { text } = await send("", { chain, cookie, body: rpc(method, [...params]) });
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32_005, message: expect.stringContaining("262144 bytes") } });
    expect(node.calls.filter((call) => call.method === method)).toHaveLength(1);
  }
  expect(await evmNodes().callFirst((node) => node.call("eth_call", [], z.string()))).toHaveLength(300_002);
  expect(await solanaNodes().call("getAnything", [], z.string())).toHaveLength(300_002);
});

test("lists of accounts and of fees that no page needs reach no node", async () => {
  const cookie = await sessionCookie();
  const ask = async (chain: ChainId, method: string, params: unknown[]) => {
    const { text } = await send(method, { chain, cookie, body: JSON.stringify({ ...callOf(method), params }) });
    return (JSON.parse(text) as { error?: { code: number } }).error?.code;
  };
  expect(await ask("base", "eth_feeHistory", ["0x400", "latest", []])).toBe(-32_602);
  expect(await ask("base", "eth_feeHistory", ["0x14", "latest", [50]])).toBeUndefined();
  const accounts = (count: number) => Array(count).fill("11111111111111111111111111111111");
  expect(await ask("solana", "getMultipleAccounts", [accounts(100)])).toBe(-32_602);
  expect(await ask("solana", "getMultipleAccounts", [accounts(20)])).toBeUndefined();
});
