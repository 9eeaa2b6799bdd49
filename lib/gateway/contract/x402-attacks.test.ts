// x402 under attack: at most one answer per payment, at most one payment per answer, and no payer pays without an answer or a credit. Each
// test counts the model's runs, the money moved on the chain, and the books.

import { type Hex, parseSignature, serializeCompactSignature, signatureToCompactSignature, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { contractWallets } from "@/lib/chains/evm/testing/contract-wallets";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { type Answer, promptOf, readError, readPromptBody } from "./testing/client";
import { openService } from "./testing/service";
import { expectBooked, openX402, type Payload, paidInBy, resigned, settlementIn, x402Settings } from "./testing/x402";

const service = await openService({ env: x402Settings });
const x402 = await openX402(service);

const body = promptOf({ maxTokens: 200 });

interface Change {
  whole?: object;
  accepted?: object;
  /** Fields of the scheme's own payload, and of the authorization in it. */
  signed?: object;
  authorization?: object;
}

const changed = (payload: Payload, { whole, accepted, signed, authorization }: Change): Payload => ({
  ...payload,
  accepted: { ...payload.accepted, ...accepted },
  payload: { ...payload.payload, authorization: { ...payload.payload.authorization, ...authorization }, ...signed },
  ...whole,
});

/** The effects of a run: the model's runs, and the USDC that the treasury got. */
async function counted<T>(run: () => Promise<T>): Promise<{ result: T; answers: number; moved: bigint }> {
  const [answers, moved] = [await x402.answered(), await x402.moved()];
  const result = await run();
  return { result, answers: (await x402.answered()) - answers, moved: (await x402.moved()) - moved };
}

/** Refused before anything moved, with the requirements for a new payment beside it. */
async function expectRefused(answer: Answer, reason: string, errorReason?: string): Promise<void> {
  expect(readError(answer, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe(reason);
  expect(answer.headers.get("payment-required")).not.toBeNull();
  expect(settlementIn(answer)).toMatchObject({ success: false, transaction: "", ...(errorReason && { errorReason }) });
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function highS(signature: Hex): Hex {
  const high = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, "0");
  return `${signature.slice(0, 66) as Hex}${high}${signature.endsWith("1b") ? "1c" : "1b"}`;
}

const compact = (signature: Hex): Hex => serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));

describe("replays", () => {
  test.each([8, 64])("%i at once of one payment: one answer, one payment", async (count) => {
    const payer = await x402.newPayer();
    const payload = await x402.sign(payer, body);
    const { result, answers, moved } = await counted(() => Promise.all(Array.from({ length: count }, () => x402.send(body, payload))));
    expect(new Set(result.map(({ status }) => status)).has(200)).toBe(true);
    expect(result.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(new Set(result.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect({ answers, moved }).toEqual({ answers: 1, moved: BigInt(payload.accepted.amount) });
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("later, the first answer is sent again, with the transaction that settled it", async () => {
    const payer = await x402.newPayer();
    const payload = await x402.sign(payer, body);
    const first = await x402.send(body, payload);
    const { result, answers, moved } = await counted(() => x402.send(body, payload));
    expect(result.headers.get("idempotent-replayed")).toBe("true");
    expect(result.text).toBe(first.text);
    expect(settlementIn(result)).toEqual(settlementIn(first));
    expect({ answers, moved }).toEqual({ answers: 0, moved: 0n });
  });

  test("for another body it is refused, even with a forged hash, before it paid and after", async () => {
    const payer = await x402.newPayer();
    const payload = await x402.sign(payer, body);
    const other = promptOf({ maxTokens: 200, prompt: "Another quokka question" });
    const otherHash = (await x402.sign(payer, other)).accepted.extra.bodyHash ?? "";
    const { answers, moved } = await counted(async () => {
      await expectRefused(await x402.send(other, payload), "replayed");
      expect((await x402.send(body, payload)).status).toBe(200);
      await expectRefused(await x402.send(other, payload), "replayed");
      const forged = changed(payload, { accepted: { extra: { ...payload.accepted.extra, bodyHash: otherHash } } });
      const answer = await x402.send(other, forged);
      expect(readError(answer, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("replayed");
    });
    expect({ answers, moved }).toEqual({ answers: 1, moved: BigInt(payload.accepted.amount) });
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("a request whose model failed leaves a credit, which answers the same payment", async () => {
    const payer = await x402.newPayer();
    const payload = await x402.sign(payer, body);
    await service.models.simulate("status=500");
    const { result, moved } = await counted(() => x402.send(body, payload));
    readError(result, "INTERNAL_ERROR");
    expect(settlementIn(result)).toMatchObject({ success: true, amount: payload.accepted.amount });
    expect(moved).toBe(BigInt(payload.accepted.amount));
    await expectBooked(payer, { payments: 1, answers: 0 });
    const again = await counted(() => x402.send(body, payload));
    expect({ status: again.result.status, moved: again.moved }).toEqual({ status: 200, moved: 0n });
    await expectBooked(payer, { payments: 1, answers: 1 });
  });
});

describe("altered payments", () => {
  const foreign = newAddress();
  const ofSignature = (turn: (signature: Hex) => Hex) => (payload: Payload) => ({ signed: { signature: turn(payload.payload.signature) } });
  test.each<[string, string, Change | ((payload: Payload) => Change)]>([
    ["a smaller amount accepted", "amount_too_low", { accepted: { amount: "1" }, authorization: { value: "1" } }],
    ["a smaller amount authorized", "amount_too_low", { authorization: { value: "1" } }],
    ["another asset", "malformed", { accepted: { asset: foreign } }],
    ["another payee accepted", "malformed", { accepted: { payTo: foreign } }],
    ["another payee authorized", "malformed", { authorization: { to: foreign } }],
    ["another chain", "network_unsupported", { accepted: { network: "eip155:1" } }],
    ["another scheme", "malformed", { accepted: { scheme: "upto" } }],
    ["another resource", "replayed", { whole: { resource: { url: "https://other.example/api" } } }],
    ["no hash of the body", "replayed", { accepted: { extra: {} } }],
    ["another nonce", "bad_signature", { authorization: { nonce: `0x${"1".repeat(64)}` } }],
    ["another payer", "bad_signature", { authorization: { from: foreign } }],
    ["a later deadline", "bad_signature", { authorization: { validBefore: `${Math.floor(Date.now() / 1_000) + 600}` } }],
    ["a high s", "bad_signature", ofSignature(highS)],
    ["a compact signature", "bad_signature", ofSignature(compact)],
    ["v of 0 or 1", "bad_signature", ofSignature((signature) => signature.replace(/1b$/, "00").replace(/1c$/, "01") as Hex)],
    ["no signature", "malformed", { signed: { signature: undefined } }],
    ["an empty signature", "bad_signature", { signed: { signature: "0x" } }],
    ["no authorization", "malformed", { whole: { payload: {} } }],
    ["a negative amount", "malformed", { accepted: { amount: "-1" } }],
    ["version 1", "malformed", { whole: { x402Version: 1 } }],
  ])("%s is refused as %s, and moves nothing", async (_, reason, change) => {
    const payer = await x402.newPayer();
    const signed = await x402.sign(payer, body);
    const payload = changed(signed, typeof change === "function" ? change(signed) : change);
    const { result, answers, moved } = await counted(() => x402.send(body, payload));
    await expectRefused(result, reason);
    expect({ answers, moved }).toEqual({ answers: 0, moved: 0n });
    await expectBooked(payer, { payments: 0, answers: 0 });
  });

  test.each(["", "rubbish", "bm8=", "e30="])("a header of %j is refused as malformed", async (header) => {
    const answer = await x402.send(body, {}, { "payment-signature": header });
    await expectRefused(answer, "malformed", "invalid_payload");
  });

  test.each([
    ["over", "expired", { validBefore: `${Math.floor(Date.now() / 1_000) + 3}` }],
    ["not begun", "malformed", { validAfter: `${Math.floor(Date.now() / 1_000) + 60}` }],
    ["without end", "malformed", { validBefore: `${2n ** 256n - 1n}` }],
  ])("a validly signed authorization whose time is %s is refused as %s", async (_, reason, words) => {
    const payer = await x402.newPayer();
    const payload = await resigned(payer, await x402.sign(payer, body), words);
    const { result, moved } = await counted(() => x402.send(body, payload));
    await expectRefused(result, reason);
    expect(moved).toBe(0n);
  });

  test("a payment above the requirement moves its full amount, and the change is a credit", async () => {
    const payer = await x402.newPayer();
    const original = await x402.sign(payer, body);
    const value = `${BigInt(original.accepted.amount) + 1_000_000n}`;
    const payload = changed(await resigned(payer, original, { value }), { accepted: { amount: value } });
    const { result, moved } = await counted(() => x402.send(body, payload));
    expect({ status: result.status, moved }).toEqual({ status: 200, moved: BigInt(value) });
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("a payment for a cheap body does not pay for an expensive one", async () => {
    const payer = await x402.newPayer();
    const dear = promptOf({ maxTokens: 4_000 });
    const { accepted } = await x402.sign(payer, dear);
    const cheap = await x402.sign(payer, body);
    const payload = changed(cheap, { accepted: { extra: accepted.extra } });
    const { result, answers, moved } = await counted(() => x402.send(dear, payload));
    await expectRefused(result, "amount_too_low");
    expect({ answers, moved }).toEqual({ answers: 0, moved: 0n });
  });
});

describe("wallets", () => {
  test("several payments on a balance for one at once: no more is paid than the wallet has", async () => {
    const { accepted } = await x402.sign(await x402.newPayer(), body);
    const payer = await x402.newPayer(BigInt(accepted.amount));
    const payloads = await Promise.all(Array.from({ length: 8 }, () => x402.sign(payer, body)));
    const { result, answers, moved } = await counted(() => Promise.all(payloads.map((payload) => x402.send(body, payload))));
    const served = result.filter(({ status }) => status === 200);
    expect({ moved, usdc: await x402.usdcOf(payer.account.address) }).toEqual({ moved: BigInt(accepted.amount), usdc: 0n });
    // The change may cover another request.
    expect(answers).toBe(served.length);
    expect(served.length).toBeGreaterThan(0);
    expect((await paidInBy(payer)).count).toBe(1);
    for (const answer of result.filter(({ status }) => status !== 200)) {
      expect(["wallet_balance_too_low", "settlement_failed"]).toContain(readError(answer, "PAYMENT_VERIFICATION_FAILED").details.reason);
    }
  });

  test("a balance moved away between check and settlement: no payment, no answer, and the payment may be sent again", async () => {
    const payer = await x402.newPayer();
    const payload = await x402.sign(payer, body);
    const { client, usdc } = x402.chain;
    const amount = BigInt(payload.accepted.amount);
    const data = encodeTransfer(x402.relayer.address, 10_000_000n - amount + 1n);
    const inPool = (count: number) => expect.poll(async () => (await client.getTxpoolStatus()).pending).toBe(count);
    const { result, answers, moved } = await counted(async () => {
      await client.setAutomine(false);
      try {
        const sent = x402.send(body, payload);
        await inPool(1);
        // It pays a higher fee, so it is executed first.
        const fees = { maxFeePerGas: 200n * 10n ** 9n, maxPriorityFeePerGas: 100n * 10n ** 9n };
        await client.sendTransaction({ account: payer.account, to: usdc, data, gas: 100_000n, ...fees });
        await inPool(2);
        await client.mine({ blocks: 1 });
        return await sent;
      } finally {
        await client.setAutomine(true);
      }
    });
    expect({ answers, moved }).toEqual({ answers: 0, moved: 0n });
    await expectRefused(result, "wallet_balance_too_low");
    await x402.chain.mint(payer.account.address, amount);
    expect((await x402.send(body, payload)).status).toBe(200);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("too little USDC is refused as such", async () => {
    const payer = await x402.newPayer(1n);
    await expectRefused(await x402.send(body, await x402.sign(payer, body)), "wallet_balance_too_low", "insufficient_funds");
  });

  test("a contract wallet pays with its owner's signature; one deployed only on another chain is refused", async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const here = newAddress();
    await x402.chain.client.setCode({ address: here, bytecode: contractWallets.ownedBy(owner.address) });
    await x402.chain.mint(here, 10_000_000n);
    const original = await x402.sign(x402.payerOf(owner), body);
    const as = (from: Hex) => resigned(x402.payerOf(owner), original, { from, nonce: toHex(crypto.getRandomValues(new Uint8Array(32))) });
    expect((await x402.send(body, await as(here))).status).toBe(200);
    // Its code, which accepts the signature, is on another chain only: here the same address has no code.
    await expectRefused(await x402.send(body, await as(newAddress())), "bad_signature");
    for (const code of [contractWallets.justTrue, contractWallets.reverts, contractWallets.burnsGas]) {
      const odd = newAddress();
      await x402.chain.client.setCode({ address: odd, bytecode: code });
      await x402.chain.mint(odd, 10_000_000n);
      await expectRefused(await x402.send(body, await as(odd)), "bad_signature");
    }
  });
});

describe("others", () => {
  test("somebody else executes the authorization first: it is found as paid, once", async () => {
    const payer = await x402.newPayer();
    const payload = await x402.sign(payer, body);
    const { result, answers, moved } = await counted(async () => {
      const hash = await x402.submit(payload.payload);
      const answer = await x402.send(body, payload);
      expect(settlementIn(answer)).toMatchObject({ success: true, transaction: hash });
      return answer;
    });
    expect({ status: result.status, answers, moved }).toEqual({ status: 200, answers: 1, moved: BigInt(payload.accepted.amount) });
    expect((await x402.send(body, payload)).headers.get("idempotent-replayed")).toBe("true");
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("a nonce used for another transfer pays nothing", async () => {
    const payer = await x402.newPayer();
    const payload = await x402.sign(payer, body);
    const elsewhere = await resigned(payer, payload, { to: newAddress() });
    await x402.submit(elsewhere.payload);
    const { result, answers, moved } = await counted(() => x402.send(body, payload));
    await expectRefused(result, "settlement_failed");
    expect({ answers, moved }).toEqual({ answers: 0, moved: 0n });
    await expectBooked(payer, { payments: 0, answers: 0 });
  });

  test("twenty honest payers at once are all served, each for its own payment", async () => {
    const payers = await Promise.all(Array.from({ length: 20 }, () => x402.newPayer()));
    const { result, answers } = await counted(() =>
      Promise.all(
        payers.map((payer) =>
          x402.fetchAs(payer)(`${service.url("node")}/api/v1/x402/prompt`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body),
          }),
        ),
      ),
    );
    expect(result.map(({ status }) => status)).toEqual(payers.map(() => 200));
    expect(answers).toBe(20);
    const ids = await Promise.all(result.map(async (response) => readPromptBody(await response.text()).requestId));
    expect(new Set(ids).size).toBe(20);
    for (const payer of payers) await expectBooked(payer, { payments: 1, answers: 1 });
  });
});
