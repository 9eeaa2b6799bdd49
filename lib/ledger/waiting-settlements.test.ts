import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type AccountId, newRequestId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit as productCommit } from "@/lib/gateway/prompt/commit";
import { readBalance } from "./accounts";
import type { Settlement } from "./commit/codec";
import type { Commit } from "./commit/commit";
import { placeHold } from "./place-hold";
import { holdOf, settlementOf } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding } from "./testing/fund";
import { chargeRequest, holdRequest } from "./testing/waiting";
import { countWaitingSettlements, releaseHold, settleLater, tryWaitingSettlements } from "./waiting-settlements";

// A settlement that failed while its caller waited is made once the database answers again.

vi.mock("node:timers/promises", async (original) => ({
  ...(await original<typeof import("node:timers/promises")>()),
  setTimeout: vi.fn(async () => undefined),
}));

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

let elapsedMs = 0;
beforeEach(() => {
  elapsedMs = 0;
  const realNow = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => realNow() + elapsedMs);
});
afterEach(async () => {
  elapsedMs += 60_000;
  await tryWaitingSettlements();
  vi.restoreAllMocks();
  expect(countWaitingSettlements()).toBe(0);
});

const brokenConnection = () => new Error("Connection terminated unexpectedly");
/** An error like those that the database answers with. */
const answered = (code: string) => Object.assign(new Error(code), { code, severity: "ERROR" });

/** A commit that fails as the test sets it, and lists what it was given to settle. */
function fakeCommit() {
  const state: { fails: ((settlement: Settlement) => Error | null) | null; settled: Settlement[]; tried: number } = {
    fails: null,
    settled: [],
    tried: 0,
  };
  const settle = async (settlement: Settlement) => {
    state.tried += 1;
    const error = state.fails?.(settlement);
    if (error) throw error;
    state.settled.push(settlement);
    return { outcome: "settled" as const, inputCost: settlement.inputCost, outputCost: settlement.outputCost };
  };
  const commit: Commit = { ...productCommit(), place: () => Promise.reject(brokenConnection()), settle };
  return { commit, state };
}

const nobody = "acc_nobody" as AccountId;
const aHold = () => holdOf(holdRequest(nobody, null, 10));
const aCharge = (): Settlement => settlementOf(chargeRequest(holdRequest(nobody, null, 10)));

test("a hold whose connection broke is released once the database answers, and again when no statement can still run", async () => {
  const { commit, state } = fakeCommit();
  const hold = aHold();
  state.fails = brokenConnection;
  await expect(placeHold(commit, hold)).rejects.toThrow("Connection terminated");
  await tryWaitingSettlements();
  expect([state.settled, countWaitingSettlements()]).toEqual([[], 1]);
  state.fails = null;
  await tryWaitingSettlements();
  expect(state.settled).toMatchObject([{ hold, charge: null }]);
  elapsedMs = 34_000;
  await tryWaitingSettlements();
  expect(state.settled).toHaveLength(1);
  elapsedMs = 35_500;
  await tryWaitingSettlements();
  await tryWaitingSettlements();
  expect(state.settled).toMatchObject([{ hold }, { hold, charge: null }]);
});

test("a hold that the database refused was not placed, so nothing is released", async () => {
  const { commit, state } = fakeCommit();
  await expect(placeHold({ ...commit, place: () => Promise.reject(answered("55P03")) }, aHold())).rejects.toMatchObject({ code: "55P03" });
  await tryWaitingSettlements();
  expect(state.tried).toBe(0);
});

test("a waiting settlement is retried every half second, automatically", async () => {
  const { commit, state } = fakeCommit();
  state.fails = () => (state.tried < 3 ? brokenConnection() : null);
  settleLater(commit, aCharge());
  await expect.poll(() => state.settled.length).toBe(1);
  expect(state.tried).toBe(3);
});

test("a settlement that succeeds calls back once, with what was paid, even where two rounds meet", async () => {
  const { commit, state } = fakeCommit();
  const onSettled = vi.fn();
  state.fails = brokenConnection;
  settleLater(commit, aCharge(), onSettled);
  await tryWaitingSettlements();
  expect(onSettled).not.toHaveBeenCalled();
  state.fails = null;
  await Promise.all([tryWaitingSettlements(), tryWaitingSettlements()]);
  expect(state.tried).toBe(2);
  expect(onSettled.mock.calls).toEqual([[{ outcome: "settled", inputCost: 3n, outputCost: 4n }]]);
});

