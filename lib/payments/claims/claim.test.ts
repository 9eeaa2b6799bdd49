// A payment belongs to one request forever, by its network, its payer and the payer's nonce, in whatever order and however often it
// arrives.

import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import type { AccountId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { storeAttempt } from "../settlement/failed-fee-limit";
import { findClaim, getClaim, type PaymentClaim, type PaymentTerms } from "./claim";
import { type ClaimedPayment, claimPayment } from "./claim-payment";
import { creditPayment, deleteVoidPayments, recordFailed, uncover } from "./claim-steps";
import { creditAccountOf, readCredit } from "./credits";

await openTestDatabase();

let last = 0;
const payer = "0x00000000000000000000000000000000000000aa";
const network = "eip155:8453";

const newTerms = (changed: Partial<PaymentTerms> = {}): PaymentTerms => ({
  scheme: "proof",
  network,
  payer,
  nonce: `req_${++last}`,
  amount: fromCents(5),
  accountId: null,
  keyId: null,
  idempotencyKey: null,
  identifier: null,
  bodyHash: randomBytes(32),
  validUntil: new Date("2026-11-21T10:05:00Z"),
  settlement: { cents: "5" },
  ...changed,
});

async function claimOf(terms: PaymentTerms) {
  const taken = await claimPayment(terms);
  if (taken.kind !== "claimed") throw new Error(taken.kind);
  return taken;
}

const fail = async (terms: PaymentTerms) => {
  const { claim } = await claimOf(terms);
  expect(await recordFailed(claim, false, { reason: "expired", message: "too late" })).toBe(true);
  return claim;
};

/** Whether this call stores the attempt's transaction. */
async function storesNow(claim: PaymentClaim): Promise<boolean> {
  const store = vi.fn(async () => undefined);
  await storeAttempt(claim, { units: 10n ** 12n, at: new Date() }, store);
  return store.mock.calls.length === 1;
}

const at = { transaction: "0x01", block: 7 };

test("a claimed payment is found again with all its terms", async () => {
  const terms = newTerms({ accountId: await createAccount(), settlement: { signature: "0x12", inner: { units: [1, null, true] } } });
  const { claim, isNew } = await claimOf(terms);
  expect(isNew).toBe(true);
  expect(claim).toMatchObject({ ...terms, state: "claimed", attempt: 1, isRelayed: false, isFinal: false, creditedAccount: null });
  expect(claim.id).toMatch(/^pay_[0-9A-Za-z]{20}$/);
  expect(await findClaim(network, payer, terms.nonce)).toEqual(claim);
  expect(await findClaim("eip155:1", payer, terms.nonce)).toBeNull();
});

test("of sixty-four requests with one payment at once, one is the first, and all get the same claim", async () => {
  const terms = newTerms();
  const all = await Promise.all(Array.from({ length: 64 }, () => claimOf(terms)));
  expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(all.map(({ claim }) => claim.id)).size).toBe(1);
});

test.each<[string, (accountId: AccountId) => Partial<PaymentTerms>]>([
  ["body", () => ({ bodyHash: randomBytes(32) })],
  ["amount", () => ({ amount: fromCents(6) })],
  ["account", () => ({ accountId: "acc_another" as AccountId })],
  ["scheme", () => ({ scheme: "exact_evm" })],
])("with another %s it is a replay", async (_, change) => {
  const accountId = await createAccount();
  const terms = newTerms({ accountId });
  await claimOf(terms);
  expect(await claimPayment({ ...terms, ...change(accountId) })).toEqual({ kind: "replayed" });
  expect((await claimOf(terms)).isNew).toBe(false);
});

test("with another key of the same account it is the same payment", async () => {
  const terms = newTerms({ accountId: await createAccount() });
  const { claim } = await claimOf(terms);
  expect((await claimOf({ ...terms, keyId: "key_other" as never })).claim.id).toBe(claim.id);
});

test("a payment that moved nothing may be claimed again, for another body and signature, by the same account only", async () => {
  const terms = newTerms({ accountId: await createAccount() });
  const { id } = await fail(terms);
  const next = { ...terms, bodyHash: randomBytes(32), settlement: { cents: "5", signature: "0x34" } };
  expect(await claimPayment({ ...next, accountId: "acc_another" as AccountId })).toEqual({ kind: "replayed" });
  const { claim, isNew } = await claimOf(next);
  expect(isNew).toBe(true);
  expect(claim).toMatchObject({ id, ...next, state: "claimed", attempt: 1, failure: null, failureMessage: null });
});

test("a payment without an account that moved nothing stays bound to its first body: readers of the chain cannot use it", async () => {
  const terms = newTerms({ scheme: "exact_evm" });
  const { id } = await fail(terms);
  expect(await claimPayment({ ...terms, bodyHash: randomBytes(32) })).toEqual({ kind: "replayed" });
  expect(await claimOf(terms)).toMatchObject({ isNew: true, claim: { id, state: "claimed" } });
});

