// The chains' JSON-RPC proxy in front of real nodes: stock clients work through it, and nothing else gets through.

import { Connection, Keypair, LAMPORTS_PER_SOL, SystemProgram, Transaction } from "@solana/web3.js";
import { createPublicClient, createWalletClient, http, parseAbi } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { newAccountId, newSessionId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { newAddress, startUsdcChain, type UsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import type { Owner } from "../owner";
import { answerRpc } from "./rpc-proxy";

const origin = "http://127.0.0.1:3000";
let evm: UsdcChain;
let solana: TestSolanaChain;
const toClose: (() => unknown)[] = [];

beforeAll(async () => {
  [evm, solana] = await Promise.all([startUsdcChain({ blockTimeMs: 100 }), startTestSolanaChain()]);
});
afterAll(async () => {
  await evm?.stop();
  await solana?.remove();
});
beforeEach(() => {
  setSandboxEvmNodes([evm.url()]);
  setSandboxSolanaNodes([solana.url], solana.genesisHash);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const name of ["config", "limits.limiter", "sandbox EVM nodes", "EVM nodes", "sandbox Solana nodes"]) forgetSingleton(name);
  for (const close of toClose.splice(0)) await close();
});

const owner: Owner = {
  accountId: newAccountId(),
  sessionId: newSessionId(),
  wallet: { chain: "evm", address: newAddress() },
  isFrozen: false,
  isLeaving: false,
  confirmedAt: new Date(0),
  spendsUntil: null,
};
const signedIn = async () => ({ owner });

interface Reply {
  id: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

async function post(chain: string, body: string, headers: Record<string, string> = { origin }) {
  const response = await answerRpc(new Request(`${origin}/api/rpc/${chain}`, { method: "POST", headers, body }), chain, signedIn);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const callOf = (method: string, params: unknown[] = [], id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });

async function call(chain: string, method: string, params: unknown[] = []): Promise<Reply> {
  return JSON.parse((await post(chain, JSON.stringify(callOf(method, params)))).text) as Reply;
}

/** A fetch that a browser would send, answered by the proxy. */
const throughProxy = (chain: string) => (input: string | URL | Request, init?: RequestInit) => {
  const request = new Request(input, init);
  request.headers.set("origin", origin);
  return answerRpc(request, chain, signedIn);
};

async function faultyNode(fault: Fault) {
  const node = await startFaultyNode(evm.url(), ({ method }) => (method === "eth_chainId" ? null : fault));
  toClose.push(node.close);
  return node;
}

test("viem reads and sends USDC through it, and gets the reason of a refused call", async () => {
  const account = await evm.newAccount(5_000_000n);
  const transport = http(`${origin}/api/rpc/base`, { fetchFn: throughProxy("base"), retryCount: 0 });
  const { chain } = evm.client;
  const reader = createPublicClient({ chain, transport, pollingInterval: 50 });
  const wallet = createWalletClient({ account, chain, transport });
  const abi = parseAbi([
    "function transfer(address to, uint256 value) returns (bool)",
    "function balanceOf(address) view returns (uint256)",
  ]);
  const to = newAddress();
  const hash = await wallet.writeContract({ address: evm.usdc, abi, functionName: "transfer", args: [to, 2_000_000n] });
  expect((await reader.waitForTransactionReceipt({ hash })).status).toBe("success");
  expect(await reader.readContract({ address: evm.usdc, abi, functionName: "balanceOf", args: [to] })).toBe(2_000_000n);
  const tooMuch = reader.simulateContract({ account, address: evm.usdc, abi, functionName: "transfer", args: [to, 9_000_000n] });
  await expect(tooMuch).rejects.toThrow("transfer amount exceeds balance");
});

test("web3.js reads and sends through it, and gets the reason of a refused transaction", async () => {
  const connection = new Connection(`${origin}/api/rpc/solana`, { commitment: "confirmed", fetch: throughProxy("solana") });
  const [from, to] = [Keypair.generate(), Keypair.generate().publicKey];
  await solana.airdrop(from.publicKey.toBase58(), BigInt(LAMPORTS_PER_SOL));
  await expect.poll(() => connection.getBalance(from.publicKey)).toBe(LAMPORTS_PER_SOL);
  const pay = async (lamports: number) => {
    const { blockhash } = await connection.getLatestBlockhash();
    const transaction = new Transaction({ recentBlockhash: blockhash, feePayer: from.publicKey });
    transaction.add(SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports }));
    transaction.sign(from);
    return connection.sendRawTransaction(transaction.serialize());
  };
  const signature = await pay(LAMPORTS_PER_SOL / 2);
  await expect.poll(async () => (await connection.getSignatureStatus(signature)).value?.confirmationStatus).toMatch(/confirmed|finalized/);
  expect(await connection.getBalance(to)).toBe(LAMPORTS_PER_SOL / 2);
  await expect(pay(LAMPORTS_PER_SOL)).rejects.toThrow(/insufficient lamports|Simulation failed/);
});

