// x402's own client, unmodified, at our endpoint: it gets a payment request, signs it and gets its answer. TRANSCRIPT=1 prints the traffic.

import { decodePaymentResponseHeader } from "@x402/fetch";
import { getAddress } from "viem";
import { expect, test } from "vitest";
import { errorCatalogue } from "@/lib/base/errors";
import { parseUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { expectFields, expectHeaders } from "../openapi/testing/described";
import { balanceOf } from "./testing/books";
import { ask, deltaText, expectCommonHeaders, promptOf, readCosts, readError, readEvents, readPromptBody } from "./testing/client";
import { entryNames, openService, PUBLIC_URL } from "./testing/service";
import { transcribed } from "./testing/transcript";
import { expectBooked, openX402, requiredIn, settlementIn, X402_PATH, x402Settings } from "./testing/x402";

const service = await openService({ env: x402Settings });
const x402 = await openX402(service);

const post = (body: object) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("without a payment the answer is 402, and says in x402's format and in ours what to sign", async () => {
  const answer = await x402.requestUnpaid(promptOf({ maxTokens: 100 }));
  const error = readError(answer, "PAYMENT_REQUIRED");
  const required = requiredIn(answer);
  expect(required).toMatchObject({
    x402Version: 2,
    resource: { url: `${PUBLIC_URL}${X402_PATH}`, mimeType: "application/json", serviceName: "PennyPrompt" },
    accepts: [
      {
        scheme: "exact",
        network: "eip155:8453",
        asset: getAddress(usdcOnBase),
        payTo: getAddress(x402.treasury),
        maxTimeoutSeconds: 300,
        extra: { name: "USD Coin", version: "2", bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ],
  });
  expect(error.details.accepts).toEqual(required?.accepts);
  expect(answer.headers.get("payment-response")).toBeNull();
  expect(await x402.answered()).toBe(0);
});

test.each([false, true])("the stock client pays and gets its answer, streamed: %s", async (stream) => {
  const [payer, before] = [await x402.newPayer(), await x402.moved()];
  const body = promptOf({ maxTokens: 100, stream });
  const response = await x402.fetchAs(payer, transcribed)(`${service.url("node")}${X402_PATH}`, post(body));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const events = stream ? readEvents(text) : [];
  const whole = stream ? (events.at(-1)?.data ?? "") : text;
  expectCommonHeaders(response.headers, readPromptBody(whole).requestId);
  if (stream) expect(deltaText(events)).toBe(readPromptBody(whole).text);
  expectFields("PromptAnswer", JSON.parse(whole));
  expectHeaders("createX402Prompt", { status: response.status, headers: response.headers, text });
  const settled = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
  const moved = (await x402.moved()) - before;
  expect(settled).toEqual({
    success: true,
    payer: payer.account.address.toLowerCase(),
    network: "eip155:8453",
    amount: `${moved}`,
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(await x402.usdcOf(payer.account.address)).toBe(10_000_000n - moved);
  await expectBooked(payer, { payments: 1, answers: 1 });
  expect(await balanceOf(payer.credit)).toBe(moved * 1_000n - readCosts(whole).totalCost);
});

test("the change belongs to the payer: it pays later requests that it covers, and nothing is submitted for them", async () => {
  const payer = await x402.newPayer();
  const pay = x402.fetchAs(payer);
  const spend = async (maxTokens: number) => pay(`${service.url("node")}${X402_PATH}`, post(promptOf({ maxTokens })));
  expect((await spend(2_000)).status).toBe(200);
  const before = await x402.moved();
  const second = await spend(100);
  expect(second.status).toBe(200);
  expect(settlementIn(second)).toMatchObject({ success: true, transaction: "", amount: "0" });
  expect(await x402.moved()).toBe(before);
  await expectBooked(payer, { payments: 1, answers: 2 });
});

test("above 1 USD, which stock clients do not pay, the answer is 400 with the maxTokens that 1 USD covers", async () => {
  const dear = { model: "gpt-4-turbo", maxTokens: 4_096, prompt: "word ".repeat(40_000) };
  const answer = await x402.requestUnpaid(dear);
  const { details } = readError(answer, "INVALID_REQUEST");
  expect(details).toMatchObject({ reason: "above_x402_maximum", maximum: 1, affordableMaxTokens: expect.any(Number) });
  const { docs: _, ...described } = details;
  expect(errorCatalogue.INVALID_REQUEST.details.parse(described)).toEqual(described);
  expect(answer.headers.get("payment-required")).toBeNull();
  const affordable = details.affordableMaxTokens as number;
  if (affordable > 0) {
    const required = requiredIn(await x402.requestUnpaid({ ...dear, maxTokens: affordable }));
    expect(BigInt(required?.accepts[0]?.amount ?? 0)).toBeLessThanOrEqual(parseUsd("1") / 1_000n);
  }
});

test("an operator's minimum is the price of cheaper requests, and the change pays the next requests", async () => {
  Object.assign(process.env, { X402_MINIMUM_USD: "0.02" });
  forgetSingleton("config");
  try {
    const payer = await x402.newPayer();
    const body = promptOf({ maxTokens: 100 });
    expect(requiredIn(await x402.requestUnpaid(body))?.accepts[0]?.amount).toBe("20000");
    const found = JSON.parse((await ask({ url: service.url("node"), path: "/.well-known/x402", method: "GET" })).text);
    expect(found.items[0].accepts[0]).toMatchObject({ minAmount: "20000", maxAmount: "1000000" });
    const less = await x402.sign(payer, body);
    less.accepted.amount = "19999";
    const refusal = readError(await x402.send(body, less), "PAYMENT_VERIFICATION_FAILED");
    expect(refusal.details.reason).toBe("amount_too_low");
    const before = await x402.moved();
    for (let times = 0; times < 3; times++)
      expect((await x402.fetchAs(payer)(`${service.url("node")}${X402_PATH}`, post(body))).status).toBe(200);
    expect((await x402.moved()) - before).toBe(20_000n);
    await expectBooked(payer, { payments: 1, answers: 3 });
  } finally {
    delete process.env.X402_MINIMUM_USD;
    forgetSingleton("config");
  }
});

test.each(entryNames)("programs discover the endpoint and its payment options through the %s server", async (entry) => {
  const answer = await ask({ url: service.url(entry), path: "/.well-known/x402", method: "GET" });
  expect(answer.status, answer.text).toBe(200);
  const found = JSON.parse(answer.text);
  const resource = `${PUBLIC_URL}${X402_PATH}`;
  expect(found).toMatchObject({ x402Version: 2, sandbox: true, resources: [resource] });
  expect(found.items[0]).toMatchObject({ resource, method: "POST", openapi: `${PUBLIC_URL}/api/v1/openapi.json` });
  expect(found.items[0].accepts).toContainEqual({
    scheme: "exact",
    network: "eip155:8453",
    asset: getAddress(usdcOnBase),
    payTo: getAddress(x402.treasury),
    minAmount: "0",
    maxAmount: "1000000",
    maxTimeoutSeconds: 300,
  });
});

test("the stock client is served through the Next server as well", async () => {
  const payer = await x402.newPayer();
  const response = await x402.fetchAs(payer)(`${service.url("next")}${X402_PATH}`, post(promptOf({ maxTokens: 100 })));
  expect(response.status, await response.text()).toBe(200);
  await expectBooked(payer, { payments: 1, answers: 1 });
});

test("a client's address has the same rate limit as an account", async () => {
  Object.assign(process.env, { RATE_LIMIT_PER_MINUTE: "2", TRUSTED_PROXIES: "loopback" });
  for (const name of ["config", "trustedProxies"]) forgetSingleton(name);
  const from = (address: string) =>
    ask({ url: service.url("node"), path: X402_PATH, body: promptOf(), headers: { "x-forwarded-for": address } });
  try {
    expect([(await from("192.0.2.1")).status, (await from("192.0.2.1")).status]).toEqual([402, 402]);
    readError(await from("192.0.2.1"), "RATE_LIMIT_EXCEEDED");
    expect((await from("192.0.2.2")).status).toBe(402);
  } finally {
    Object.assign(process.env, x402Settings);
    delete process.env.TRUSTED_PROXIES;
    for (const name of ["config", "trustedProxies"]) forgetSingleton(name);
  }
});