test("an attempt whose transaction was stored keeps its id: the next attempt gets another", async () => {
  const terms = newTerms();
  const { claim } = await claimOf(terms);
  expect((await Promise.all([storesNow(claim), storesNow(claim), storesNow(claim)])).filter(Boolean)).toHaveLength(1);
  expect(await storesNow(claim)).toBe(false);
  // A stored attempt cannot be recorded as refused without a transaction.
  expect(await recordFailed(claim, false, { reason: "expired" })).toBe(false);
  expect(await recordFailed(claim, true, { reason: "settlement_failed" })).toBe(true);
  expect(await getClaim(claim.id)).toMatchObject({ state: "failed", isFinal: false });
  const { claim: next } = await claimOf(terms);
  expect(next).toMatchObject({ id: claim.id, attempt: 2, isRelayed: false });
  expect(await storesNow(claim)).toBe(false); // the first attempt's
  expect(await recordFailed(claim, true, { reason: "settlement_failed" })).toBe(false);
});

const isMismatch = (taken: ClaimedPayment) => taken.kind === "idempotency_mismatch";

test("an Idempotency-Key belongs to one payment of its account, until that payment is known to have moved nothing", async () => {
  const accountId = await createAccount();
  const [first, second] = [newTerms({ accountId, idempotencyKey: "order 1" }), newTerms({ accountId, idempotencyKey: "order 1" })];
  await claimOf(first);
  expect(isMismatch(await claimPayment(second))).toBe(true);
  expect(isMismatch(await claimPayment({ ...first, idempotencyKey: "order 2" }))).toBe(true);
  expect((await claimOf({ ...first, idempotencyKey: null, identifier: null })).claim.idempotencyKey).toBe("order 1");
  // Another account may use the same key.
  await claimOf(newTerms({ accountId: await createAccount(), idempotencyKey: "order 1" }));
  const { claim } = await claimOf(first);
  await recordFailed(claim, false, { reason: "allowance_too_low" });
  expect((await claimOf(second)).claim.idempotencyKey).toBe("order 1");
  expect(isMismatch(await claimPayment(first))).toBe(true);
});

test("a payment that arrives again finds its Idempotency-Key free when the payment that had it failed too", async () => {
  const accountId = await createAccount();
  const [one, other] = [newTerms({ accountId, idempotencyKey: "order 2" }), newTerms({ accountId, idempotencyKey: "order 2" })];
  await fail(one);
  await fail(other);
  expect((await claimOf(one)).claim.idempotencyKey).toBe("order 2");
});

test("after 24 hours another payment may have the Idempotency-Key, although the first one is paid", async () => {
  const accountId = await createAccount();
  const { claim } = await claimOf(newTerms({ accountId, idempotencyKey: "order 3" }));
  await creditPayment(claim, at);
  const age = (hours: number) =>
    pool().query("UPDATE payment_claim SET claimed_at = now() - make_interval(mins => $2) WHERE id = $1", [claim.id, hours * 60 - 1]);
  await age(24);
  expect(isMismatch(await claimPayment(newTerms({ accountId, idempotencyKey: "order 3" })))).toBe(true);
  await age(25);
  expect((await claimOf(newTerms({ accountId, idempotencyKey: "order 3" }))).claim.idempotencyKey).toBe("order 3");
  expect(await getClaim(claim.id)).toMatchObject({ state: "paid", idempotencyKey: null, identifier: null });
});

test("payments that never had a transaction and never can are deleted: without an account after a day, others after ninety", async () => {
  const accountId = await createAccount();
  const [anybodys, owned, paid, stored, open] = [newTerms(), newTerms({ accountId }), newTerms(), newTerms(), newTerms()];
  const claims = [await fail(anybodys), await fail(owned)];
  const { claim: credited } = await claimOf(paid);
  await creditPayment(credited, at);
  const { claim: wasStored } = await claimOf(stored);
  await storesNow(wasStored);
  await recordFailed(wasStored, true, { reason: "settlement_failed" });
  claims.push(credited, wasStored, (await claimOf(open)).claim);
  const age = (days: number) =>
    pool().query(
      "UPDATE payment_claim SET valid_until = now() - make_interval(days => $1, secs => 1), wanted_at = now() - make_interval(days => $1, secs => 1)",
      [days],
    );
  const left = async () => (await Promise.all(claims.map(({ nonce }) => findClaim(network, payer, nonce)))).map((claim) => claim !== null);
  await age(0);
  await deleteVoidPayments();
  expect(await left()).toEqual([true, true, true, true, true]);
  await age(1);
  await deleteVoidPayments();
  expect(await left()).toEqual([false, true, true, true, true]);
  await age(90);
  await deleteVoidPayments();
  expect(await left()).toEqual([false, false, true, true, true]);
});

