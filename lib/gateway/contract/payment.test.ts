// Signed payments through both HTTP servers: what a proof pays for, how the answer reports it, and who owns the change.

import { describe, expect, test } from "vitest";
import { fromCents, nanoUsd, parseUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { namedSchemas } from "../openapi/schemas";
import { openAccount } from "./testing/accounts";
import { awaitNothingHeld, balanceOf, chargesOf, expectUncharged, openHolds, until } from "./testing/books";
import {
  type Answer,
  ask,
  deltaText,
  misbehaving,
  modelOf,
  promptOf,
  QUESTION,
  readCosts,
  readError,
  readEvents,
  readPromptBody,
} from "./testing/client";
import { claimsOf, creditOf, linkWallet, openPayments, type PaymentObject, proofHeader } from "./testing/payments";
import { entryNames, openService } from "./testing/service";

const service = await openService({ env: { PAYMENT_WAIT_MS: "10000" } });
const payments = await openPayments();
const CENT = fromCents(1);
const UNITS_PER_CENT = 10_000n;

interface Paid {
  requestId: string;
  from: string;
  network: string;
  amount: number;
  transaction: string;
  charged: number;
  change: number;
  changeBelongsTo: string;
}

const paidOf = (text: string): Paid => (JSON.parse(text) as { payment: Paid }).payment;

/** Checks an answer's payment against the payment, its cost and the chain. */
async function expectPaidBy(text: string, payment: PaymentObject, changeBelongsTo: "account" | "address"): Promise<bigint> {
  const { totalCost } = readCosts(text);
  const paid = paidOf(text);
  expect(Object.keys(paid)).toEqual([
    ...["requestId", "from", "network", "amount", "amountUsd", "transaction", "charged", "change", "changeBelongsTo"],
  ]);
  expect(Object.keys(JSON.parse(text) as object).at(-1)).toBe("payment");
  expect(paid).toMatchObject({ requestId: payment.requestId, from: payment.from.toLowerCase(), network: "eip155:31337" });
  expect(paid).toMatchObject({ amount: payment.amount, amountUsd: payment.amount / 100, changeBelongsTo });
  expect([parseUsd(String(paid.charged)), parseUsd(String(paid.change))]).toEqual([totalCost, CENT * BigInt(payment.amount) - totalCost]);
  const receipt = await payments.chain.client.getTransactionReceipt({ hash: paid.transaction as `0x${string}` });
  expect([receipt.status, receipt.to]).toEqual(["success", payments.contract]);
  return totalCost;
}

const expectOk = (answer: Answer): string => {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.text;
};

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const send = (key: string, fields: object, headers: Record<string, string> = {}) => ask({ url, key, headers, body: promptOf(fields) });

  test("a proof of the account's own wallet: settled, credited and charged, and the change stays with the account", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    await linkWallet(account.accountId, payer);
    const payment = await payments.signPayment(payer);
    const before = await payments.moved();
    const cost = await expectPaidBy(expectOk(await send(account.key, { payment })), payment, "account");
    expect((await payments.moved()) - before).toBe(UNITS_PER_CENT * 5n);
    expect(await balanceOf(account.accountId)).toBe(account.credit + CENT * 5n - cost);
    expect(await creditOf(payer)).toBe(0n);
    expect(await chargesOf(account.accountId)).toEqual([expect.objectContaining({ key_id: account.keyId, paid_by: "payment" })]);
    await awaitNothingHeld();
  });

  test("a proof of a wallet without an account: the balance is not touched, and the change belongs to the address", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer, { network: "base", from: payer.from });
    const cost = await expectPaidBy(expectOk(await send(account.key, { payment })), payment, "address");
    await expectUncharged(account);
    expect(await creditOf(payer)).toBe(CENT * 5n - cost);
    expect(await chargesOf(payer.credit)).toEqual([expect.objectContaining({ key_id: null, paid_by: "payment" })]);
  });

  test("a stream reports its payment in done", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    const events = readEvents(expectOk(await send(account.key, { payment, stream: true })));
    expect(deltaText(events)).toMatch(/^Simulated answer/);
    await expectPaidBy(events.at(-1)?.data ?? "", payment, "address");
  });

  test("a chat completion is paid by the header Payment-Proof, whole and streamed, and says so", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    for (const stream of [false, true]) {
      const payment = await payments.signPayment(payer);
      const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: QUESTION }], stream };
      const answer = await ask({ url, key: account.key, path: "/api/v1/chat/completions", headers: proofHeader(payment), body });
      const text = expectOk(answer);
      const whole = stream
        ? (text
            .split("\n\n")
            .find((block) => block.includes('"payment"'))
            ?.slice("data: ".length) ?? "")
        : text;
      expect(paidOf(whole)).toMatchObject({ requestId: payment.requestId, amount: 5, changeBelongsTo: "address" });
    }
    await expectUncharged(account);
    expect(await chargesOf(payer.credit)).toHaveLength(2);
  });

  test("a proof that is too low for a limit that nobody named buys a shorter answer; a limit that was named is refused", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const chat = async (fields: object) => {
      const body = { model: "gpt-4o", messages: [{ role: "user", content: QUESTION }], ...fields };
      const headers = proofHeader(await payments.signPayment(payer, { amount: 1 }));
      return ask({ url, key: account.key, path: "/api/v1/chat/completions", headers, body });
    };
    const answer = await chat({});
    expectOk(answer);
    const limit = Number(answer.headers.get("x-clipped-to"));
    expect(limit).toBeGreaterThanOrEqual(256);
    const { output: outputPrice } = modelOf("gpt-4o").prices[0];
    expect(BigInt(limit) * outputPrice).toBeLessThanOrEqual(CENT);
    expect(BigInt(limit + 100) * outputPrice).toBeGreaterThan(CENT);
    expect(JSON.parse((await chat({ max_tokens: 16_384 })).text).error.details).toMatchObject({ reason: "amount_too_low" });
    expect((await chat({ max_tokens: 16_384, clipToBalance: true })).headers.get("x-clipped-to")).toBe(String(limit));
  });

  test("the header works with a prompt's body too, but not together with a payment in it", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    const { details } = readError(await send(account.key, { payment }, proofHeader(payment)), "PAYMENT_VERIFICATION_FAILED");
    expect(details.reason).toBe("malformed");
    await expectPaidBy(expectOk(await send(account.key, {}, proofHeader(payment))), payment, "address");
  });

  test("its receipt says how it was paid, and only the account whose key carried it can read it", async () => {
    const [account, other] = [await openAccount(), await openAccount()];
    const payers = [await payments.newPayer(), await payments.newPayer()] as const;
    await linkWallet(account.accountId, payers[0]);
    for (const payer of payers) {
      const payment = await payments.signPayment(payer);
      const text = expectOk(await send(account.key, { payment }));
      const get = (key: string) => ask({ url, key, method: "GET", path: `/api/v1/requests/${readPromptBody(text).requestId}` });
      const receipt = JSON.parse(expectOk(await get(account.key))) as object;
      expect(receipt).toMatchObject({ state: "charged", paidBy: "payment", payment: { scheme: "proof", ...paidOf(text) } });
      readError(await get(other.key), "NOT_FOUND");
    }
  });

  test("the same request gets the answer again: nothing is charged and nothing moves", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    for (const stream of [false, true]) {
      const payment = await payments.signPayment(payer);
      const first = await send(account.key, { payment, stream });
      const [moved, credit] = [await payments.moved(), await creditOf(payer)];
      const again = await send(account.key, { payment, stream });
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      if (stream) expect(readEvents(again.text).at(-1)).toEqual(readEvents(first.text).at(-1));
      else expect(again.text).toBe(first.text);
      expect([await payments.moved(), await creditOf(payer)]).toEqual([moved, credit]);
    }
    expect(await chargesOf(payer.credit)).toHaveLength(2);
  });

  test("sixteen identical requests at once: one is processed, one transaction moves money, one charge is made", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    await service.models.clear();
    const before = await payments.moved();
    const body = misbehaving("delay=300", { payment });
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask({ url, key: account.key, body })));
    const served = answers.filter(({ status }) => status === 200);
    for (const answer of answers.filter(({ status }) => status !== 200)) readError(answer, "REQUEST_IN_PROGRESS");
    expect(new Set(served.map(({ text }) => text)).size).toBe(1);
    expect(served.filter(({ headers }) => !headers.has("idempotent-replayed"))).toHaveLength(1);
    expect((await service.models.calls()).count).toBe(1);
    expect((await payments.moved()) - before).toBe(UNITS_PER_CENT * 5n);
    expect(await chargesOf(payer.credit)).toHaveLength(1);
    expect(await claimsOf(payer)).toEqual([expect.objectContaining({ state: "paid", attempt: 1 })]);
  });

  test("the model fails: the money becomes the payer's credit, and the same proof may be sent again and moves nothing", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    await service.models.simulate("status=500", { times: 1 });
    readError(await send(account.key, { payment }), "INTERNAL_ERROR");
    await awaitNothingHeld();
    expect(await creditOf(payer)).toBe(CENT * 5n);
    const before = await payments.moved();
    const cost = await expectPaidBy(expectOk(await send(account.key, { payment })), payment, "address");
    expect([await payments.moved(), await creditOf(payer)]).toEqual([before, CENT * 5n - cost]);
    expect(await chargesOf(payer.credit)).toHaveLength(1);
  });

  test("no other request takes the money between its credit and its hold", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    await linkWallet(account.accountId, payer);
    const payment = await payments.signPayment(payer, { amount: 2 });
    const slow = ask({ url, key: account.key, body: misbehaving("delay=500", { payment, maxTokens: 16_000 }) });
    await until("it is held", async () => (await openHolds(account.accountId)) === 1);
    readError(await send(account.key, { maxTokens: 16_000 }), "INSUFFICIENT_BALANCE");
    expectOk(await slow);
  });

  test("after its answer is deleted the payment cannot be used again", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer, { amount: 50 });
    expectOk(await send(account.key, { payment }));
    await pool().query("UPDATE idempotent_reply SET expires_at = now() - interval '1 second' WHERE account_id = $1", [payer.credit]);
    for (let times = 0; times < 2; times++) {
      const { details } = readError(await send(account.key, { payment }), "PAYMENT_VERIFICATION_FAILED");
      expect(details.reason).toBe("replayed");
      await pool().query("DELETE FROM idempotent_reply WHERE account_id = $1", [payer.credit]);
    }
    expect(await chargesOf(payer.credit)).toHaveLength(1);
  });
});

