// Attacks on the service's daily limit: orders that cost their owners nothing must not keep anybody else's money here.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readHead } from "@/lib/chains/evm/head";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { startCustody } from "../custody/start-custody";
import { readAllowance } from "./allowance";
import { checkWithdrawals } from "./check";
import { cancelWithdrawal } from "./decisions";
import { payWithdrawals } from "./pay-withdrawals";
import { listOpenWithdrawals } from "./queue";
import { startAttempt } from "./steps";
import { approve, newOwner, openWorldSigner, order, ordered, startWorld, USD, type World } from "./testing/world";
import { readBaseFunds } from "./treasury-funds";
import { findWithdrawal, listApproved } from "./withdrawal";

await openTestDatabase();
let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.fillTreasury("base", 1_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(1_000n * USD), { timeout: 30_000 });
});
afterAll(() => world?.stop());
beforeEach(async () => {
  // A signer remembers in memory what it signed; each test begins a day.
  await startCustody(await openWorldSigner(world.words));
  setLimits({ service: 100, approvalAbove: 30 });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  forgetSingleton("config");
  expect(await checkLedger()).toEqual([]);
  expect(await checkWithdrawals()).toEqual([]);
  await passADay();
  await pool().query("UPDATE withdrawal SET waits_for = 'signature' WHERE state = 'approved'"); // left behind by a test
});

function setLimits({ service, approvalAbove }: { service: number; approvalAbove: number }): void {
  vi.stubEnv("WITHDRAWAL_SERVICE_DAILY_LIMIT_USD", `${service}`);
  vi.stubEnv("WITHDRAWAL_APPROVAL_ABOVE_USD", `${approvalAbove}`);
  forgetSingleton("config");
}

/** For the database and for the signer. */
async function passADay(): Promise<void> {
  await pool().query(
    "UPDATE withdrawal SET requested_at = requested_at - interval '25 hours', signed_at = signed_at - interval '25 hours'",
  );
  await startCustody(await openWorldSigner(world.words));
}

const round = async () => {
  await payWithdrawals();
  await runRelay({ resendAfterMs: 0 });
};

type Id = Awaited<ReturnType<typeof ordered>>;

const stateOf = async (id: Id): Promise<string | undefined> => {
  const found = await findWithdrawal(id);
  return found?.waitsFor ?? found?.state;
};

const until = (id: Id, state: string) => expect.poll(() => round().then(() => stateOf(id)), { timeout: 30_000, interval: 100 }).toBe(state);

test("ten accounts that order what they may cancel, again and again, keep nobody from withdrawing", async () => {
  const [attackers, victim] = [await Promise.all(Array.from({ length: 10 }, () => newOwner(60n * USD))), await newOwner(60n * USD)];
  for (let again = 0; again < 2; again++) {
    const orders = await Promise.all(attackers.map((attacker) => order(attacker, { amount: 50n * USD })));
    expect(orders.filter(({ ok }) => ok)).toHaveLength(10);
    await until(await ordered(victim, { amount: 10n * USD }), "final");
    for (const [index, outcome] of orders.entries())
      if (outcome.ok) expect(await cancelWithdrawal(attackers[index]?.accountId as never, outcome.id)).toBe(true);
  }
  for (const { accountId } of attackers) expect((await readBalance(accountId)).available).toBe(60n * USD);
});

test("orders whose signature counts no more take nothing of the limit, and hold up nobody", async () => {
  const [attacker, victim] = [await newOwner(100n * USD), await newOwner(100n * USD)];
  setLimits({ service: 30, approvalAbove: 1_000 });
  for (const amount of [25n, 30n]) {
    const id = await ordered(attacker, { amount: amount * USD });
    await pool().query("UPDATE withdrawal SET signature = '0x00' WHERE id = $1", [id]);
  }
  await until(await ordered(victim, { amount: 20n * USD }), "final");
  // Less is left than they would need: they still hold up nobody.
  await until(await ordered(victim, { amount: 10n * USD }), "final");
});

test("orders that the relayer has no fees left for take nothing of the limit, however often they are made and cancelled", async () => {
  const [attacker, victim] = [await newOwner(100n * USD), await newOwner(100n * USD)];
  setLimits({ service: 30, approvalAbove: 1_000 });
  vi.stubEnv("RELAYER_DAILY_FEES_ETH", "0.000000000000000001");
  forgetSingleton("config");
  for (let again = 0; again < 2; again++) {
    const id = await ordered(attacker, { amount: 25n * USD });
    await until(id, "fees");
    expect(await cancelWithdrawal(attacker.accountId, id)).toBe(true);
  }
  vi.stubEnv("RELAYER_DAILY_FEES_ETH", "1");
  forgetSingleton("config");
  await until(await ordered(victim, { amount: 20n * USD }), "final");
});

test("an order that there are no fees left for holds up nobody, also where the limit has no room for it", async () => {
  const [attacker, victim] = [await newOwner(100n * USD), await newOwner(100n * USD)];
  setLimits({ service: 30, approvalAbove: 1_000 });
  await until(await ordered(victim, { amount: 5n * USD }), "final");
  vi.stubEnv("RELAYER_DAILY_FEES_ETH", "0.000000000000000001");
  forgetSingleton("config");
  const refused = await ordered(attacker, { amount: 25n * USD });
  await until(refused, "fees");
  vi.stubEnv("RELAYER_DAILY_FEES_ETH", "1");
  setLimits({ service: 27, approvalAbove: 1_000 });
  await until(await ordered(victim, { amount: 10n * USD }), "final");
  // Now that there are fees again only its turn keeps it: smaller ones that come later wait behind it.
  expect(await stateOf(refused)).toBe("limit");
  const later = await ordered(victim, { amount: 5n * USD });
  await until(later, "limit");
  setLimits({ service: 50, approvalAbove: 1_000 });
  await until(refused, "final");
  await until(later, "final");
});

