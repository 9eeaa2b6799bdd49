// Signed payments that are refused, each with its reason and a fix, and each before any money has moved.

import { type Hex, hexToSignature, serializeCompactSignature, signatureToCompactSignature, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import { fromCents, nanoUsd } from "@/lib/base/money";
import { proofText } from "@/lib/chains/evm/settlement";
import { pool } from "@/lib/db/pool";
import { freePaymentKeys } from "../prompt/idempotency";
import { openAccount } from "./testing/accounts";
import { awaitNothingHeld, balanceOf, chargesOf, expectUncharged } from "./testing/books";
import { type Answer, ask, promptOf, QUESTION, readError } from "./testing/client";
import { claimsOf, creditOf, linkWallet, openPayments, type Payer, type PaymentObject, proofHeader } from "./testing/payments";
import { entryNames, openService } from "./testing/service";

const service = await openService({ env: { PAYMENT_WAIT_MS: "10000" } });
const payments = await openPayments();
const CENT = fromCents(1);
const MINUTE_MS = 60_000;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The same signature with the other s: it recovers the same key, and is accepted nowhere. */
function withHighS(signature: string): Hex {
  const { r, s, v } = hexToSignature(signature as Hex);
  const flipped = toHex(ORDER - BigInt(s), { size: 32 }).slice(2);
  return `0x${r.slice(2)}${flipped}${v === 27n ? "1c" : "1b"}`;
}

const compact = (signature: string): Hex => serializeCompactSignature(signatureToCompactSignature(hexToSignature(signature as Hex)));

const wrong: readonly [string, (payment: PaymentObject) => unknown][] = [
  ["null", () => null],
  ["a text", (payment) => JSON.stringify(payment)],
  ["a list", (payment) => [payment]],
  ["empty", () => ({})],
  ["without its network", ({ network: _, ...payment }) => payment],
  ["with a field more", (payment) => ({ ...payment, memo: "thanks" })],
  ["a requestId with a leading zero", (payment) => ({ ...payment, requestId: payment.requestId.replace("req_", "req_0") })],
  ["a requestId in capitals", (payment) => ({ ...payment, requestId: payment.requestId.toUpperCase() })],
  ["a requestId that is no number", (payment) => ({ ...payment, requestId: "req_abc" })],
  ["a requestId with a line feed", (payment) => ({ ...payment, requestId: `${payment.requestId}\n` })],
  ["a requestId of 32 digits", (payment) => ({ ...payment, requestId: `req_${"1".repeat(32)}` })],
  ["half a cent", (payment) => ({ ...payment, amount: 5.5 })],
  ["no cent", (payment) => ({ ...payment, amount: 0 })],
  ["less than nothing", (payment) => ({ ...payment, amount: -5 })],
  ["an amount as text", (payment) => ({ ...payment, amount: "5" })],
  ["an amount that no wallet has", (payment) => ({ ...payment, amount: 1e15 })],
  ["a time as text", (payment) => ({ ...payment, timestamp: `${payment.timestamp}` })],
  ["a time with a fraction", (payment) => ({ ...payment, timestamp: payment.timestamp + 0.5 })],
  ["an address with a wrong checksum", (payment) => ({ ...payment, from: payment.from.replace(/[a-f]/, (one) => one.toUpperCase()) })],
  ["an address that is cut short", (payment) => ({ ...payment, from: payment.from.slice(0, -1) })],
  ["a signature that is no hex", (payment) => ({ ...payment, signature: "0xzz" })],
  ["half a byte of signature", (payment) => ({ ...payment, signature: `${payment.signature}0` })],
  ["ten kilobytes of signature", (payment) => ({ ...payment, signature: `0x${"ab".repeat(10_000)}` })],
];

const forged: readonly [string, (payment: PaymentObject, payer: Payer) => Partial<PaymentObject> | Promise<Partial<PaymentObject>>][] = [
  ["another amount than was signed", ({ amount }) => ({ amount: amount + 1 })],
  ["another time than was signed", ({ timestamp }) => ({ timestamp: timestamp + 1 })],
  ["another requestId than was signed", ({ requestId }) => ({ requestId: `${requestId}1` })],
  [
    "another wallet's signature",
    async (payment) => payments.signPayment(await payments.newPayer({ allowance: 0n }), { ...payment, signature: undefined }),
  ],
  ["the other s", ({ signature }) => ({ signature: withHighS(signature) })],
  ["the compact form", ({ signature }) => ({ signature: compact(signature) })],
  ["v as 0 or 1", ({ signature }) => ({ signature: signature.replace(/1[bc]$/, (v) => (v === "1b" ? "00" : "01")) })],
  ["a byte more", ({ signature }) => ({ signature: `${signature}00` })],
  ["no signature worth the name", () => ({ signature: "0x00" })],
  [
    "another service's word",
    async (payment, { account }) => {
      const { requestId, amount, timestamp } = payment;
      const terms = { requestNumber: BigInt(requestId.slice(4)), cents: BigInt(amount), timestampMs: BigInt(timestamp) };
      return { signature: await account.signMessage({ message: proofText("OtherService", terms) }) };
    },
  ],
  [
    "a text in other words",
    async ({ requestId, amount }, { account }) => ({ signature: await account.signMessage({ message: `Pay ${amount} for ${requestId}` }) }),
  ],
];

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const send = (key: string, payment: unknown, fields: object = {}, headers: Record<string, string> = {}) =>
    ask({ url, key, headers, body: promptOf({ ...fields, payment }) });

  function expectReason(answer: Answer, reason: string): Record<string, unknown> {
    const { details, error } = readError(answer, "PAYMENT_VERIFICATION_FAILED");
    expect({ reason: details.reason, error }).toEqual({ reason, error: expect.stringMatching(/.{30}/) });
    return details;
  }

  /** None of the payer's money moved, and nothing was booked. */
  async function expectUnmoved(payer: Payer, units = 100_000_000n): Promise<void> {
    expect([await payments.usdcOf(payer.from), await creditOf(payer)]).toEqual([units, 0n]);
    expect((await claimsOf(payer)).filter(({ state }) => state !== "failed")).toEqual([]);
    await awaitNothingHeld();
  }

  test("malformed: anything but exactly the payment object", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    for (const [name, change] of wrong) {
      const details = expectReason(await send(account.key, change(await payments.signPayment(payer))), "malformed");
      const issues = details.issues as { path: string }[];
      expect([name, issues.length > 0, issues.every(({ path }) => path.startsWith("payment"))]).toEqual([name, true, true]);
    }
    for (const header of ["", "{}", "é", Buffer.from("{").toString("base64"), Buffer.from("7").toString("base64")]) {
      const answer = await ask({ url, key: account.key, headers: { "payment-proof": header }, body: promptOf() });
      expectReason(answer, "malformed");
    }
    await expectUnmoved(payer);
    await expectUncharged(account);
  });

  test("network_unsupported: Solana gets a pointer to x402, and no other chain is known", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    for (const network of ["solana", "polygon", "Ethereum", "eip155:1"]) {
      const answer = await send(account.key, await payments.signPayment(payer, { network }));
      expectReason(answer, "network_unsupported");
      expect(answer.text.includes("x402")).toBe(network === "solana");
    }
    await expectUnmoved(payer);
  });

  test("amount_too_low: with the minimum to sign", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    const answer = await send(account.key, await payments.signPayment(payer, { amount: 1 }), { model: "gpt-4-turbo", maxTokens: 1_000 });
    expect(expectReason(answer, "amount_too_low")).toMatchObject({ requiredAmount: expect.any(Number), minimumAmount: 1 });
    await expectUnmoved(payer);
  });

  test.each(forged)("bad_signature: %s", async (_case, forge) => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    expectReason(await send(account.key, { ...payment, ...(await forge(payment, payer)), from: payment.from }), "bad_signature");
    await expectUnmoved(payer);
  });

  test.each([-6, 6])("expired: signed %i minutes from now", async (minutes) => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer, { timestamp: Date.now() + minutes * MINUTE_MS });
    expectReason(await send(account.key, payment), "expired");
    await expectUnmoved(payer);
  });

  test("payer_mismatch: a captured proof of another account's wallet is refused, before and after its own request", async () => {
    const [owner, thief] = [await openAccount(), await openAccount()];
    const payer = await payments.newPayer();
    await linkWallet(owner.accountId, payer);
    const payment = await payments.signPayment(payer);
    expectReason(await send(thief.key, payment), "payer_mismatch");
    await expectUnmoved(payer);
    expect((await send(owner.key, payment)).status).toBe(200);
    expectReason(await send(thief.key, payment), "payer_mismatch");
    await expectUncharged(thief);
    expect(await chargesOf(owner.accountId)).toHaveLength(1);
  });

  test("replayed: another body, another amount, another account, even when signed again", async () => {
    const [account, other] = [await openAccount(), await openAccount()];
    let payer = await payments.newPayer();
    // One address in four thousand has no capital in its checksum: then the body with `from` in small letters is the same body.
    while (payer.from === payer.account.address) payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    expect((await send(account.key, payment)).status).toBe(200);
    const before = await payments.moved();
    const { requestId, timestamp } = payment;
    const attempts = [
      send(account.key, payment, { maxTokens: 7 }),
      send(account.key, payment, { stream: true }),
      send(account.key, { ...payment, from: payer.from }),
      send(account.key, { ...payment, network: "base" }),
      send(other.key, payment),
      send(account.key, await payments.signPayment(payer, { requestId, timestamp, amount: 6 })),
      send(account.key, await payments.signPayment(payer, { requestId, timestamp: timestamp + 1 })),
      ask({ url, key: account.key, headers: proofHeader(payment), body: promptOf() }),
      ask({
        url,
        key: account.key,
        path: "/api/v1/chat/completions",
        headers: proofHeader(payment),
        body: { model: "gpt-4o-mini", messages: [{ role: "user", content: QUESTION }] },
      }),
    ];
    for (const answer of await Promise.all(attempts)) {
      expect(answer.status, answer.text).toBe(402);
      expect(answer.text).toContain('"reason":"replayed"');
    }
    expect([await payments.moved(), (await chargesOf(payer.credit)).length]).toEqual([before, 1]);
    await expectUncharged(other);
  });

  test("allowance_too_low: with the contract to approve; once approved, the same proof pays", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer({ allowance: 49_999n });
    const payment = await payments.signPayment(payer);
    const answer = await send(account.key, payment);
    expectReason(answer, "allowance_too_low");
    expect(answer.text).toContain(payments.contract);
    await expectUnmoved(payer);
    await payments.approve(payer.account, 50_000n);
    expect((await send(account.key, payment)).status).toBe(200);
    expect(await payments.usdcOf(payer.from)).toBe(99_950_000n);
  });

  test("wallet_balance_too_low, until the wallet has enough", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer({ units: 49_999n });
    const payment = await payments.signPayment(payer);
    expectReason(await send(account.key, payment), "wallet_balance_too_low");
    await expectUnmoved(payer, 49_999n);
    await payments.chain.mint(payer.from, 1n);
    expect((await send(account.key, payment)).status).toBe(200);
    expect(await payments.usdcOf(payer.from)).toBe(0n);
  });

  test("settlement_failed: USDC itself refuses", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    await payments.blacklist(payer.from);
    expectReason(await send(account.key, await payments.signPayment(payer)), "settlement_failed");
    await expectUnmoved(payer);
    await expectUncharged(account);
  });

  test("limits of the key are checked before anything moves: its cap, its models, its account's state", async () => {
    const capped = await openAccount({ key: { cap: { nanoUsd: nanoUsd(1), period: "day" } } });
    const own = await payments.newPayer();
    await linkWallet(capped.accountId, own);
    readError(await send(capped.key, await payments.signPayment(own)), "SPEND_CAP_REACHED");
    await expectUnmoved(own);
    const payer = await payments.newPayer();
    const choosy = await openAccount({ key: { allowedModels: ["grok"] } });
    readError(await send(choosy.key, await payments.signPayment(payer)), "INVALID_MODEL");
    readError(await send(choosy.key, await payments.signPayment(payer), { model: "grok", maxCost: 1e-9 }), "INVALID_REQUEST");
    await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [choosy.accountId]);
    readError(await send(choosy.key, await payments.signPayment(payer), { model: "grok" }), "INVALID_API_KEY");
    await expectUnmoved(payer);
    // The cap covers only the account's own money.
    expect((await send(capped.key, await payments.signPayment(payer))).status).toBe(200);
    await expectUncharged(capped);
  });

  test("an Idempotency-Key belongs to one payment, or to one request paid from the balance, and never to both", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    const [one, other] = [await payments.signPayment(payer), await payments.signPayment(payer)];
    const under = (key: string) => ({ "idempotency-key": key });
    const expectMismatch = (answer: Answer) => expect(readError(answer, "INVALID_REQUEST").details.reason).toBe("idempotency_mismatch");
    const first = await send(account.key, one, {}, under("a"));
    expect((await send(account.key, one, {}, under("a"))).text).toBe(first.text);
    expect((await send(account.key, one)).text).toBe(first.text);
    const before = await payments.moved();
    expectMismatch(await send(account.key, other, {}, under("a")));
    expectMismatch(await send(account.key, one, {}, under("b")));
    expectMismatch(await ask({ url, key: account.key, headers: under("a"), body: promptOf() }));
    expect((await ask({ url, key: account.key, headers: under("c"), body: promptOf() })).status).toBe(200);
    expectMismatch(await send(account.key, other, {}, under("c")));
    expect([await payments.moved(), await balanceOf(payer.credit)]).toEqual([before, await creditOf(payer)]);
    expect((await send(account.key, other, {}, under("d"))).status).toBe(200);
    expect((await payments.moved()) - before).toBe(50_000n);
    expect(await creditOf(payer)).toBeGreaterThan(CENT * 9n);
  });

  test("the Idempotency-Key of a failed payment is free at once, for a balance and for another payment", async () => {
    const account = await openAccount();
    const [poor, payer] = [await payments.newPayer({ units: 0n }), await payments.newPayer()];
    const under = (key: string) => ({ "idempotency-key": key });
    for (const key of ["e", "f"]) {
      const refused = await send(account.key, await payments.signPayment(poor), {}, under(key));
      expect(readError(refused, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("wallet_balance_too_low");
    }
    expect((await ask({ url, key: account.key, headers: under("e"), body: promptOf() })).status).toBe(200);
    expect((await send(account.key, await payments.signPayment(payer), {}, under("f"))).status).toBe(200);
    // A paid one keeps its key.
    const second = await ask({ url, key: account.key, headers: under("f"), body: promptOf() });
    expect(readError(second, "INVALID_REQUEST").details.reason).toBe("idempotency_mismatch");
  });

  test("a request that died leaves no key taken: the job releases keys that belong to no payment, and no others", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    const under = (key: string) => ({ "idempotency-key": key });
    expect((await send(account.key, await payments.signPayment(payer), {}, under("paid"))).status).toBe(200);
    await pool().query("SELECT gateway_mark_key($1, 'dead', 'req_died', $2)", [account.accountId, new Date(nowMs())]);
    const balance = async (key: string) => (await ask({ url, key: account.key, headers: under(key), body: promptOf() })).status;
    expect(await freePaymentKeys(new Date(nowMs() + 59_000))).toBe(0n);
    expect(await balance("dead")).toBe(400);
    expect(await freePaymentKeys(new Date(nowMs() + 60_001))).toBe(1n);
    expect([await balance("dead"), await balance("paid")]).toEqual([200, 400]);
  });
});
