// The examples of signed payments, run unchanged against the service and a real chain, by a wallet that has never paid before.

import { erc20Abi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeAll, expect, test } from "vitest";
import { paymentReasonNames } from "@/lib/base/errors/payment-reasons";
import { listModelPrices } from "@/lib/console/models";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { awaitNothingHeld, expectUncharged } from "@/lib/gateway/contract/testing/books";
import { openPayments } from "@/lib/gateway/contract/testing/payments";
import { openService } from "@/lib/gateway/contract/testing/service";
import { messageLines } from "@/lib/gateway/reads/payment-terms";
import { defaultModel } from "@/lib/providers/catalogue";
import { exampleSite, runExample, runShell } from "../testing/run-example";
import { baseExample, priceExample } from "../x402/examples";
import { approveExample, openaiExample, payExample, termsExample } from "./examples";
import { paymentCures } from "./reasons";

const service = await openService({ env: { PAYMENT_WAIT_MS: "10000" } });
const payments = await openPayments();
const site = exampleSite(service.url("node"));
const model = defaultModel(listModelPrices()).id;
const walletKey = generatePrivateKey();
const wallet = privateKeyToAccount(walletKey);

beforeAll(async () => {
  await payments.chain.fundGas(wallet.address);
  await payments.chain.mint(wallet.address, 20_000_000n);
});

const run = (code: string, environment: Record<string, string> = {}) =>
  runExample(code, { WALLET_KEY: walletKey, BASE_RPC_URL: payments.chain.url(), ...environment });

const allowance = (): Promise<bigint> =>
  payments.chain.client.readContract({
    address: payments.chain.usdc,
    abi: erc20Abi,
    functionName: "allowance",
    args: [wallet.address, payments.contract],
  });

/** The amount in an example's output. */
const printedCents = (printed: string): bigint => BigInt(/amount: (\d+)/.exec(printed)?.[1] ?? 0);

test("every reason has its fix, in the API's order", () => {
  expect(Object.keys(paymentCures).sort()).toEqual([...paymentReasonNames].sort());
});

test("the terms state the text to sign, and where the contract is", async () => {
  const { message, networks } = JSON.parse(await runShell(termsExample(site)));
  expect(message).toEqual(messageLines("PennyPrompt"));
  expect(networks).toMatchObject([{ settlementContract: payments.contract, isDeployed: true, usdc: payments.chain.usdc.toLowerCase() }]);
});

test("a wallet approves 5 USDC once, then pays for a prompt: the signed amount moves, and the change stays with the wallet", async () => {
  expect(await run(approveExample(site))).toMatch(/^approved 0x[0-9a-f]{64}\n$/);
  expect(await allowance()).toBe(5_000_000n);
  const account = await openAccount({ usd: "0" });
  const printed = await run(payExample(site, model), { PENNYPROMPT_KEY: account.key });
  expect(printed).toContain("Simulated answer");
  expect(printed).toMatch(/transaction: '0x[0-9a-f]{64}'/);
  expect(printed).toContain("changeBelongsTo: 'address'");
  expect(printedCents(printed)).toBeGreaterThan(0n);
  expect(await payments.moved()).toBe(printedCents(printed) * 10_000n);
  expect(await allowance()).toBe(5_000_000n - printedCents(printed) * 10_000n);
  await expectUncharged(account);
  await awaitNothingHeld();
});

test("OpenAI's client carries the payment in a header", async () => {
  const { key } = await openAccount({ usd: "0" });
  const before = await payments.moved();
  expect(await run(openaiExample(site, model), { PENNYPROMPT_KEY: key })).toContain("Simulated answer");
  expect(await payments.moved()).toBe(before + 50_000n);
});

test("x402's own client pays without a key; once the wallet's credit suffices, it pays and nothing leaves the wallet", async () => {
  const { code } = JSON.parse(await runShell(priceExample(site, model)));
  expect(code).toBe("PAYMENT_REQUIRED");
  const key = generatePrivateKey();
  await payments.chain.mint(privateKeyToAccount(key).address, 1_000_000n);
  const pay = async () => {
    const before = await payments.moved();
    const printed = await run(baseExample(site, model), { WALLET_KEY: key });
    expect(printed).toContain("Simulated answer");
    return { printed, units: (await payments.moved()) - before };
  };
  const first = await pay();
  expect(first.printed).toMatch(/transaction: '0x[0-9a-f]{64}'/);
  expect(first.units).toBeGreaterThan(0n);
  let last = first;
  for (let more = 0; more < 4 && last.units > 0n; more += 1) last = await pay();
  expect(last.units).toBe(0n);
  expect(last.printed).toContain("transaction: null");
});
