// An outside facilitator on Solana, which pays the fee and sends the transaction: honest, silent, or lying either way. Only the payer's own
// message, in a block, counts.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { base58 } from "@scure/base";
import { Keypair, Transaction, VersionedTransaction } from "@solana/web3.js";
import { afterAll, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { paymentInstructions } from "@/lib/chains/solana/testing/payments";
import { type Answer, promptOf, readError } from "./testing/client";
import { openService } from "./testing/service";
import { expectBooked, settlementIn } from "./testing/x402";
import { openX402OnSolana, type SolanaPayer, type SolanaPayload, x402SolanaSettings } from "./testing/x402-solana";

const MAINNET = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
const feePayer = Keypair.generate();

interface Order {
  paymentPayload: { payload: { transaction: string } };
  paymentRequirements: { network: string; amount: string; extra: { feePayer: string; memo: string } };
}

/** Signs as fee payer and sends, as a facilitator does; resolves with the signature. */
async function carryOut({ paymentPayload }: Order): Promise<string> {
  const transaction = VersionedTransaction.deserialize(Buffer.from(paymentPayload.payload.transaction, "base64"));
  transaction.sign([feePayer]);
  return x402.connection.sendRawTransaction(transaction.serialize());
}

const honest = async (order: Order) => ({ success: true, transaction: await carryOut(order), network: MAINNET });
/** The answer of /settle from now on; null for no answer. */
let behaviour: (order: Order) => Promise<object | null> = honest;
const orders: Order[] = [];
const kinds = [{ x402Version: 2, scheme: "exact", network: MAINNET, extra: { feePayer: feePayer.publicKey.toBase58() } }];

const server = createServer(async (request, response) => {
  if (request.url === "/supported") return void response.end(JSON.stringify({ kinds }));
  const order = (await json(request)) as Order;
  orders.push(order);
  // A transaction that is in the chain already is refused there.
  const answer = await behaviour(order).catch(() => null);
  if (answer === null) return void response.destroy();
  response.end(JSON.stringify(answer));
});
await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
const X402_FACILITATOR_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  delete process.env.X402_FACILITATOR_URL;
  forgetSingleton("config");
  server.closeAllConnections();
  server.close();
});

const service = await openService({ env: { ...x402SolanaSettings, X402_FACILITATOR_URL, PAYMENT_WAIT_MS: "2000" } });
const x402 = await openX402OnSolana(service);
await x402.chain.airdrop(feePayer.publicKey.toBase58(), 1_000_000_000n);
await vi.waitUntil(async () => (await x402.connection.getBalance(feePayer.publicKey)) > 0, { timeout: 30_000, interval: 25 });

const body = promptOf({ maxTokens: 100 });
const counts = async () => ({ answers: await x402.answered(), moved: await x402.moved(), ours: await x402.fees() });

async function signed(): Promise<{
  payer: SolanaPayer;
  payload: SolanaPayload;
  amount: bigint;
  before: Awaited<ReturnType<typeof counts>>;
}> {
  const payer = await x402.newPayer();
  const payload = await x402.signPayment(payer, body);
  return { payer, payload, amount: BigInt(payload.accepted.amount), before: await counts() };
}

const untilServed = (payload: SolanaPayload) =>
  expect.poll(async () => (await x402.send(body, payload)).status, { interval: 200 }).toBe(200);

/** The facilitator paid the fee; our own fee payer paid nothing. */
async function expectPaidOnce({ payer, amount, before }: Awaited<ReturnType<typeof signed>>): Promise<void> {
  expect(await counts()).toEqual({ answers: before.answers + 1, moved: before.moved + amount, ours: before.ours });
  await expectBooked(payer, { payments: 1, answers: 1 });
}

