import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Hex, serializeErc6492Signature } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { verifyEvmSignature } from "./signature";
import { startAnvil } from "./testing/anvil";
import { contractWallets, factory, undeployed } from "./testing/contract-wallets";

const owner = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());
const text = "pennyprompt.example wants you to sign in with your Ethereum account:";
const walletAt: Hex = `0x${"c0".repeat(20)}`;

let anvil: Awaited<ReturnType<typeof startAnvil>>;
const servers: Server[] = [];

beforeAll(async () => {
  anvil = await startAnvil();
});
afterEach(() => {
  vi.unstubAllEnvs();
  forgetSingleton("config");
});
afterAll(async () => {
  for (const server of servers) server.close();
  await anvil.stop();
});

function setNodes(...urls: string[]): void {
  vi.stubEnv("BASE_RPC_URLS", urls.join(","));
  forgetSingleton("config");
}

const deploy = (runtime: Hex) => anvil.client.setCode({ address: walletAt, bytecode: runtime });
const signature = () => owner.signMessage({ message: text });

/** A node that answers every call with `reply`. */
async function fakeNode(reply: object, status = 200): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply }));
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a contract wallet signs in with its owner's signature and no other", async () => {
  setNodes(anvil.url);
  await deploy(contractWallets.ownedBy(owner.address));
  expect(await verifyEvmSignature(walletAt, text, await signature())).toBe("valid");
  expect(await verifyEvmSignature(walletAt, `${text} `, await signature())).toBe("invalid");
  expect(await verifyEvmSignature(walletAt, text, await stranger.signMessage({ message: text }))).toBe("invalid");
  expect(await verifyEvmSignature(walletAt, text, "0x1234")).toBe("invalid");
});

test("its signature may have any length of at least 32 bytes", async () => {
  setNodes(anvil.url);
  await deploy(contractWallets.takesAll);
  for (const bytes of [32, 64, 65, 66, 1_000, 4_000]) {
    expect(await verifyEvmSignature(walletAt, text, `0x${"12".repeat(bytes)}`)).toBe("valid");
  }
});

test.each(["wrongMagic", "justTrue", "silent", "short", "reverts", "revertsWithMagic", "invalid", "burnsGas", "hugeAnswer"] as const)(
  "a contract that refuses (%s) counts as a refusal, not as a node failure",
  async (kind) => {
    setNodes(anvil.url);
    await deploy(contractWallets[kind]);
    expect(await verifyEvmSignature(walletAt, text, await signature())).toBe("invalid");
  },
);

test("at an address without a contract another key's signature is refused, with high s or low", async () => {
  setNodes(anvil.url);
  const made = await signature();
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const high = (order - BigInt(`0x${made.slice(66, 130)}`)).toString(16).padStart(64, "0");
  const other: Hex = `${made.slice(0, 66) as Hex}${high}${made.endsWith("1b") ? "1c" : "1b"}`;
  expect(await verifyEvmSignature(owner.address.toLowerCase(), text, made)).toBe("valid");
  expect(await verifyEvmSignature(owner.address.toLowerCase(), text, other)).toBe("invalid");
  expect(await verifyEvmSignature(stranger.address.toLowerCase(), text, made)).toBe("invalid");
});

test("an undeployed wallet signs in with its deployment in the signature, which changes nothing on the chain", async () => {
  setNodes(anvil.url);
  const { address, factoryData } = undeployed(contractWallets.ownedBy(owner.address));
  const wrap = (inner: Hex, data = factoryData, to: Hex = factory) => serializeErc6492Signature({ address: to, data, signature: inner });
  expect(await verifyEvmSignature(address, text, wrap(await signature()))).toBe("valid");
  expect(await anvil.client.request({ method: "eth_getCode" as never, params: [address, "latest"] as never })).toBe("0x");
  expect(await verifyEvmSignature(address, text, await signature())).toBe("invalid");
  expect(await verifyEvmSignature(address, text, wrap(await stranger.signMessage({ message: text })))).toBe("invalid");
  // The deployment of another contract, an empty one, and one of a contract that accepts everything, which has another address.
  const other = undeployed(contractWallets.takesAll);
  expect(await verifyEvmSignature(address, text, wrap(await signature(), other.factoryData))).toBe("invalid");
  expect(await verifyEvmSignature(address, text, wrap(await signature(), factoryData, walletAt))).toBe("invalid");
  expect(await verifyEvmSignature(stranger.address.toLowerCase(), text, wrap("0x1234", other.factoryData))).toBe("invalid");
  expect(await verifyEvmSignature(address, text, `0x${"6492".repeat(16)}`)).toBe("invalid");
});

test("nodes are tried in order; when none answers, the signature is not reported as invalid", async () => {
  await deploy(contractWallets.ownedBy(owner.address));
  const gone = await fakeNode({});
  await new Promise((closed) => servers.pop()?.close(closed));
  const failing = await fakeNode({ error: { code: -32_000, message: "header not found" } });
  const broken = await fakeNode({}, 503);
  const rubbish = await fakeNode({ result: "0x" });
  setNodes(gone, anvil.url);
  expect(await verifyEvmSignature(walletAt, text, await signature())).toBe("valid");
  for (const nodes of [[gone], [failing], [broken], [rubbish], [broken, gone]]) {
    setNodes(...nodes);
    expect(await verifyEvmSignature(walletAt, text, await signature()), nodes.join()).toBe("unavailable");
  }
});

test("without a node a key's signature is still verified, and a possible contract signature is not reported as invalid", async () => {
  setNodes();
  expect(await verifyEvmSignature(owner.address.toLowerCase(), text, await signature())).toBe("valid");
  expect(await verifyEvmSignature(stranger.address.toLowerCase(), text, await signature())).toBe("invalid");
  expect(await verifyEvmSignature(walletAt, text, `${await signature()}00`)).toBe("unavailable");
});
