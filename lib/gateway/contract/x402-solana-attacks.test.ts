// What must fail on Solana. Each test counts answers, money moved on the chain, and entries in the books: at most one answer per payment,
// at most one payment per answer, and no payer pays without an answer or a credit.

import { ComputeBudgetProgram, PublicKey, SystemProgram, TransactionInstruction } from "@solana/web3.js";
import { expect, test } from "vitest";
import { GUARD_PROGRAM } from "@/lib/chains/solana/instructions";
import { paymentInstructions, signPaymentBytes, type WrittenPayment } from "@/lib/chains/solana/testing/payments";
import { signOnceMore } from "@/lib/chains/solana/testing/second-signature";
import { pool } from "@/lib/db/pool";
import { type Answer, promptOf, readError } from "./testing/client";
import { openService } from "./testing/service";
import { expectBooked, settlementIn } from "./testing/x402";
import { openX402OnSolana, type SolanaPayer, type SolanaPayload, x402SolanaSettings } from "./testing/x402-solana";

const service = await openService({ env: { ...x402SolanaSettings, PAYMENT_WAIT_MS: "10000" } });
const x402 = await openX402OnSolana(service);

/** The counts before and after. */
async function counts(payer: SolanaPayer) {
  const claims = await pool().query("SELECT 1 FROM payment_claim WHERE payer = $1", [payer.address]);
  const [answers, moved, left, fees] = await Promise.all([x402.answered(), x402.moved(), x402.unitsOf(payer.address), x402.fees()]);
  return { answers, moved, left, fees, claims: claims.rowCount };
}

const bytesOf = ({ payload }: SolanaPayload): Buffer => Buffer.from(payload.transaction, "base64");
const withBytes = (payload: SolanaPayload, bytes: Uint8Array): SolanaPayload => ({
  ...payload,
  payload: { transaction: Buffer.from(bytes).toString("base64") },
});
/** Overrides fields of the accepted requirements. */
const changed = (payload: SolanaPayload, accepted: Partial<SolanaPayload["accepted"]>): SolanaPayload => ({
  ...payload,
  accepted: { ...payload.accepted, ...accepted },
});

const expectRefused = (answer: Answer, reason: string): void =>
  expect(readError(answer, "PAYMENT_VERIFICATION_FAILED").details).toMatchObject({ reason });