test.each([
  [
    "base",
    ["anvil_setBalance", "evm_mine", "eth_sign", "eth_accounts", "eth_sendTransaction", "eth_getLogs", "debug_traceCall", "__proto__"],
  ],
  ["solana", ["requestAirdrop", "sandbox_requestUsdc", "getProgramAccounts", "getSignaturesForAddress", "constructor"]],
])("on %s only listed methods reach a node", async (chain, methods) => {
  const node = await faultyNode({});
  setSandboxEvmNodes([node.url]);
  for (const method of methods) expect(await call(chain, method), method).toMatchObject({ id: 1, error: { code: -32_601 } });
  expect(node.calls).toEqual([]);
});

test("other sites, and clients that are not browsers, are refused", async () => {
  const body = JSON.stringify(callOf("eth_chainId"));
  const others: Record<string, string>[] = [{}, { origin: "https://evil.example" }, { origin: "null" }];
  for (const headers of others) {
    const { status, text } = await post("base", body, headers);
    expect({ status, error: (JSON.parse(text) as Reply).error }).toMatchObject({ status: 403, error: { code: -32_600 } });
  }
  for (const chain of ["ethereum", "constructor", ""]) expect((await post(chain, body)).status).toBe(404);
});

test("an unreadable request gets a JSON-RPC error", async () => {
  const long = JSON.stringify(callOf("eth_call", [{ data: `0x${"00".repeat(33_000)}` }, "latest"]));
  for (const body of [long, "{", "", "eth_chainId"])
    expect(await post("base", body)).toMatchObject({ status: 400, text: expect.stringContaining("-32700") });
  const many = Array.from({ length: 6 }, () => callOf("eth_chainId"));
  for (const body of [[], many])
    expect(await post("base", JSON.stringify(body))).toMatchObject({ status: 400, text: expect.stringContaining("-32600") });
  for (const body of [1, null, "eth_chainId", {}, { ...callOf("eth_chainId"), params: { a: 1 } }, { ...callOf("eth_chainId"), id: {} }]) {
    const { text } = await post("base", JSON.stringify(body));
    expect(JSON.parse(text), text).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32_600 } });
  }
  expect(await call("base", "eth_getBalance", ["nobody", "latest"])).toMatchObject({ error: { code: -32_602 } });
  expect(await call("solana", "getBalance", ["nobody"])).toMatchObject({ error: { code: -32_602 } });
});

test("five calls in one batch are answered in order, each separately", async () => {
  const calls = Array.from({ length: 5 }, (_, id) => callOf(id % 2 === 0 ? "evm_mine" : "eth_chainId", [], id));
  const answers = JSON.parse((await post("base", JSON.stringify(calls))).text) as Reply[];
  expect(answers.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
  for (const [index, { result, error }] of answers.entries())
    expect(index % 2 === 0 ? error?.code : result).toBe(index % 2 === 0 ? -32_601 : "0x7a69");
});

test("nodes that are down or verbose never reveal their address", async () => {
  const gone = "http://127.0.0.1:9/v2/node-key-of-ours";
  forgetSingleton("sandbox EVM nodes");
  vi.stubEnv("BASE_RPC_URLS", gone);
  forgetSingleton("config");
  const away = { code: -32_603, message: "The network is not responding. Try again in a moment." };
  expect((await call("base", "eth_chainId")).error).toEqual(away);
  setSandboxSolanaNodes(["http://127.0.0.1:9"], solana.genesisHash);
  expect((await call("solana", "getSlot")).error).toEqual(away);
  forgetSingleton("sandbox Solana nodes");
  expect((await call("solana", "getSlot")).error).toEqual(away);

  const node = await faultyNode({ error: { code: 3, message: "execution reverted: see http://127.0.0.1/v2/node-key-of-ours" } });
  vi.stubEnv("BASE_RPC_URLS", `${node.url}/v2/node-key-of-ours`);
  forgetSingleton("config");
  const { error } = await call("base", "eth_call", [{ to: newAddress() }, "latest"]);
  expect(error).toMatchObject({ code: 3, message: expect.stringMatching(/^execution reverted: see /) });
  expect(JSON.stringify(error)).not.toMatch(/node-key-of-ours|node 1/);
});
