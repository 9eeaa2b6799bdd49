// What the sponsor signs: only payments that would be carried out, each once. Others use up nothing of what it may spend in a day, which is
// here the fees of seven payments.

import { PublicKey, TransactionInstruction } from "@solana/web3.js";
import { afterEach, expect, test } from "vitest";
import type { Fault } from "@/lib/chains/evm/testing/faulty-node";
import { GUARD_PROGRAM } from "@/lib/chains/solana/instructions";
import { paymentInstructions, signPaymentBytes } from "@/lib/chains/solana/testing/payments";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { settlePayments } from "@/lib/payments/followup/run";
import { findSponsor, setSponsor } from "@/lib/relay/sponsor";
import { balanceOf } from "./testing/books";
import { promptOf, readError } from "./testing/client";
import { openService } from "./testing/service";
import { expectBooked } from "./testing/x402";
import { openX402OnSolana, type SolanaPayer, type SolanaPayload, x402SolanaSettings } from "./testing/x402-solana";

const service = await openService({ env: { ...x402SolanaSettings, PAYMENT_WAIT_MS: "5000", SPONSOR_DAILY_FEES_SOL: "0.00014" } });
// A blockhash lasts for half a minute here.
const x402 = await openX402OnSolana(service, { slotMs: 200 });
const sponsor = findSponsor();
if (!sponsor) throw new Error("this process has no sponsor");
let signed = 0;
setSponsor({
  address: sponsor.address,
  signPayment: (bytes) => {
    signed += 1;
    return sponsor.signPayment(bytes);
  },
});
afterEach(() => {
  signed = 0;
  x402.breakNodes(null);
});

const body = promptOf({ maxTokens: 100 });
const treasury = deriveTokenAccount(x402.terms.payTo, x402.terms.mint);
const patience = { timeout: 30_000, interval: 200 };

const expectPaid = (payload: SolanaPayload) => expect.poll(async () => (await x402.send(body, payload)).status, patience).toBe(200);

/** The payer's transaction, with an assertion that fails: Lighthouse is not on this chain. */
async function signGuarded(payer: SolanaPayer): Promise<SolanaPayload> {
  const payload = await x402.signPayment(payer, body);
  const { amount, extra } = payload.accepted;
  const { memo = "", recentBlockhash: blockhash = "" } = extra;
  const payment = { terms: x402.terms, payer: payer.wallet, blockhash, units: BigInt(amount), memo };
  const guard = new TransactionInstruction({ programId: new PublicKey(GUARD_PROGRAM), keys: [], data: Buffer.of(15, 4, 0, 0) });
  const bytes = signPaymentBytes(payment, [...paymentInstructions(payment), guard]);
  return { ...payload, payload: { transaction: Buffer.from(bytes).toString("base64") } };
}

/** As after a restore from a backup: nothing is known of its payment. */
async function forgetPayment({ address: payer }: SolanaPayer): Promise<void> {
  await inTransaction(async (transaction) => {
    await transaction.$executeRaw`SET LOCAL session_replication_role = replica`;
    const { id } = await transaction.paymentClaim.findFirstOrThrow({ where: { payer } });
    const relayedId = `payment_${id}_1`;
    await transaction.relayBroadcast.deleteMany({ where: { relayedId } });
    expect((await transaction.relayed.deleteMany({ where: { id: relayedId } })).count).toBe(1);
    await transaction.paymentClaim.delete({ where: { id } });
  });
}

test("payments that would fail are not signed, however often they are sent and looked for, and stop no payment that would not", async () => {
  const payer = await x402.newPayer();
  const listed = new Set<unknown>();
  x402.breakNodes(({ method, params: [account] }) => {
    if (method === "getSignaturesForAddress") listed.add(account);
    return null;
  });
  for (let times = 0; times < 6; times++) {
    const payload = await signGuarded(payer);
    for (let again = 0; again < 2; again++) readError(await x402.send(body, payload), "PAYMENT_VERIFICATION_FAILED");
  }
  const poor = await x402.newPayer();
  const unpaid = await x402.signPayment(poor, body);
  await x402.emptyWallet(poor);
  readError(await x402.send(body, unpaid), "PAYMENT_VERIFICATION_FAILED");
  await pool().query("UPDATE payment_claim SET valid_until = '2001-01-01'");
  for (let round = 0; round < 2; round++) await settlePayments.run();
  expect(signed).toBe(0);
  expect([...listed].sort()).toEqual([payer, poor].map(({ address }) => deriveTokenAccount(address, x402.terms.mint)).sort());
  await expectPaid(await x402.signPayment(payer, body));
});

