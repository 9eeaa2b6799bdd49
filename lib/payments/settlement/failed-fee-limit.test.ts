// No wallet, and no group of new wallets, can cause many transactions that move nothing; wallets that pay are never limited.

import { randomBytes } from "node:crypto";
import { toHex } from "viem";
import { afterEach, beforeEach, expect, test } from "vitest";
import { now, setClock } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import type { PaymentClaim } from "../claims/claim";
import { claimPayment } from "../claims/claim-payment";
import { creditPayment, recordFailed } from "../claims/claim-steps";
import { exactTerms } from "../testing/terms";
import { deleteOldFailedTransactions, findFailedFeeLimit, storeAttempt } from "./failed-fee-limit";

await openTestDatabase();
const HOUR_MS = 3_600_000;
let nowMs = Date.parse("2026-11-22T10:00:00Z");
const restoreClock = setClock(() => nowMs);
const newPayer = () => toHex(randomBytes(20));

beforeEach(async () => {
  await pool().query("TRUNCATE payment_claim, payment_waste");
});
afterEach(() => {
  nowMs += 40 * 24 * HOUR_MS;
});
process.once("exit", restoreClock);

async function claimOf(payer: `0x${string}`): Promise<PaymentClaim> {
  const taken = await claimPayment(exactTerms({ payer }));
  if (taken.kind !== "claimed") throw new Error(taken.kind);
  return taken.claim;
}

const plenty = () => ({ units: 10n ** 12n, at: now() });
const store = async (claim: PaymentClaim, funds = plenty()) => (await storeAttempt(claim, funds, async () => undefined)).kind;

async function pay(payer: `0x${string}`): Promise<void> {
  const claim = await claimOf(payer);
  expect(await store(claim)).toBe("stored");
  await creditPayment(claim, { transaction: claim.nonce, block: 7 });
}

async function failTransaction(payer: `0x${string}`): Promise<void> {
  const claim = await claimOf(payer);
  expect(await store(claim)).toBe("stored");
  expect(await recordFailed(claim, true, { reason: "settlement_failed", isFailedTransaction: true })).toBe(true);
}

const refused = { kind: "refused", reason: "settlement_failed" };

test("a wallet whose three transactions moved nothing within an hour gets no fourth, whatever it paid before", async () => {
  const payer = newPayer();
  for (let times = 0; times < 5; times++) await pay(payer);
  for (let times = 0; times < 3; times++) {
    expect(await findFailedFeeLimit(await claimOf(payer))).toBeNull();
    await failTransaction(payer);
  }
  const claim = await claimOf(payer);
  expect(await findFailedFeeLimit(claim)).toMatchObject(refused);
  expect(await storeAttempt(claim, plenty(), () => Promise.reject(new Error("it was stored")))).toMatchObject(refused);
  const { values } = await metrics().paymentsLimited.get();
  expect(values).toMatchObject([{ value: 2, labels: { scheme: "exact_evm", reason: "payer_failed" } }]);
  // Another wallet is not limited, and this one may pay again once the hour is over.
  expect(await store(await claimOf(newPayer()))).toBe("stored");
  nowMs += HOUR_MS + 1;
  expect(await findFailedFeeLimit(claim)).toBeNull();
  expect(await store(claim)).toBe("stored");
});

test("a transaction that was never in a block cost nothing, and does not count", async () => {
  const payer = newPayer();
  for (let times = 0; times < 5; times++) {
    const claim = await claimOf(payer);
    expect(await store(claim)).toBe("stored");
    await recordFailed(claim, true, { reason: "expired" });
  }
  expect(await store(await claimOf(payer))).toBe("stored");
});

test("a new wallet may have four under way; one that has paid more often, as many as it paid for, at most thirty-two", async () => {
  const [fresh, known, rich] = [newPayer(), newPayer(), newPayer()];
  for (let times = 0; times < 6; times++) await pay(known);
  for (let times = 0; times < 40; times++) await pay(rich);
  const many = async (payer: `0x${string}`) => {
    const stored: PaymentClaim[] = [];
    // As many at once as the pool has connections: more would wait for one, on a busy machine longer than they may.
    for (let turn = 0; turn < 6; turn++) {
      const claims = await Promise.all(Array.from({ length: 8 }, () => claimOf(payer)));
      const kinds = await Promise.all(claims.map((claim) => store(claim)));
      for (const kind of kinds) expect(["stored", "unknown"]).toContain(kind);
      stored.push(...claims.filter((_, index) => kinds[index] === "stored"));
    }
    return stored;
  };
  const first = await many(fresh);
  expect(first).toHaveLength(4);
  expect(await many(known)).toHaveLength(6);
  expect(await many(rich)).toHaveLength(32);
  // A payment that has ended makes room.
  const [done] = first;
  if (done) await creditPayment(done, { transaction: "0x01", block: 8 });
  expect(await store(await claimOf(fresh))).toBe("stored");
  expect(await store(await claimOf(fresh))).toBe("unknown");
});

