// Attacks by whoever runs one of two nodes, and by wallets that sign for others: nobody is signed in by one node's word, and a wrong
// signature is never more than wrong. One node is the chain's own, the other a server in front of it that lies.

import { type Hex, serializeErc6492Signature } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { haveNodesAgreed } from "../quorum";
import { verifyContractSignature } from "./contract-wallet";
import { createNodes, type EvmNodes } from "./nodes";
import { verifyEvmSignature, verifyProofSignature } from "./signature";
import { contractWallets, factory, undeployed } from "./testing/contract-wallets";
import { type Fault, forward, startFaultyNode } from "./testing/faulty-node";
import { newAddress, startUsdcChain, type UsdcChain } from "./testing/usdc-chain";

const owner = privateKeyToAccount(generatePrivateKey());
const thief = privateKeyToAccount(generatePrivateKey());
const text = "pennyprompt.example wants you to sign in with your Ethereum account:";
const YES = `0x${"1".padStart(64, "0")}`;
const NO = `0x${"0".repeat(64)}`;

let chain: UsdcChain;
let wallet: Hex;
const toClose: (() => unknown)[] = [];
const logged: string[] = [];
/** How far the chain's clock, and ours with it, is ahead of this machine's. */
let aheadMs = 0;
const restoreClock = setClock(() => Date.now() + aheadMs);

beforeAll(async () => {
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  await chain.mine(5);
  const keep = (...values: unknown[]) => void logged.push(JSON.stringify(values));
  replaceSingleton("log", { info: keep, warn: keep, error: keep });
});
afterEach(async () => {
  logged.length = 0;
  forgetSingleton("disagreement of nodes");
  for (const close of toClose.splice(0)) await close();
});
afterAll(async () => {
  restoreClock();
  forgetSingleton("log");
  await chain?.stop();
});

async function deploy(runtime: Hex): Promise<Hex> {
  const address = newAddress();
  await chain.client.setCode({ address, bytecode: runtime });
  await chain.mine(1);
  return address;
}

type Decide = (call: { method: string; params: unknown[] }) => Fault | null;

/** Two nodes that must agree; one answers as `decide` says. It may be the first or the second. */
async function withLiar(decide: Decide, place: "first" | "second" = "first", timeoutMs = 30_000) {
  const liar = await startFaultyNode(chain.url(), decide);
  const honest = await startFaultyNode(chain.url(), () => null);
  toClose.push(liar.close, honest.close);
  const urls = place === "first" ? [liar.url, honest.url] : [honest.url, liar.url];
  return { liar, honest, nodes: createNodes({ urls, chainId: chain.chainId, quorum: 2, timeoutMs }) };
}

const rewrite =
  (method: string, change: NonNullable<Fault["rewrite"]>): Decide =>
  (call) =>
    call.method === method ? { rewrite: change } : null;

/** Every way of checking a contract wallet's signature: to sign in or order, and to pay. */
const checks: [string, (address: Hex, signature: Hex, nodes: EvmNodes) => Promise<string>][] = [
  ["sign in", (address, signature, nodes) => verifyEvmSignature(address, text, signature, nodes)],
  ["pay", (address, signature, nodes) => verifyProofSignature(address, text, signature, nodes)],
];
const places = ["first", "second"] as const;

const signedBy = (account: typeof owner) => account.signMessage({ message: text });
const disagreements = async () =>
  (await metrics().nodeDisagreements.get()).values.find(({ labels }) => labels.chain === "base")?.value ?? 0;

test.each(places)("the %s node alone cannot make a thief's signature a wallet's: it is an alarm, and nothing is decided", async (place) => {
  wallet = await deploy(contractWallets.ownedBy(owner.address));
  const { nodes } = await withLiar(
    rewrite("eth_call", () => YES),
    place,
  );
  const before = await disagreements();
  for (const [what, check] of checks) expect(await check(wallet, await signedBy(thief), nodes), what).toBe("unavailable");
  expect(await disagreements()).toBe(before + 2);
  expect(haveNodesAgreed()).toBe(false);
  expect(logged.join("\n")).toContain("two nodes gave different answers about one block");
  expect(logged.join("\n")).toContain(wallet);
  expect(logged.join("\n")).not.toContain("127.0.0.1");
});

