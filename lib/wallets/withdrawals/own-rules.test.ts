// An owner's own rules: what is stricter holds at once, what is looser after 24 hours, whatever is tried in between.

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { listPayableWallets, readAllowance } from "./allowance";
import { checkWithdrawals } from "./check";
import { cancelWithdrawal } from "./decisions";
import { isLooser, MAX_WAIT_SECONDS, type OwnRules, readHeldRules, setOwnRules } from "./own-rules";
import { payWithdrawals } from "./pay-withdrawals";
import { approve, asUsd, newOwner, order, ordered, startWorld, type TestOwner, USD, type World } from "./testing/world";
import { findWithdrawal } from "./withdrawal";

await openTestDatabase();
let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.fillTreasury("base", 1_000_000_000n);
});
afterAll(() => world?.stop());
afterEach(async () => {
  vi.unstubAllEnvs();
  forgetSingleton("config");
  expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
});

const HOUR = 3_600;
const rules = (part: Partial<OwnRules> = {}): OwnRules => ({ dailyLimit: null, waitSeconds: 0, destinations: [], ...part });

async function set({ accountId }: TestOwner, part: Partial<OwnRules>): Promise<void> {
  expect(await setOwnRules(accountId, rules(part), (await readHeldRules(accountId)).newest)).toBe(true);
}

/** Moves what was decided so far back in time. */
const later = ({ accountId }: TestOwner, hours: number) =>
  pool().query(
    `UPDATE withdrawal_rules SET made_at = made_at - make_interval(hours => $2), replaced_at = replaced_at - make_interval(hours => $2)
     WHERE account_id = $1`,
    [accountId, hours],
  );

const held = async ({ accountId, evm, solana }: TestOwner) => {
  const { dailyLimit, waitSeconds, allows, until } = await readHeldRules(accountId);
  return { dailyLimit, waitSeconds, allows: [allows(evm), allows(solana)], isSettled: until === null };
};

const round = async () => {
  await payWithdrawals();
  await runRelay({ resendAfterMs: 0 });
};

test("a stricter rule holds at once, in the order and before it", async () => {
  const owner = await newOwner(100n * USD);
  await set(owner, { dailyLimit: asUsd(10), destinations: [owner.evm] });
  expect(await held(owner)).toEqual({ dailyLimit: asUsd(10), waitSeconds: 0, allows: [true, false], isSettled: true });
  expect((await readAllowance(owner.accountId)).leftOfOwn).toBe(asUsd(10));
  expect((await listPayableWallets(owner.accountId)).map(({ isAllowed }) => isAllowed).sort()).toEqual([false, true]);
  expect(await order(owner, { amount: 11n * USD })).toEqual({ ok: false, reason: "own_limit", most: asUsd(10) });
  expect(await order(owner, { chain: "solana", amount: 5n * USD })).toEqual({ ok: false, reason: "destination_not_allowed" });
  const id = await ordered(owner, { amount: 6n * USD });
  expect(await order(owner, { amount: 5n * USD })).toEqual({ ok: false, reason: "own_limit", most: asUsd(4) });
  await cancelWithdrawal(owner.accountId, id);
  await cancelWithdrawal(owner.accountId, await ordered(owner, { amount: 10n * USD }));
});

test("a looser rule holds after 24 hours, and a stricter one in between takes it back at once", async () => {
  const owner = await newOwner(100n * USD);
  await set(owner, { dailyLimit: asUsd(10), waitSeconds: HOUR, destinations: [owner.evm] });
  const before = { dailyLimit: asUsd(10), waitSeconds: HOUR, allows: [true, false] };
  await set(owner, {});
  expect(await held(owner)).toEqual({ ...before, isSettled: false });
  await later(owner, 23);
  expect(await order(owner, { amount: 11n * USD })).toMatchObject({ reason: "own_limit" });
  await later(owner, 2);
  expect(await held(owner)).toEqual({ dailyLimit: null, waitSeconds: 0, allows: [true, true], isSettled: true });

  await set(owner, { dailyLimit: asUsd(10) });
  await set(owner, { dailyLimit: asUsd(50) });
  await set(owner, { dailyLimit: asUsd(10) });
  await later(owner, 25);
  expect(await held(owner)).toMatchObject({ dailyLimit: asUsd(10), isSettled: true });
});