test("of twenty payments that arrive with one Idempotency-Key at once, one gets it", async () => {
  const accountId = await createAccount();
  const all = await Promise.all(Array.from({ length: 20 }, () => claimPayment(newTerms({ accountId, idempotencyKey: "at once" }))));
  expect(all.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
  expect(all.filter(isMismatch)).toHaveLength(19);
});

test("a payment is credited once, however many try: to its account if the payer is proved, else to the payer's credit", async () => {
  const owner = await createAccount();
  const linked = "0x00000000000000000000000000000000000000b1";
  await pool().query("INSERT INTO identity (chain, address, account_id, linked_at, is_first) VALUES ('evm', $1, $2, now(), true)", [
    ...[linked, owner],
  ]);
  const stranger = "0x00000000000000000000000000000000000000b2";
  const cases: [PaymentTerms, string][] = [
    [newTerms({ payer: linked, accountId: owner }), owner],
    // An agent that pays by x402 has no account, whatever its wallet is linked to.
    [newTerms({ payer: linked, scheme: "exact_evm" }), creditAccountOf(network, linked)],
    [newTerms({ payer: stranger, accountId: owner }), creditAccountOf(network, stranger)],
  ];
  for (const [terms, account] of cases) {
    const { claim } = await claimOf(terms);
    const all = await Promise.all(Array.from({ length: 8 }, () => creditPayment(claim, at)));
    expect(new Set(all)).toEqual(new Set([account]));
    const { rows } = await pool().query("SELECT posted FROM ledger_account WHERE id = $1", [account]);
    expect(rows).toEqual([{ posted: fromCents(5) }]);
    expect(await getClaim(claim.id)).toMatchObject({ state: "paid", creditedAccount: account, ...at });
  }
  expect(await readCredit(network, stranger)).toBe(fromCents(5));
});

test("of twenty requests that claim a payment again at once, one is the first, and its attempt counts once", async () => {
  const terms = newTerms();
  const { claim } = await claimOf(terms);
  expect(await storesNow(claim)).toBe(true);
  expect(await recordFailed(claim, true, { reason: "settlement_failed" })).toBe(true);
  const all = await Promise.all(Array.from({ length: 20 }, () => claimOf(terms)));
  expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(all.map(({ claim: taken }) => taken.attempt))).toEqual(new Set([2]));
});

test("of failed payments that arrive again at once with one Idempotency-Key, one gets it", async () => {
  const accountId = await createAccount();
  const all = Array.from({ length: 10 }, () => newTerms({ accountId }));
  for (const terms of all) await fail(terms);
  const taken = await Promise.all(all.map((terms) => claimPayment({ ...terms, idempotencyKey: "again" })));
  expect(taken.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
  expect(taken.filter(isMismatch)).toHaveLength(9);
});

test("a failed payment that is claimed again while the job deletes it has one claim, which is under way", async () => {
  for (let times = 0; times < 20; times++) {
    const terms = newTerms();
    const { id } = await fail(terms);
    await pool().query(
      "UPDATE payment_claim SET valid_until = now() - interval '2 days', wanted_at = now() - interval '2 days' WHERE id = $1",
      [id],
    );
    const [{ claim }] = await Promise.all([claimOf(terms), deleteVoidPayments()]);
    expect(await findClaim(network, payer, terms.nonce)).toMatchObject({ id: claim.id, state: "claimed" });
  }
});

const cover = async (id: string) => {
  const { rows } = await pool().query<{ account: string | null }>("SELECT payments_cover($1) AS account", [id]);
  return rows[0]?.account;
};

test("a payment that the payer's credit covers is not submitted, unless the credit is gone and no request was answered", async () => {
  const { claim } = await claimOf(newTerms({ scheme: "exact_evm" }));
  expect(await cover(claim.id)).toBe(creditAccountOf(network, payer));
  expect(await storesNow(claim)).toBe(false);
  expect(await recordFailed(claim, false, { reason: "expired" })).toBe(false);
  expect((await uncover(claim)).state).toBe("claimed");
  expect(await storesNow(claim)).toBe(true);
  expect(await cover(claim.id)).toBeNull();
  expect(await getClaim(claim.id)).toMatchObject({ state: "claimed", isRelayed: true });
});

test("a payment without an amount, or without whole units of USDC, is not stored", async () => {
  for (const amount of [0n, -5n, 1_500n]) {
    await expect(claimPayment(newTerms({ amount: amount as never }))).rejects.toThrow("payment_claim_amount_check");
  }
});

test("a payment that another request is held from in between stays covered", async () => {
  const { claim } = await claimOf(newTerms({ scheme: "exact_evm" }));
  await cover(claim.id);
  // The other request's commit is under way: it has locked the row, and is about to hold from it.
  const other = await pool().connect();
  try {
    await other.query("BEGIN");
    await other.query("SELECT payments_cover($1), payments_record_request($1, 'req_other')", [claim.id]);
    const uncovered = uncover(claim);
    const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool().query(waits)).rowCount, { interval: 5 }).toBe(1);
    await other.query("COMMIT");
    expect(await uncovered).toMatchObject({ state: "covered", requestId: "req_other" });
  } finally {
    other.release();
  }
});