test("one failed transaction cancels one payment: wallets that paid once share the budget from their second one on", async () => {
  const budget = config().FAILED_FEE_LIMIT_PER_HOUR;
  const payers = Array.from({ length: budget }, newPayer);
  const failed = async () => (await pool().query<{ failed: bigint }>("SELECT count(*) AS failed FROM payment_waste")).rows[0]?.failed;
  for (const payer of payers) await pay(payer);
  for (let times = 0; times < 3; times++) {
    for (const payer of payers) {
      const claim = await claimOf(payer);
      if ((await store(claim)) === "stored") await recordFailed(claim, true, { reason: "settlement_failed", isFailedTransaction: true });
    }
  }
  expect(await failed()).toBe(BigInt(2 * budget));
});

test("a wallet with one failed transaction may have two more under way, however much it paid: three failures are the limit", async () => {
  const payer = newPayer();
  for (let times = 0; times < 40; times++) await pay(payer);
  await failTransaction(payer);
  const claims = await Promise.all(Array.from({ length: 10 }, () => claimOf(payer)));
  expect((await Promise.all(claims.map((claim) => store(claim)))).filter((kind) => kind === "stored")).toHaveLength(2);
});

test("no more is under way than its payer can pay, including payments since its funds were read; the rest waits", async () => {
  const payer = newPayer();
  const [first, second, third] = [await claimOf(payer), await claimOf(payer), await claimOf(payer)];
  // Each is for five cents.
  const funds = { units: 100_000n, at: now() };
  expect([await store(first, funds), await store(second, funds), await store(third, funds)]).toEqual(["stored", "stored", "unknown"]);
  await creditPayment(first, { transaction: "0x01", block: 7 });
  expect(await store(third, funds)).toBe("unknown");
  nowMs += 2_000;
  expect(await store(third, { units: 50_000n, at: now() })).toBe("unknown");
  await creditPayment(second, { transaction: "0x02", block: 8 });
  nowMs += 2_000;
  expect(await store(third, { units: 50_000n, at: now() })).toBe("stored");
});

test("wallets that never paid share one budget, including those under way; a wallet that has paid is not affected", async () => {
  const budget = config().FAILED_FEE_LIMIT_PER_HOUR;
  const known = newPayer();
  await pay(known);
  const claims = await Promise.all(Array.from({ length: budget + 20 }, () => claimOf(newPayer())));
  const kinds: string[] = [];
  // Some at once: of all at once, those that wait for a connection longer than two seconds are refused.
  for (let at = 0; at < claims.length; at += 20) kinds.push(...(await Promise.all(claims.slice(at, at + 20).map((claim) => store(claim)))));
  const [begun, waiting] = [claims.filter((_, index) => kinds[index] === "stored"), claims.filter((_, index) => kinds[index] !== "stored")];
  expect(begun).toHaveLength(budget);
  expect(await findFailedFeeLimit(waiting[0] as PaymentClaim)).toEqual({ kind: "unknown" });
  expect(await store(await claimOf(known))).toBe("stored");
  for (const claim of begun) await recordFailed(claim, true, { reason: "settlement_failed", isFailedTransaction: true });
  expect(await findFailedFeeLimit(waiting[0] as PaymentClaim)).toMatchObject(refused);
  expect(await storeAttempt(waiting[1] as PaymentClaim, plenty(), () => Promise.reject(new Error("it was stored")))).toMatchObject(refused);
  expect(await store(await claimOf(known))).toBe("stored");
  nowMs += HOUR_MS + 1;
  expect(await store(waiting[0] as PaymentClaim)).toBe("stored");
});

test("a failed transaction that the limit no longer counts is deleted", async () => {
  await failTransaction(newPayer());
  expect(await deleteOldFailedTransactions()).toBe(0);
  nowMs += 30 * 24 * HOUR_MS;
  expect(await deleteOldFailedTransactions()).toBe(1);
});