test.each(places)("the %s node alone cannot invent a contract where there is none", async (place) => {
  const decide: Decide = ({ method }) =>
    method === "eth_getCode" ? { rewrite: () => contractWallets.takesAll } : method === "eth_call" ? { rewrite: () => YES } : null;
  const { nodes } = await withLiar(decide, place);
  for (const [what, check] of checks) expect(await check(newAddress(), await signedBy(thief), nodes), what).toBe("unavailable");
});

test.each(places)("the %s node alone cannot shut a wallet's owner out unseen: no code, or a refusal, is an alarm", async (place) => {
  wallet = await deploy(contractWallets.ownedBy(owner.address));
  for (const lie of [rewrite("eth_getCode", () => "0x"), rewrite("eth_call", () => NO)]) {
    forgetSingleton("disagreement of nodes");
    const { nodes } = await withLiar(lie, place);
    for (const [what, check] of checks) expect(await check(wallet, await signedBy(owner), nodes), what).toBe("unavailable");
    expect(haveNodesAgreed()).toBe(false);
  }
});

test("two honest nodes sign the owner in, and a thief's signature is wrong without an alarm", async () => {
  wallet = await deploy(contractWallets.ownedBy(owner.address));
  const { nodes, liar } = await withLiar(() => null);
  for (const [what, check] of checks) {
    expect(await check(wallet, await signedBy(owner), nodes), what).toBe("valid");
    expect(await check(wallet, await signedBy(thief), nodes), what).toBe("invalid");
  }
  expect(haveNodesAgreed()).toBe(true);
  // Both are asked at one block, by its hash, and by the same sender.
  const asked = liar.calls.filter(({ method }) => method === "eth_call").map(({ params }) => params[1]);
  expect(asked).toHaveLength(4);
  for (const at of asked) expect(at).toEqual({ blockHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
});

test("a wallet whose answer depends on its caller cannot raise the alarm: both nodes get the same call", async () => {
  // Accepts when the caller's address is odd: 63... = magic × (origin & 1), moved to the left.
  wallet = await deploy("0x32600116631626ba7e0260e01b60005260206000f3");
  const { nodes } = await withLiar(() => null);
  const verdicts = new Set<string>();
  for (let times = 0; times < 12; times++) verdicts.add(await verifyEvmSignature(wallet, text, await signedBy(thief), nodes));
  expect([...verdicts].every((verdict) => verdict === "valid" || verdict === "invalid")).toBe(true);
  expect(haveNodesAgreed()).toBe(true);
});

test("an owner whom the wallet has removed gets in by no old block that one node names", async () => {
  wallet = await deploy(contractWallets.ownedBy(thief.address));
  const old = await chain.client.getBlock();
  await chain.client.setCode({ address: wallet, bytecode: contractWallets.ownedBy(owner.address) });
  await chain.client.increaseTime({ seconds: 600 });
  aheadMs += 600_000;
  await chain.mine(3);
  const named = { number: `0x${old.number.toString(16)}`, hash: old.hash, parentHash: old.parentHash };
  const now = `0x${Math.floor(Number((await chain.client.getBlock()).timestamp)).toString(16)}`;
  for (const timestamp of [`0x${old.timestamp.toString(16)}`, now]) {
    const lie: Decide = ({ method, params }) =>
      method === "eth_getBlockByNumber" && params[0] === "latest" ? { rewrite: () => ({ ...named, timestamp }) } : null;
    for (const place of places) {
      const { nodes } = await withLiar(lie, place);
      for (const [what, check] of checks) expect(await check(wallet, await signedBy(thief), nodes), what).toBe("unavailable");
    }
  }
});

test.each<[string, Decide, number?]>([
  ["is down", () => ({ drop: true })],
  ["does not answer in time", ({ method }) => (method === "eth_chainId" ? null : { delayMs: 1_000 }), 500],
  ["fails", () => ({ status: 503 })],
  ["serves another chain", rewrite("eth_chainId", () => "0x2105")],
  ["lacks the block that it just named", rewrite("eth_call", () => null)],
  [
    "does not know the block",
    ({ method }) => (method === "eth_getCode" ? { error: { code: -32_001, message: "resource not found" } } : null),
  ],
  ["answers in another form", rewrite("eth_call", () => "0x")],
])("while one of two nodes %s, the other one's word is not enough, and nothing is called wrong", async (_, decide, timeoutMs) => {
  wallet = await deploy(contractWallets.ownedBy(owner.address));
  for (const place of places) {
    const { nodes } = await withLiar(decide, place, timeoutMs);
    for (const [what, check] of checks) {
      for (const one of [owner, thief]) expect(await check(wallet, await signedBy(one), nodes), what).toBe("unavailable");
    }
  }
  expect(haveNodesAgreed()).toBe(true);
});

test("a node some blocks behind is asked at its own head, and a third node stands in for one that is down", async () => {
  wallet = await deploy(contractWallets.ownedBy(owner.address));
  const latest = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] };
  const block = (await forward(chain.url(), JSON.stringify(latest)))?.result as { hash: Hex };
  await chain.mine(4);
  const behind: Decide = ({ method, params }) =>
    method === "eth_getBlockByNumber" && params[0] === "latest" ? { rewrite: () => block } : null;
  for (const place of places) {
    const { nodes, liar } = await withLiar(behind, place);
    expect(await verifyEvmSignature(wallet, text, await signedBy(owner), nodes)).toBe("valid");
    expect(liar.calls.find(({ method }) => method === "eth_call")?.params[1]).toEqual({ blockHash: block.hash });
  }
  const nodes = createNodes({ urls: ["http://127.0.0.1:9", chain.url(), chain.url()], chainId: chain.chainId, quorum: 2 });
  expect(await verifyEvmSignature(wallet, text, await signedBy(owner), nodes)).toBe("valid");
});

