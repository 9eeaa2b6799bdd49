// x402's own client, unmodified, at our endpoint: it is asked for a payment, signs it and gets its answer. TRANSCRIPT=1 prints what went
// over the wire.

import { decodePaymentResponseHeader } from "@x402/fetch";
import { getAddress } from "viem";
import { expect, test } from "vitest";
import { parseUsd } from "@/lib/base/money";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { balanceOf } from "./testing/books";
import { deltaText, expectCommonHeaders, promptOf, readCosts, readError, readEvents, readPromptBody } from "./testing/client";
import { openService, PUBLIC_URL } from "./testing/service";
import { expectBooked, openX402, requiredIn, settlementIn, X402_PATH, x402Settings } from "./testing/x402";

const service = await openService({ env: x402Settings });
const x402 = await openX402(service);

/** Prints each exchange as it goes over the wire. */
const transcribed: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const [method, { pathname }] = [request.method, new URL(request.url)];
  const body = await request.clone().text();
  const response = await fetch(request);
  const [copy, text] = [response.clone(), await response.text()];
  if (process.env.TRANSCRIPT === "1") {
    const show = (headers: Headers) => [...headers].flatMap(([name, value]) => [`${name}: ${value}`, ...decoded(name, value)]).join("\n");
    process.stderr.write(
      `\n> ${method} ${pathname}\n${show(request.headers)}\n\n${body}\n\n< ${copy.status}\n${show(copy.headers)}\n\n${text}\n`,
    );
  }
  return copy;
};

const decoded = (name: string, value: string): string[] =>
  name.startsWith("payment-") ? [`    ${JSON.stringify(JSON.parse(Buffer.from(value, "base64").toString()))}`] : [];

const post = (body: object) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("without a payment the answer is 402, and says in x402's words and in ours what to sign", async () => {
  const answer = await x402.askUnpaid(promptOf({ maxTokens: 100 }));
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
  const settled = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
  const moved = (await x402.moved()) - before;
  expect(settled).toEqual({
    ...{ success: true, payer: payer.account.address.toLowerCase(), network: "eip155:8453", amount: `${moved}` },
    transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
  expect(await x402.usdcOf(payer.account.address)).toBe(10_000_000n - moved);
  await expectBooked(payer, { payments: 1, answers: 1 });
  expect(await balanceOf(payer.credit)).toBe(moved * 1_000n - readCosts(whole).totalCost);
});

test("the change is the payer's: it pays later requests that it covers, and nothing is submitted for them", async () => {
  const payer = await x402.newPayer();
  const pay = x402.fetchAs(payer);
  const ask = async (maxTokens: number) => pay(`${service.url("node")}${X402_PATH}`, post(promptOf({ maxTokens })));
  expect((await ask(2_000)).status).toBe(200);
  const before = await x402.moved();
  const second = await ask(100);
  expect(second.status).toBe(200);
  expect(settlementIn(second)).toMatchObject({ success: true, transaction: "", amount: "0" });
  expect(await x402.moved()).toBe(before);
  await expectBooked(payer, { payments: 1, answers: 2 });
});

test("above 1 USD, which stock clients do not pay, the answer is 400 with the maxTokens that 1 USD does for", async () => {
  const dear = { model: "gpt-4-turbo", maxTokens: 4_096, prompt: "word ".repeat(40_000) };
  const answer = await x402.askUnpaid(dear);
  const { details } = readError(answer, "INVALID_REQUEST");
  expect(details).toMatchObject({ reason: "above_x402_maximum", maximum: 1, affordableMaxTokens: expect.any(Number) });
  expect(answer.headers.get("payment-required")).toBeNull();
  const affordable = details.affordableMaxTokens as number;
  if (affordable > 0) {
    const required = requiredIn(await x402.askUnpaid({ ...dear, maxTokens: affordable }));
    expect(BigInt(required?.accepts[0]?.amount ?? 0)).toBeLessThanOrEqual(parseUsd("1") / 1_000n);
  }
});

test("a body that cannot be read is refused before any payment is asked for", async () => {
  for (const [body, code] of [
    [{ model: "gpt-4o-mini" }, "INVALID_REQUEST"],
    [promptOf({ model: "no-such-model" }), "INVALID_MODEL"],
    [promptOf({ payment: { from: "0x" } }), "INVALID_REQUEST"],
  ] as const) {
    const answer = await x402.askUnpaid(body);
    readError(answer, code);
    expect(answer.headers.get("payment-required")).toBeNull();
  }
});