test.each(["55P03", "40P01", "53300", "57014"])("error %s is temporary: the settlement is kept and retried", async (code) => {
  const { commit, state } = fakeCommit();
  state.fails = () => answered(code);
  settleLater(commit, aCharge());
  await tryWaitingSettlements();
  expect(countWaitingSettlements()).toBe(1);
  state.fails = null;
  await tryWaitingSettlements();
  expect(state.settled).toHaveLength(1);
});

test.each(["22003", "23514", "P0001"])("a settlement refused with %s is dropped with a log line, and delays no other", async (code) => {
  const error = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  const { commit, state } = fakeCommit();
  const [bad, good] = [aCharge(), aCharge()];
  state.fails = ({ hold }) => (hold.requestId === bad.hold.requestId ? answered(code) : null);
  settleLater(commit, bad);
  settleLater(commit, good);
  await tryWaitingSettlements();
  expect(state.settled).toEqual([good]);
  expect(error.mock.calls).toMatchObject([[{ requestId: bad.hold.requestId }, "the ledger refused a settlement; its hold expires"]]);
});

test.each(["22P02", "42883", "0A000"])("a call that the database does not know (%s) waits, and is told once", async (code) => {
  const error = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  const { commit, state } = fakeCommit();
  const [one, other] = [aCharge(), aCharge()];
  state.fails = ({ hold }) => (hold.requestId === one.hold.requestId ? answered(code) : null);
  for (const settlement of [one, other]) settleLater(commit, settlement);
  for (const _ of [1, 2]) await tryWaitingSettlements();
  expect([state.settled, countWaitingSettlements(), error.mock.calls.length]).toEqual([[other], 1, 1]);
  state.fails = null;
  await tryWaitingSettlements();
  expect(state.settled).toEqual([other, one]);
});

const countLost = async () => (await metrics().lostAnswers.get()).values[0]?.value ?? 0;

test("beyond ten thousand the oldest is given up with a log line", async () => {
  const error = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  const { commit, state } = fakeCommit();
  const before = await countLost();
  state.fails = brokenConnection;
  const [oldest, ...others] = Array.from({ length: 10_001 }, aCharge);
  for (const one of [oldest as Settlement, ...others]) settleLater(commit, one);
  expect(countWaitingSettlements()).toBe(10_000);
  expect(error.mock.calls).toMatchObject([[{ requestId: oldest?.hold.requestId }, expect.stringContaining("dropped one")]]);
  expect((await countLost()) - before).toBe(1);
  state.fails = null;
  await tryWaitingSettlements();
  expect(state.settled.length).toBe(10_000);
  expect(state.settled).not.toContain(oldest);
});

test("releases of failed holds, however many, crowd out no answer that must be charged", async () => {
  const { commit, state } = fakeCommit();
  state.fails = brokenConnection;
  const answer = aCharge();
  settleLater(commit, answer);
  for (let n = 0; n < 10_050; n++) await placeHold(commit, aHold()).catch(() => undefined);
  expect(countWaitingSettlements()).toBe(10_001);
  state.fails = null;
  await tryWaitingSettlements();
  expect(state.settled).toContain(answer);
});

test("while the database does not answer, a round tries only a few of many", async () => {
  const { commit, state } = fakeCommit();
  state.fails = brokenConnection;
  for (let n = 0; n < 1_000; n++) settleLater(commit, aCharge());
  await tryWaitingSettlements();
  expect(state.tried).toBeLessThanOrEqual(2 * 64);
  state.fails = null;
});

test("a locked account delays no other account's settlements, however many of its own wait", async () => {
  const { commit, state } = fakeCommit();
  const locked = Array.from({ length: 200 }, aCharge);
  const free = aCharge();
  state.fails = (settlement) => (settlement === free ? null : answered("55P03"));
  for (const one of [...locked, free]) settleLater(commit, one);
  await tryWaitingSettlements();
  expect(state.settled).toEqual([free]);
  state.fails = null;
  await tryWaitingSettlements();
  expect(state.settled).toHaveLength(201);
});