test.each([8, 64])("%i replays of one payment at once: one answer, one payment", async (count) => {
  const payer = await x402.newPayer();
  const body = promptOf({ maxTokens: 100 });
  const payload = await x402.signPayment(payer, body);
  const before = await counts(payer);
  const answers = await Promise.all(Array.from({ length: count }, () => x402.send(body, payload)));
  expect([...new Set(answers.map(({ status }) => status))].filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect(answers.filter(({ status, headers }) => status === 200 && headers.get("idempotent-replayed") === null)).toHaveLength(1);
  const after = await counts(payer);
  expect(after.answers - before.answers).toBe(1);
  expect(after.moved - before.moved).toBe(BigInt(payload.accepted.amount));
  expect(after.claims).toBe(1);
  await expectBooked(payer, { payments: 1, answers: 1 });

  const late = await x402.send(body, payload);
  expect([late.status, late.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(await counts(payer)).toEqual(after);
});

test("eight signatures of the payer over one transaction are one payment: the chain would show each of them as done", async () => {
  const payer = await x402.newPayer();
  const body = promptOf({ maxTokens: 100 });
  const payload = await x402.signPayment(payer, body);
  const bytes = bytesOf(payload);
  const again = () =>
    withBytes(
      payload,
      Buffer.concat([bytes.subarray(0, 65), signOnceMore(payer.wallet.secretKey, bytes.subarray(129)), bytes.subarray(129)]),
    );
  const before = await counts(payer);
  const answers = await Promise.all([payload, ...Array.from({ length: 7 }, again)].map((one) => x402.send(body, one)));
  expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
  const after = await counts(payer);
  expect([after.answers - before.answers, after.claims]).toEqual([1, 1]);
  expect(after.moved - before.moved).toBe(BigInt(payload.accepted.amount));
  await expectBooked(payer, { payments: 1, answers: 1 });
});

test("the payment of one body pays for no other, whatever surrounds it", async () => {
  const payer = await x402.newPayer();
  const [mine, theirs] = [promptOf({ maxTokens: 100 }), promptOf({ maxTokens: 100, prompt: "Something else" })];
  const payload = await x402.signPayment(payer, mine);
  const [{ extra }] = (await x402.requirementsFor(theirs)).accepts;
  const before = await counts(payer);
  expectRefused(await x402.send(theirs, payload), "replayed");
  expectRefused(await x402.send(theirs, changed(payload, { extra })), "malformed");
  expect(await counts(payer)).toEqual(before);
  expect((await x402.send(mine, payload)).status).toBe(200);
  expectRefused(await x402.send(theirs, changed(payload, { extra })), "malformed");
  await expectBooked(payer, { payments: 1, answers: 1 });
});

test("six payments at once on a balance for one: exactly one is paid and answered", async () => {
  const body = promptOf({ maxTokens: 100 });
  const [{ amount }] = (await x402.requirementsFor(body)).accepts;
  const payer = await x402.newPayer(BigInt(amount));
  const payloads = await Promise.all(Array.from({ length: 6 }, () => x402.signPayment(payer, body)));
  const before = await counts(payer);
  const answers = await Promise.all(payloads.map((payload) => x402.send(body, payload)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const answer of answers) expect([200, 402, 503]).toContain(answer.status);
  const after = await counts(payer);
  expect([after.answers - before.answers, after.moved - before.moved, after.left]).toEqual([1, BigInt(amount), 0n]);
  await expectBooked(payer, { payments: 1, answers: 1 });
});

/** A payment as the stock client writes it, with parts that tests can change. */
async function written(payer: SolanaPayer, body: object): Promise<{ payment: WrittenPayment; payload: SolanaPayload }> {
  const payload = await x402.signPayment(payer, body);
  const { amount, extra } = payload.accepted;
  const { memo = "", recentBlockhash: blockhash = "" } = extra;
  return { payment: { terms: x402.terms, payer: payer.wallet, blockhash, units: BigInt(amount), memo }, payload };
}

const body = promptOf({ maxTokens: 100 });

test("our own writer makes the stock client's transaction, except for the order of its accounts", async () => {
  const payer = await x402.newPayer();
  const { payment, payload } = await written(payer, body);
  const answer = await x402.send(body, withBytes(payload, signPaymentBytes(payment)));
  expect(answer.status).toBe(200);
});

type Change = (payment: WrittenPayment, payer: SolanaPayer) => TransactionInstruction[];
const changes: [string, Change][] = [
  [
    "takes the fee payer's SOL",
    (payment, { wallet }) => [
      ...paymentInstructions(payment),
      SystemProgram.transfer({ fromPubkey: new PublicKey(payment.terms.feePayer), toPubkey: wallet.publicKey, lamports: 500_000_000 }),
    ],
  ],
  [
    "offers a huge compute price",
    (payment) => paymentInstructions(payment).with(1, ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000_000_000 })),
  ],
  ["pays one unit less", (payment) => paymentInstructions({ ...payment, units: payment.units - 1n })],
  [
    "pays the payer's own friend",
    (payment, { address }) => paymentInstructions({ ...payment, terms: { ...payment.terms, payTo: address } }),
  ],
  ["pays in another token", (payment) => paymentInstructions({ ...payment, terms: { ...payment.terms, mint: payment.terms.payTo } })],
  ["has the memo of another request", (payment) => paymentInstructions({ ...payment, memo: "0".repeat(32) })],
  ["has no memo", (payment) => paymentInstructions(payment).slice(0, 3)],
];

test.each(changes)("a transaction that %s is refused, and costs nothing", async (_, change) => {
  const payer = await x402.newPayer();
  const { payment, payload } = await written(payer, body);
  const before = await counts(payer);
  const answer = await x402.send(body, withBytes(payload, signPaymentBytes(payment, change(payment, payer))));
  expect(["malformed", "amount_too_low"]).toContain(readError(answer, "PAYMENT_VERIFICATION_FAILED").details.reason);
  expect(settlementIn(answer)).toMatchObject({ success: false, transaction: "" });
  expect(await counts(payer)).toEqual(before);
});

test("a transaction over more than its accepted.amount, above the price, is a mismatch with the cure, and costs nothing", async () => {
  const payer = await x402.newPayer();
  const { payment, payload } = await written(payer, body);
  const [price, signed] = [payment.units, payment.units + 500n];
  const before = await counts(payer);
  const answer = await x402.send(body, withBytes(payload, signPaymentBytes({ ...payment, units: signed })));
  expectRefused(answer, "amount_mismatch");
  expect(settlementIn(answer)).toMatchObject({ success: false, errorReason: "invalid_exact_svm_payload_amount_mismatch" });
  expect(answer.text).toContain(`for ${signed} units of USDC, but its accepted.amount is ${price}. Sign exactly what accepted.amount says`);
  expect(await counts(payer)).toEqual(before);
  // The cure.
  expect((await x402.send(body, await x402.signPayment(payer, body))).status).toBe(200);
});

test("a guard that would make the transaction fail is detected before signing: refused, no answer, no cost to our fee payer", async () => {
  const payer = await x402.newPayer();
  const { payment, payload } = await written(payer, body);
  // Lighthouse is not on this chain, so that any assertion fails.
  const guard = new TransactionInstruction({ programId: new PublicKey(GUARD_PROGRAM), keys: [], data: Buffer.of(15, 4, 0, 0) });
  const before = await counts(payer);
  const answer = await x402.send(body, withBytes(payload, signPaymentBytes(payment, [...paymentInstructions(payment), guard])));
  expectRefused(answer, "settlement_failed");
  expect(answer.text).toContain("The transaction would fail");
  expect(await counts(payer)).toEqual({ ...before, claims: 1 });
  await expectBooked(payer, { payments: 0, answers: 0 });
});

test("less than required, another network, and a payee of the payer's choice are refused before anything is read", async () => {
  const payer = await x402.newPayer();
  const payload = await x402.signPayment(payer, body);
  const before = await counts(payer);
  const refusals: [Partial<SolanaPayload["accepted"]>, string][] = [
    [{ amount: `${BigInt(payload.accepted.amount) - 1n}` }, "amount_too_low"],
    [{ amount: `${BigInt(payload.accepted.amount) + 1n}` }, "amount_mismatch"],
    [{ network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1" }, "network_unsupported"],
    [{ payTo: payer.address }, "malformed"],
    [{ asset: payer.address }, "malformed"],
  ];
  for (const [accepted, reason] of refusals) expectRefused(await x402.send(body, changed(payload, accepted)), reason);
  for (const transaction of ["", "no base64!", Buffer.alloc(10).toString("base64"), "A".repeat(5_000)])
    expectRefused(await x402.send(body, { ...payload, payload: { transaction } }), "malformed");
  expect(await counts(payer)).toEqual(before);
});

test("a transaction that the payer did not sign is refused: signed by somebody else, or unsigned", async () => {
  const [payer, thief] = [await x402.newPayer(), await x402.newPayer()];
  const payload = await x402.signPayment(payer, body);
  const bytes = bytesOf(payload);
  const signatures = [Buffer.alloc(64), signOnceMore(thief.wallet.secretKey, bytes.subarray(129))];
  const before = await counts(payer);
  for (const signature of signatures) {
    const forged = withBytes(payload, Buffer.concat([bytes.subarray(0, 65), signature, bytes.subarray(129)]));
    expectRefused(await x402.send(body, forged), "bad_signature");
  }
  expect(await counts(payer)).toEqual(before);
});

test("a balance gone before settlement: refused, no answer, and our fee payer pays nothing", async () => {
  const payer = await x402.newPayer();
  const payload = await x402.signPayment(payer, body);
  await x402.emptyWallet(payer);
  const before = await counts(payer);
  const answer = await x402.send(body, payload);
  expectRefused(answer, "wallet_balance_too_low");
  expect(settlementIn(answer)).toMatchObject({ success: false, errorReason: "insufficient_funds", transaction: "" });
  expect(await counts(payer)).toEqual({ ...before, claims: 1 });
  await expectBooked(payer, { payments: 0, answers: 0 });
});