test("an honest facilitator is called once, pays the fee, and the payer gets its answer", async () => {
  behaviour = honest;
  const payment = await signed();
  expect(payment.payload.accepted.extra.feePayer).toBe(feePayer.publicKey.toBase58());
  const start = orders.length;
  const answer = await x402.send(body, payment.payload);
  expect(answer.status, answer.text).toBe(200);
  expect(orders.slice(start)).toMatchObject([{ paymentRequirements: { network: MAINNET, amount: payment.payload.accepted.amount } }]);
  const { transaction = "" } = settlementIn(answer) ?? {};
  expect((await x402.connection.getSignatureStatus(transaction)).value).toMatchObject({ err: null });
  await expectPaidOnce(payment);
});

test("a facilitator that settles and answers nothing, or no: the chain decides", async () => {
  for (const answer of [null, { success: false, errorReason: "unexpected_settle_error" }]) {
    behaviour = async (order) => {
      await carryOut(order);
      return answer;
    };
    const payment = await signed();
    const first = await x402.send(body, payment.payload);
    expect([200, 402, 503]).toContain(first.status);
    await untilServed(payment.payload);
    await expectPaidOnce(payment);
  }
});

const expectUnpaid = async (answer: Answer, { payer, before }: Awaited<ReturnType<typeof signed>>) => {
  readError(answer, "SETTLEMENT_PENDING");
  expect((await counts()).answers).toBe(before.answers);
  await expectBooked(payer, { payments: 0, answers: 0 });
};

test("a facilitator that claims another payment's real transaction: no answer", async () => {
  const other = await signed();
  behaviour = honest;
  const paid = settlementIn(await x402.send(body, other.payload))?.transaction;
  behaviour = async () => ({ success: true, transaction: paid, network: MAINNET });
  const payment = await signed();
  await expectUnpaid(await x402.send(body, payment.payload), payment);
  expect((await counts()).moved).toBe(payment.before.moved);
});

test("a facilitator that claims another transaction with the same memo and amount: no answer, since it is not the signed one", async () => {
  const payment = await signed();
  const { memo = "" } = payment.payload.accepted.extra;
  const { wallet, address } = payment.payer;
  await x402.chain.airdrop(address, 1_000_000_000n);
  behaviour = async () => {
    const { blockhash } = await x402.connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: blockhash });
    transaction.add(...paymentInstructions({ terms: x402.terms, payer: wallet, units: payment.amount, memo }));
    transaction.sign(wallet);
    await x402.connection.sendRawTransaction(transaction.serialize());
    return { success: true, transaction: base58.encode(transaction.signature ?? new Uint8Array()), network: MAINNET };
  };
  await expectUnpaid(await x402.send(body, payment.payload), payment);
  expect((await counts()).moved).toBeGreaterThan(payment.before.moved);
  behaviour = honest;
  await untilServed(payment.payload);
  await expectBooked(payment.payer, { payments: 1, answers: 1 });
});

test("a facilitator with a new fee payer: an earlier payment gets its answer", async () => {
  behaviour = honest;
  const { payload, payer } = await signed();
  const first = await x402.send(body, payload);
  expect(first.status, first.text).toBe(200);
  const [kind] = kinds;
  if (!kind) throw new Error("the facilitator supports something");
  const former = kind.extra.feePayer;
  const next = Keypair.generate().publicKey;
  await x402.chain.airdrop(next.toBase58(), 1_000_000_000n);
  await vi.waitUntil(async () => (await x402.connection.getBalance(next)) > 0, { timeout: 30_000, interval: 25 });
  try {
    kind.extra.feePayer = next.toBase58();
    for (const name of ["readiness for payments on Solana", "x402 facilitator"]) forgetSingleton(name);
    expect((await x402.requirementsFor(body)).accepts[0].extra.feePayer).toBe(next.toBase58());
    const again = await x402.send(body, payload);
    expect([again.status, again.text]).toEqual([200, first.text]);
    await expectBooked(payer, { payments: 1, answers: 1 });
  } finally {
    kind.extra.feePayer = former;
    for (const name of ["readiness for payments on Solana", "x402 facilitator"]) forgetSingleton(name);
  }
});