test("six payments at once on a balance for one: one is signed", async () => {
  const [{ amount }] = (await x402.requirementsFor(body)).accepts;
  const payer = await x402.newPayer(BigInt(amount));
  const payloads = await Promise.all(Array.from({ length: 6 }, () => x402.signPayment(payer, body)));
  const sendAll = () => Promise.all(payloads.map((payload) => x402.send(body, payload)));
  await expect.poll(async () => (await sendAll()).filter(({ status }) => status === 200).length, patience).toBe(1);
  expect(signed).toBe(1);
});

test("a payment is signed once, however often it is sent and looked for until it is final", async () => {
  const payer = await x402.newPayer();
  const payload = await x402.signPayment(payer, body);
  x402.breakNodes(({ method }) => (method === "sendTransaction" ? { drop: true } : null));
  readError(await x402.send(body, payload), "SETTLEMENT_PENDING");
  x402.breakNodes(null);
  await expectPaid(payload);
  await settlePayments.run();
  expect(signed).toBe(1);
  await expectBooked(payer, { payments: 1, answers: 1 });
});

/** A payment that ran before the database was restored. */
async function payAndForget(): Promise<{ payer: SolanaPayer; payload: SolanaPayload }> {
  const payer = await x402.newPayer();
  const payload = await x402.signPayment(payer, body);
  let isSent = false;
  x402.breakNodes(({ method }) => {
    if (isSent) return { drop: true };
    isSent = method === "sendTransaction";
    return null;
  });
  readError(await x402.send(body, payload), "SETTLEMENT_PENDING");
  await forgetPayment(payer);
  return { payer, payload };
}

/** A cluster's answers about a message that ran, whatever its signatures, and after about a minute; the sandbox's knows signatures. */
function describeRun(err: string, method: string): Fault | null {
  const told = (value: unknown) => ({ rewrite: (result: unknown) => ({ ...(result as object), value }) });
  if (method === "simulateTransaction") return told({ err, logs: [], unitsConsumed: 0 });
  return method === "isBlockhashValid" ? told(err !== "BlockhashNotFound") : null;
}

test.each(["AlreadyProcessed", "BlockhashNotFound"])(
  "a payment that ran before the database was restored, now %s, is found by its message, answered, and not signed again",
  async (err) => {
    const { payer, payload } = await payAndForget();
    x402.breakNodes(({ method, params: [account] }) => {
      // Where every payment is listed the search would end at the claim's time.
      if (method === "getSignaturesForAddress" && account === treasury) return { drop: true };
      return describeRun(err, method);
    });
    await expectPaid(payload);
    expect(signed).toBe(1);
    await expectBooked(payer, { payments: 1, answers: 1 });
  },
);

test("what ran before the database was restored, and is refused as expired while a node is silent, is credited once all answer", async () => {
  const { payer, payload } = await payAndForget();
  let isSilent = true;
  x402.breakNodes(({ method }) => {
    if (method === "getSignaturesForAddress") return isSilent ? { drop: true } : null;
    return describeRun("BlockhashNotFound", method);
  });
  const refused = await x402.send(body, payload);
  expect(readError(refused, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("expired");
  await pool().query("UPDATE payment_claim SET valid_until = '2001-01-01' WHERE payer = $1", [payer.address]);
  isSilent = false;
  await expect.poll(() => settlePayments.run().then(() => balanceOf(payer.credit)), patience).toBeGreaterThan(0n);
  await expectBooked(payer, { payments: 1, answers: 0 });
});

test("beyond the fees of a day a payment waits, and is paid by nobody", async () => {
  const [last, late] = [await x402.newPayer(), await x402.newPayer()];
  await expectPaid(await x402.signPayment(last, body));
  readError(await x402.send(body, await x402.signPayment(late, body)), "SETTLEMENT_PENDING");
  await expectBooked(late, { payments: 0, answers: 0 });
});