test("a release that failed for over 15 s is made once the database is back", async () => {
  const account = await fundedAccount(100);
  const hold = holdOf(holdRequest(account, null, 30));
  const real = productCommit();
  expect(await placeHold(real, hold)).toEqual({ outcome: "held" });
  let isAway = true;
  const commit: Commit = { ...real, settle: (settlement) => (isAway ? Promise.reject(brokenConnection()) : real.settle(settlement)) };
  const [warn, error] = [vi.spyOn(log(), "warn"), vi.spyOn(log(), "error")].map((spy) => spy.mockImplementation(() => undefined));
  vi.mocked(sleep).mockClear();
  await releaseHold(commit, hold);
  const waitedMs = vi.mocked(sleep).mock.calls.reduce((sum, [ms]) => sum + (ms ?? 0), 0);
  expect(waitedMs).toBeGreaterThan(15_000);
  expect(warn).toHaveBeenCalled();
  expect(error).toHaveBeenCalledTimes(1);
  await tryWaitingSettlements();
  expect((await readBalance(account)).held).toBe(30n);
  isAway = false;
  await tryWaitingSettlements();
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
});

test("an answer not charged in time is charged once the database is back, late if its hold expired meanwhile", async () => {
  const account = await fundedAccount(100);
  const [kept, expired] = [holdOf(holdRequest(account, null, 30)), holdOf(holdRequest(account, null, 40))];
  const real = productCommit();
  for (const hold of [kept, expired]) await placeHold(real, hold);
  await pool().query("UPDATE hold SET process_id = 'prc_dead' WHERE request_id = $1", [expired.requestId]);
  await pool().query("SELECT FROM gateway_expire_holds('prc_dead', 10, now())");
  const outcomes: string[] = [];
  for (const hold of [kept, expired]) {
    const settlement = {
      ...settlementOf(chargeRequest({ ...holdRequest(account, null, Number(hold.ceiling)), request: hold.requestId })),
      hold,
    };
    settleLater(real, settlement, ({ outcome }) => outcomes.push(outcome));
  }
  await tryWaitingSettlements();
  expect(outcomes.sort()).toEqual(["late", "settled"]);
  expect(await readBalance(account)).toEqual({ posted: 86n, held: 0n, available: 86n });
});

test("a hold placed although its connection broke is freed, with its idempotency key", async () => {
  const account = await fundedAccount(100);
  const real = productCommit();
  const hold = holdOf({ ...holdRequest(account, null, 30), idempotency: "once", hash: "00" });
  const place = async (one: Settlement["hold"]) => {
    await real.place(one);
    throw brokenConnection();
  };
  await expect(placeHold({ ...real, place }, hold)).rejects.toThrow("Connection terminated");
  expect((await readBalance(account)).held).toBe(30n);
  await tryWaitingSettlements();
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
  expect((await pool().query("SELECT FROM idempotent_reply WHERE account_id = $1", [account])).rowCount).toBe(0);
});

test("a hold that a statement placed after the first release is freed by the second release", async () => {
  const account = await fundedAccount(100);
  const real = productCommit();
  const hold = holdOf(holdRequest(account, null, 30));
  await expect(placeHold({ ...real, place: () => Promise.reject(brokenConnection()) }, hold)).rejects.toThrow();
  await tryWaitingSettlements();
  expect(await real.place(hold)).toEqual({ outcome: "held" });
  elapsedMs = 35_500;
  await tryWaitingSettlements();
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
});

test("a hold whose connection the server ends while it waits is not left behind", async () => {
  const account = await fundedAccount(100);
  const real = productCommit();
  const hold = holdOf(holdRequest(account, null, 30));
  const blocker = await pool().connect();
  try {
    await blocker.query("BEGIN");
    await blocker.query("SELECT ledger_lock_accounts(ARRAY[$1])", [account]);
    const placed = placeHold(real, hold);
    placed.catch(() => undefined);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%place_hold%' AND datname = current_database()`;
    await expect.poll(async () => (await pool().query(end)).rowCount, { interval: 10 }).toBe(1);
    await expect(placed).rejects.toMatchObject({ code: "57P01" });
  } finally {
    await blocker.query("ROLLBACK");
    blocker.release();
  }
  await tryWaitingSettlements();
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
});

test("a settlement for an unknown account is refused and dropped, and charges nothing", async () => {
  const error = vi.spyOn(log(), "error").mockImplementation(() => undefined);
  settleLater(productCommit(), { ...aCharge(), hold: { ...aHold(), requestId: newRequestId() } });
  await tryWaitingSettlements();
  expect(error).toHaveBeenCalledTimes(1);
});

test("after all these tests the books close", expectBooksToClose);