test("a reorganisation between the two heads is no answer and no alarm, and is over at the next try", async () => {
  wallet = await deploy(contractWallets.ownedBy(owner.address));
  let isForked = true;
  const forked = `0x${"f0".repeat(32)}`;
  const lie: Decide = ({ method }) =>
    isForked && method === "eth_getBlockByNumber" ? { rewrite: (block) => ({ ...(block as object), hash: forked }) } : null;
  const { nodes } = await withLiar(lie);
  expect(await verifyEvmSignature(wallet, text, await signedBy(owner), nodes)).toBe("unavailable");
  expect(haveNodesAgreed()).toBe(true);
  isForked = false;
  expect(await verifyEvmSignature(wallet, text, await signedBy(owner), nodes)).toBe("valid");
});

test("wrong signatures of an ordinary key are found out once, and cost no calls after that", async () => {
  const { nodes, liar, honest } = await withLiar(() => null);
  const address = owner.address.toLowerCase() as Hex;
  for (const [what, check] of checks) expect(await check(address, await signedBy(owner), nodes), what).toBe("valid");
  expect([liar.calls, honest.calls]).toEqual([[], []]);
  expect(await verifyEvmSignature(address, text, await signedBy(thief), nodes)).toBe("invalid");
  // One question, whether there is a contract; its code is never run.
  expect(liar.calls.filter(({ method }) => method === "eth_getCode")).toHaveLength(1);
  expect(liar.calls.some(({ method }) => method === "eth_call")).toBe(false);
  const calls = liar.calls.length + honest.calls.length;
  for (const [, check] of checks)
    for (const wrong of [await signedBy(thief), `0x${"12".repeat(65)}`, `0x${"34".repeat(700)}`] as const)
      expect(await check(address, wrong, nodes)).toBe("invalid");
  expect(liar.calls.length + honest.calls.length).toBe(calls);
});

test("a signature longer than any wallet makes costs no call", async () => {
  wallet = await deploy(contractWallets.takesAll);
  const { nodes, liar, honest } = await withLiar(() => null);
  const magic = "6492".repeat(16);
  expect(await verifyEvmSignature(wallet, text, `0x${"12".repeat(8_193)}`, nodes)).toBe("invalid");
  expect(await verifyEvmSignature(wallet, text, `0x${"12".repeat(8_192 - 31)}${magic}`, nodes)).toBe("invalid");
  expect(await verifyProofSignature(wallet, text, `0x${"12".repeat(4_097)}`, nodes)).toBe("invalid");
  expect([liar.calls, honest.calls]).toEqual([[], []]);
  expect(await verifyEvmSignature(wallet, text, `0x${"12".repeat(8_192)}`, nodes)).toBe("valid");
});

