// Payers of the bench: wallets with test USDC that pay for prompts, by signed proof and by x402, one at a time and all at once.
// Bundled by the bench and run as `node … <origin> <payments of each kind>` with DATA_DIR set.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { x402Client, x402HTTPClient } from "@x402/core/client";
import { decodePaymentResponseHeader } from "@x402/core/http";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { createWalletClient, http, type PrivateKeyAccount, parseAbi, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { createNode } from "@/lib/chains/evm/node";
import { createMinter } from "@/lib/sandbox/evm-chain/minter";
import { openSecrets, readSandboxFile } from "@/lib/sandbox/secrets";
import { quantile } from "./chains-database";

const PAYERS = 50;
const TEN_USDC = 10_000_000n;
const WARM_UP = 10;
const DEPLOYED_WITHIN_MS = 60_000;
const question = { model: "gpt-4-turbo", prompt: "What is a nano-dollar, and why would anyone count in it?", maxTokens: 20 };

const [origin = "", count = "50"] = process.argv.slice(2);
const dataDir = process.env.DATA_DIR ?? "";
const hex = z.templateLiteral(["0x", z.string()]);
const { rpc, usdc } = z.object({ rpc: z.object({ base: z.string() }), usdc: z.object({ base: hex }) }).parse(readSandboxFile(dataDir));
const keys = z.object({ wallets: z.array(z.string()) }).parse(JSON.parse(readFileSync(join(dataDir, "bench-keys.json"), "utf8"))).wallets;

const termsForm = z.object({
  serviceName: z.string(),
  networks: z.array(z.object({ chainId: z.number(), settlementContract: hex, isDeployed: z.boolean() })),
});

async function readTerms() {
  for (const until = performance.now() + DEPLOYED_WITHIN_MS; performance.now() < until; ) {
    const { serviceName, networks } = termsForm.parse(await (await fetch(`${origin}/api/v1/payment-terms`)).json());
    const [network] = networks;
    if (network?.isDeployed) return { serviceName, ...network };
  }
  throw new Error("The settlement contract is not on the sandbox's chain.");
}

const terms = await readTerms();
const node = createNode({ url: rpc.base, name: "the bench's node", timeoutMs: 10_000 });

/** A wallet with ten test USDC, gas money, and an allowance for the settlement contract. */
async function openPayer(): Promise<PrivateKeyAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  const minter = createMinter(openSecrets(dataDir).chainKeys.minter as `0x${string}`, terms.chainId);
  await node.call("anvil_setBalance", [account.address, toHex(10n ** 18n)], z.unknown());
  await minter.mint(node, account.address, TEN_USDC);
  const chain = {
    id: terms.chainId,
    name: "sandbox",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  };
  const wallet = createWalletClient({ account, chain, transport: http(rpc.base) });
  const abi = parseAbi(["function approve(address spender, uint256 value) returns (bool)"]);
  await wallet.writeContract({ address: usdc.base, abi, functionName: "approve", args: [terms.settlementContract, TEN_USDC] });
  return account;
}

/** One paid request: `ms` is the gateway's own time from arrival to answer, as it reports itself. */
interface Paid {
  isServed: boolean;
  /** True when it moved money; false when x402 pays out of the credit of earlier payments. */
  isSettled: boolean;
  ms: number;
  text: string;
}

async function readPaid(answer: Response): Promise<Paid> {
  const text = await answer.text();
  const ms = Number(/gateway;dur=([\d.]+)/.exec(answer.headers.get("server-timing") ?? "")?.[1] ?? Number.NaN);
  const paymentResponse = answer.headers.get("payment-response");
  const isSettled = paymentResponse === null || decodePaymentResponseHeader(paymentResponse).transaction !== "";
  return { isServed: answer.status === 200, isSettled, ms, text: `${answer.status} ${text}` };
}

let requestNumber = Date.now();

async function payByProof(payer: PrivateKeyAccount, key: string): Promise<Paid> {
  const requestId = `req_${requestNumber++}`;
  const timestamp = Date.now();
  const amount = 5;
  const message = [
    `${terms.serviceName} Payment`,
    `Request ID: ${requestId}`,
    `Amount: ${amount} USDC cents`,
    `Timestamp: ${timestamp}`,
  ].join("\n");
  const signature = await payer.signMessage({ message });
  const payment = { from: payer.address, amount, signature, timestamp, requestId, network: "base" };
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return readPaid(await fetch(`${origin}/api/v1/prompt`, { method: "POST", headers, body: JSON.stringify({ ...question, payment }) }));
}

/** The way x402's own client does it. */
async function payByX402(payer: PrivateKeyAccount): Promise<Paid> {
  const schemes = [{ network: "eip155:*", client: new ExactEvmScheme(payer) }] as const;
  // The client does not know a sandbox's USDC token.
  const client = new x402HTTPClient(x402Client.fromConfig({ schemes: [...schemes], spendControls: { allowedAssets: true } }));
  const body = JSON.stringify(question);
  const headers = { "content-type": "application/json" };
  const url = `${origin}/api/v1/x402/prompt`;
  const offer = await fetch(url, { method: "POST", headers, body });
  const required = client.getPaymentRequiredResponse((name) => offer.headers.get(name), await offer.json());
  const payload = await client.createPaymentPayload(required);
  return readPaid(await fetch(url, { method: "POST", headers: { ...headers, ...client.encodePaymentSignatureHeader(payload) }, body }));
}

async function measure(pay: (index: number) => Promise<Paid>) {
  const alone: number[] = [];
  for (let index = 0; alone.length < Number(count); index++) {
    const paid = await pay(index % PAYERS);
    if (!paid.isServed) throw new Error(`A payment was not served: ${paid.text.slice(0, 500)}`);
    if (index >= WARM_UP && paid.isSettled) alone.push(paid.ms);
  }
  const startedMs = performance.now();
  const crowd = await Promise.all(Array.from({ length: PAYERS }, (_, index) => pay(index)));
  const lastMs = performance.now() - startedMs;
  const refused = crowd.find(({ isServed }) => !isServed);
  return {
    alone: { count: alone.length, p50Ms: quantile(alone, 0.5), p95Ms: quantile(alone, 0.95) },
    crowd: { payers: PAYERS, served: crowd.filter(({ isServed }) => isServed).length, lastMs, refused: refused?.text.slice(0, 300) },
  };
}

const payers: PrivateKeyAccount[] = [];
for (let index = 0; index < PAYERS; index++) payers.push(await openPayer());
const others: PrivateKeyAccount[] = [];
for (let index = 0; index < PAYERS; index++) others.push(await openPayer());
const payerAt = (list: readonly PrivateKeyAccount[], index: number) => list[index] as PrivateKeyAccount;
const proof = await measure((index) => payByProof(payerAt(payers, index), keys[index] ?? ""));
const x402 = await measure((index) => payByX402(payerAt(others, index)));
process.stdout.write(`${JSON.stringify({ proof, x402 })}\n`);
process.exit(0);