test("however many orders wait for fees, one of them is tried in a round, and others are paid", async () => {
  const [attacker, victim] = [await newOwner(100n * USD), await newOwner(100n * USD)];
  vi.stubEnv("RELAYER_DAILY_FEES_ETH", "0.000000000000000001");
  forgetSingleton("config");
  const waiting = await Promise.all([1n, 2n, 3n].map((amount) => ordered(attacker, { amount: amount * USD })));
  const signer = await openWorldSigner(world.words);
  const tried = vi.spyOn(signer, "signPayoutOnBase");
  await startCustody(signer);
  await payWithdrawals();
  expect(tried).toHaveBeenCalledTimes(1);
  for (const id of waiting) expect(await stateOf(id)).toBe("fees");
  // Once fees are missing, one that was found unpayable keeps its reason: as "fees" it would be given a place in the limit's queue.
  const forged = waiting.slice(1);
  await pool().query("UPDATE withdrawal SET waits_for = 'signature' WHERE id = ANY ($1)", [forged]);
  // However many wait for fees, older ones hide no other order.
  const others = (await listApproved(1_000)).filter(({ waitsFor }) => waitsFor !== "fees");
  expect(await listApproved(others.length)).toEqual(expect.arrayContaining(others));
  await payWithdrawals();
  expect((await Promise.all(forged.map(stateOf))).sort()).toEqual(["fees", "signature"]);
  vi.stubEnv("RELAYER_DAILY_FEES_ETH", "1");
  forgetSingleton("config");
  for (const id of [...waiting, await ordered(victim, { amount: 10n * USD })]) await until(id, "final");
});

test("what the limit has no room for waits in order, its owner sees where, and it is paid when there is room: nothing is lost", async () => {
  setLimits({ service: 30, approvalAbove: 1_000 });
  const [one, other] = [await newOwner(100n * USD), await newOwner(100n * USD)];
  await until(await ordered(one, { amount: 25n * USD }), "final");
  const first = await ordered(other, { amount: 10n * USD });
  const second = await ordered(one, { amount: 4n * USD });
  const third = await ordered(other, { amount: 1n * USD });
  await round();
  // The second would fit; but then nobody's larger order would ever have its turn.
  expect(await Promise.all([first, second, third].map(stateOf))).toEqual(["limit", "limit", "limit"]);
  expect((await listOpenWithdrawals(other.accountId)).map(({ id, ahead }) => ({ id, ahead }))).toEqual([
    { id: first, ahead: { count: 0, amount: 0n } },
    { id: third, ahead: { count: 2, amount: 14n * USD } },
  ]);
  expect(await readAllowance(one.accountId)).toMatchObject({ leftOfService: 0n, mostOfService: 30n * USD });
  expect((await readBalance(other.accountId)).available).toBe(100n * USD - 11n * USD - 200_000_000n);
  // A cancelled one gives its place back, and its money.
  expect(await cancelWithdrawal(other.accountId, first)).toBe(true);
  await until(second, "final");
  await until(third, "final");
  const fourth = await ordered(other, { amount: 20n * USD });
  await until(fourth, "limit");
  await passADay();
  await until(fourth, "final");
});

test("an approved withdrawal takes its turn behind those that wait already", async () => {
  setLimits({ service: 30, approvalAbove: 20 });
  const [one, other] = [await newOwner(100n * USD), await newOwner(100n * USD)];
  const large = await ordered(one, { amount: 25n * USD });
  await until(await ordered(other, { amount: 15n * USD }), "final");
  await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours' WHERE account_id = $1", [other.accountId]);
  const small = await ordered(other, { amount: 16n * USD });
  await round();
  expect(await approve(large)).toBe(true);
  await round();
  expect(await listOpenWithdrawals(one.accountId)).toMatchObject([{ id: large, waitsFor: "limit", ahead: { count: 1 } }]);
  expect(await listOpenWithdrawals(other.accountId)).toMatchObject([{ id: small, waitsFor: "limit", ahead: { count: 0 } }]);
});

test("more than the whole limit is refused at once, since it could never be paid", async () => {
  setLimits({ service: 30, approvalAbove: 1_000 });
  expect(await order(await newOwner(100n * USD), { amount: 31n * USD })).toEqual({ ok: false, reason: "service_limit", most: 30n * USD });
});

test("two processes that sign at the same moment stay within the limit", async () => {
  setLimits({ service: 30, approvalAbove: 1_000 });
  const owners = await Promise.all(Array.from({ length: 4 }, () => newOwner(100n * USD)));
  const ids = await Promise.all(owners.map((owner) => ordered(owner, { amount: 14n * USD })));
  const found = (await Promise.all(ids.map(findWithdrawal))).flatMap((one) => one ?? []);
  const signed = await Promise.all(found.map((withdrawal) => startAttempt(withdrawal, async () => new Date(Date.now() + 3_600_000))));
  expect(signed.filter(Boolean)).toHaveLength(2);
  // Nothing was sent for them: they go back to where they were.
  await pool().query("UPDATE withdrawal SET state = 'approved', signed_at = NULL WHERE id = ANY ($1)", [ids]);
  for (const [index, id] of ids.entries()) expect(await cancelWithdrawal(owners[index]?.accountId as never, id)).toBe(true);
});