const { address: counterfactual, factoryData } = undeployed(contractWallets.ownedBy(owner.address));
const wrap = (signature: Hex, data: Hex = factoryData, to: Hex = factory) => serializeErc6492Signature({ address: to, data, signature });

test("a wallet that is not deployed yet signs in at two nodes, and nothing stays on the chain", async () => {
  const { nodes } = await withLiar(() => null);
  const signature = wrap(await signedBy(owner));
  expect(await verifyEvmSignature(counterfactual, text, signature, nodes)).toBe("valid");
  expect(await chain.client.getCode({ address: counterfactual })).toBeUndefined();
  // The longest that is taken fits into one creation.
  const filler = (8_192 - (signature.length - 2) / 2) & ~31;
  const long = wrap(`${await signedBy(owner)}${"00".repeat(filler - 64)}`);
  expect(await verifyEvmSignature(counterfactual, text, long, nodes)).toBe("valid");
});

test("a forged deployment signs nobody in: another wallet's, another factory, a foreign owner, or the suffix alone", async () => {
  const { nodes } = await withLiar(() => null);
  const key = owner.address.toLowerCase() as Hex;
  const other = undeployed(contractWallets.takesAll);
  const wallet = await deploy(contractWallets.takesAll);
  const forged: [string, Hex, Hex][] = [
    ["a thief's signature", counterfactual, wrap(await signedBy(thief))],
    ["the deployment of a wallet that takes all", counterfactual, wrap(await signedBy(thief), other.factoryData)],
    ["a factory that is a wallet", counterfactual, wrap(await signedBy(owner), factoryData, wallet)],
    ["a factory without code", counterfactual, wrap(await signedBy(owner), factoryData, newAddress())],
    ["a factory that is the wallet itself", counterfactual, wrap(await signedBy(owner), factoryData, counterfactual)],
    ["an ordinary key's address", key, wrap(await signedBy(thief), other.factoryData)],
    ["an ordinary key's address that is its own factory", key, wrap(await signedBy(thief), other.factoryData, key)],
    ["a wallet inside a wallet", counterfactual, wrap(wrap(await signedBy(thief), other.factoryData))],
    ["the suffix alone", counterfactual, `0x${"6492".repeat(16)}`],
    ["the suffix after rubbish", counterfactual, `0x${"ff".repeat(300)}${"6492".repeat(16)}`],
    ["offsets beyond its end", counterfactual, `0x${"7f".repeat(96)}${"6492".repeat(16)}`],
  ];
  for (const [what, address, signature] of forged) {
    expect(await verifyEvmSignature(address, text, signature, nodes), what).toBe("invalid");
    // An undeployed wallet pays for nothing: it could have approved nothing.
    expect(await verifyProofSignature(address, text, signature, nodes), what).toBe("invalid");
  }
  expect(await verifyProofSignature(counterfactual, text, wrap(await signedBy(owner)), nodes)).toBe("invalid");
  expect(haveNodesAgreed()).toBe(true);
});

test.each(places)("the %s node alone cannot deploy a wallet that is none", async (place) => {
  const { nodes } = await withLiar(
    rewrite("eth_call", () => YES),
    place,
  );
  expect(await verifyEvmSignature(counterfactual, text, wrap(await signedBy(thief)), nodes)).toBe("unavailable");
  expect(haveNodesAgreed()).toBe(false);
});

test("with one node and no leave to trust it, or none at all, nobody is signed in as a contract", async () => {
  wallet = await deploy(contractWallets.takesAll);
  const nodesOf = (...urls: string[]) => createNodes({ urls, chainId: chain.chainId, quorum: 2 });
  expect(await verifyEvmSignature(wallet, text, await signedBy(thief), nodesOf(chain.url()))).toBe("unavailable");
  expect(await verifyContractSignature(wallet, `0x${"12".repeat(32)}`, `0x${"12".repeat(70)}`, nodesOf())).toBe("unavailable");
});