test("the terms say without a key what is signed and what moves it, and a payment built from them alone is accepted", async () => {
  const url = service.url("node");
  const text = expectOk(await ask({ url, method: "GET", path: "/api/v1/payment-terms" }));
  const terms = JSON.parse(text) as { message: string[] };
  expect(namedSchemas.PaymentTerms?.parse(terms)).toEqual(terms);
  expect(terms).toMatchObject({
    serviceName: "PennyPrompt",
    networks: [{ network: "eip155:31337", settlementContract: payments.contract, isDeployed: true, treasury: payments.treasury }],
  });
  const payer = await payments.newPayer();
  const fields = { requestId: `req_${2n ** 100n}`, amount: 3, timestamp: Date.now() };
  const filled = terms.message.map((line) => line.replace(/<(\w+)>/, (_, name: keyof typeof fields) => String(fields[name])));
  const signature = await payer.account.signMessage({ message: filled.join("\n") });
  const payment = { ...fields, from: payer.from, signature, network: "ethereum" };
  const account = await openAccount({ usd: "0" });
  const answer = await ask({ url, key: account.key, body: promptOf({ payment }) });
  expectOk(answer);
  expect(namedSchemas.PromptAnswer?.parse(JSON.parse(answer.text))).toEqual(JSON.parse(answer.text));
});

test("the quote's paymentCents is the minimum for a payment, and it is enough", async () => {
  const url = service.url("node");
  const account = await openAccount({ usd: "0" });
  const payer = await payments.newPayer();
  const fields = { model: "gpt-4-turbo", maxTokens: 900 };
  const quote = await ask({ url, key: account.key, path: "/api/v1/quote", body: promptOf(fields) });
  const { paymentCents } = JSON.parse(quote.text) as { paymentCents: number };
  const ceiling = parseUsd(/"ceiling":([\d.]+)/.exec(quote.text)?.[1] ?? "");
  expect(BigInt(paymentCents)).toBe(nanoUsd((ceiling + CENT - 1n) / CENT));
  const few = await payments.signPayment(payer, { amount: paymentCents - 1 });
  const refusal = readError(
    await ask({ url, key: account.key, body: promptOf({ ...fields, payment: few }) }),
    "PAYMENT_VERIFICATION_FAILED",
  );
  expect(refusal.details).toMatchObject({ reason: "amount_too_low", requiredAmount: paymentCents, minimumAmount: 1 });
  const enough = await payments.signPayment(payer, { amount: paymentCents });
  expectOk(await ask({ url, key: account.key, body: promptOf({ ...fields, payment: enough }) }));
});