test("no sequence of changes within a day allows what was not allowed at its start", async () => {
  const owner = await newOwner(100n * USD);
  await set(owner, { dailyLimit: asUsd(10), waitSeconds: 24 * HOUR, destinations: [owner.evm] });
  const steps: Partial<OwnRules>[] = [
    { dailyLimit: asUsd(10), waitSeconds: 24 * HOUR },
    { dailyLimit: asUsd(90), destinations: [owner.solana] },
    { dailyLimit: asUsd(5), waitSeconds: 0 },
    { dailyLimit: null, waitSeconds: 72 * HOUR, destinations: [owner.solana, owner.evm] },
    {},
  ];
  for (const step of [...steps, ...steps.toReversed()]) {
    await set(owner, step);
    const now = await held(owner);
    expect(now.dailyLimit).toBeLessThanOrEqual(asUsd(10));
    expect(now.waitSeconds).toBeGreaterThanOrEqual(24 * HOUR);
    expect(now.allows[1]).toBe(false);
  }
  await later(owner, 25);
  expect(await held(owner)).toEqual({ dailyLimit: asUsd(10), waitSeconds: 24 * HOUR, allows: [true, true], isSettled: true });
});

test("of two changes at once one is told that the other came first", async () => {
  const owner = await newOwner(1n * USD);
  const { newest: before } = await readHeldRules(owner.accountId);
  const wishes = [3, 5, 7, 9].map((dollars) => setOwnRules(owner.accountId, rules({ dailyLimit: asUsd(dollars) }), before));
  expect((await Promise.all(wishes)).filter(Boolean)).toHaveLength(1);
  const { rows } = await pool().query("SELECT id FROM withdrawal_rules WHERE account_id = $1", [owner.accountId]);
  expect(rows).toHaveLength(1);
});

test("with a waiting time a withdrawal is not paid before it, can be cancelled until then, and keeps no place in the queue", async () => {
  vi.stubEnv("WITHDRAWAL_APPROVAL_ABOVE_USD", "30");
  forgetSingleton("config");
  const owner = await newOwner(100n * USD);
  await set(owner, { waitSeconds: 24 * HOUR });
  const waits = await ordered(owner, { amount: 5n * USD });
  const cancelled = await ordered(owner, { amount: 6n * USD });
  const approved = await ordered(owner, { amount: 40n * USD });
  expect(await approve(approved)).toBe(true);
  await round();
  for (const id of [waits, cancelled, approved]) {
    expect(await findWithdrawal(id)).toMatchObject({ state: "approved", waitsFor: "waiting_time", payFrom: expect.any(Date) });
  }
  const { rows } = await pool().query(
    "SELECT count(*)::int AS later FROM withdrawal WHERE account_id = $1 AND approved_at = pay_from AND pay_from > now() + interval '23 hours'",
    [owner.accountId],
  );
  expect(rows).toEqual([{ later: 3 }]);
  expect((await pool().query("SELECT * FROM wallets_queue() WHERE account_id = $1", [owner.accountId])).rows).toEqual([]);
  for (const id of [cancelled, approved]) expect(await cancelWithdrawal(owner.accountId, id)).toBe(true);
  // No rule that is changed now shortens what was ordered under the old one.
  await set(owner, {});
  await later(owner, 25);
  await round();
  expect(await findWithdrawal(waits)).toMatchObject({ waitsFor: "waiting_time" });
  await pool().query(
    "UPDATE withdrawal SET pay_from = now() - interval '1 second', approved_at = now() - interval '1 second' WHERE id = $1",
    [waits],
  );
  await expect.poll(() => round().then(() => findWithdrawal(waits)), { timeout: 30_000 }).toMatchObject({ state: "final" });
});

test.each([
  [{ dailyLimit: asUsd(5) }, {}, false],
  [{}, { dailyLimit: asUsd(5) }, true],
  [{ dailyLimit: asUsd(6) }, { dailyLimit: asUsd(5) }, true],
  [{ waitSeconds: 1 }, { waitSeconds: 2 }, true],
  [{ waitSeconds: 2 }, { waitSeconds: 1 }, false],
  [{ destinations: [] }, { destinations: [{ chain: "evm", address: "0x1" }] }, true],
  [{ destinations: [{ chain: "evm", address: "0x1" }] }, { destinations: [] }, false],
  [{ destinations: [{ chain: "solana", address: "0x1" }] }, { destinations: [{ chain: "evm", address: "0x1" }] }, true],
  [{ dailyLimit: asUsd(1), waitSeconds: 1 }, { waitSeconds: 2 }, true],
] as [Partial<OwnRules>, Partial<OwnRules>, boolean][])("%o is looser than %o: %s", (one, other, expected) => {
  expect(isLooser(rules(one), rules(other))).toBe(expected);
});

test("the database takes no waiting time that outlives an order", async () => {
  const owner = await newOwner(1n * USD);
  const { newest: before } = await readHeldRules(owner.accountId);
  await expect(setOwnRules(owner.accountId, rules({ waitSeconds: MAX_WAIT_SECONDS + 1 }), before)).rejects.toThrow();
});
