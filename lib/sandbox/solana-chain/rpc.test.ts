// The RPC protocol: JSON-RPC 2.0, errors with a validator's messages, and the time of slots.

import { Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSolanaChain, type TestSolanaChain } from "./testing";

let chain: TestSolanaChain;
beforeAll(async () => {
  chain = await startTestSolanaChain();
});
afterAll(async () => await chain?.remove());

async function post(body: string, type = "application/json"): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(chain.url, { method: "POST", body, headers: { "content-type": type } });
  const text = await response.text();
  return { status: response.status, answer: text === "" ? null : response.status === 200 ? JSON.parse(text) : text };
}

interface Answer {
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

async function ask(method: string, ...params: unknown[]): Promise<Answer> {
  return (await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).answer as Answer;
}

const someone = Keypair.generate().publicKey.toBase58();

test("a batch gets a batch response, each call with its id", async () => {
  const calls = [
    { jsonrpc: "2.0", id: "a", method: "getHealth" },
    { jsonrpc: "2.0", id: 2, method: "getNothing" },
    { jsonrpc: "2.0", method: "getSlot" },
    { id: 3 },
  ];
  expect((await post(JSON.stringify(calls))).answer).toEqual([
    { jsonrpc: "2.0", id: "a", result: "ok" },
    { jsonrpc: "2.0", id: 2, error: { code: -32601, message: "Method not found" } },
    { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Invalid request" } },
  ]);
  expect((await post("[]")).answer).toMatchObject({ error: { code: -32600 } });
  expect((await post("{")).answer).toEqual({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
});

test("a page of another origin cannot reach the chain: only JSON is accepted, and no origin is allowed", async () => {
  expect((await post("{}", "text/plain")).status).toBe(415);
  const response = await fetch(chain.url, { method: "OPTIONS", headers: { origin: "https://example.com" } });
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([405, null]);
});

test.each([
  ["getBalance", "Invalid param: Invalid", -32602, ["rubbish!"]],
  ["getBalance", "Invalid param: WrongSize", -32602, ["abc"]],
  ["getBalance", "Invalid param: Invalid", -32602, []],
  ["getBalance", "Invalid params: commitment", -32602, [someone, { commitment: "soon" }]],
  ["getBalance", "Minimum context slot has not been reached", -32016, [someone, { minContextSlot: 1e9 }]],
  ["getTokenAccountBalance", "Invalid param: could not find account", -32602, [someone]],
  ["getTokenAccountsByOwner", "Invalid param: could not find mint", -32602, [someone, { mint: someone }]],
  ["getTokenAccountsByOwner", "Invalid param: unrecognized Token program id", -32602, [someone, { programId: someone }]],
  ["getSignaturesForAddress", "Invalid limit; max 1000", -32602, [someone, { limit: 1_001 }]],
  ["getSignaturesForAddress", "Method does not support commitment below `confirmed`", -32602, [someone, { commitment: "processed" }]],
  ["getSignatureStatuses", "Invalid param: WrongSize", -32602, [["abc"]]],
  ["getMultipleAccounts", "Too many inputs provided; max 100", -32602, [Array(101).fill(someone)]],
  ["sendTransaction", "failed to deserialize", -32602, ["AAAA", { encoding: "base64" }]],
  ["sendTransaction", "takes transactions in base64", -32602, ["5", { encoding: "base58" }]],
  ["sendTransaction", "too large", -32602, ["A".repeat(2_000), { encoding: "base64" }]],
  ["requestAirdrop", "Invalid params", -32602, [someone, 1e15]],
])("%s is refused: %s", async (method, message, code, params) => {
  const { error } = await ask(method, ...params);
  expect(error?.code).toBe(code);
  expect(error?.message).toContain(message);
});

test("a refused transaction returns its logs", async () => {
  const from = Keypair.generate();
  await chain.airdrop(from.publicKey.toBase58(), 1_000_000_000n);
  const { result } = await ask("getLatestBlockhash");
  const transaction = new Transaction().add(
    SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: Keypair.generate().publicKey, lamports: 5e9 }),
  );
  transaction.recentBlockhash = (result as { value: { blockhash: string } }).value.blockhash;
  transaction.feePayer = from.publicKey;
  transaction.sign(from);
  const { error } = await ask("sendTransaction", transaction.serialize().toString("base64"), { encoding: "base64" });
  expect(error).toMatchObject({
    code: -32002,
    message: "Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1",
    data: {
      err: { InstructionError: [0, { Custom: 1 }] },
      logs: expect.arrayContaining([expect.stringContaining("insufficient lamports")]),
    },
  });
});

test("a slot has its time, and a block's height is not its slot", async () => {
  const slot = (await ask("getSlot", { commitment: "processed" })).result as number;
  const { result: time } = await ask("getBlockTime", slot);
  expect(Math.abs((time as number) - Date.now() / 1000)).toBeLessThan(30);
  expect((await ask("getBlockTime", 1e9)).error).toMatchObject({ code: -32004, message: "Block not available for slot 1000000000" });
  expect((await ask("getBlockHeight", { commitment: "processed" })).result as number).toBeLessThan(slot);
});

test("the chain's genesis hash differs from every public cluster's", async () => {
  const publicOnes = [
    "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
    "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
    "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY",
  ];
  const { result } = await ask("getGenesisHash");
  expect(result).toBe(chain.genesisHash);
  expect(publicOnes).not.toContain(result);
});
