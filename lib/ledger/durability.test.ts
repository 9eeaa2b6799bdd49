import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { closePool, pool } from "@/lib/db/pool";
import { cleanUpEmbedded } from "@/lib/db/testing/embedded-fixture";
import { drawNumbers, isLong } from "@/lib/db/testing/sample";
import { commit } from "@/lib/gateway/prompt/commit";
import { getSavedReply } from "@/lib/gateway/prompt/idempotency";
import { placeHold } from "./place-hold";
import { rollUpRevenue } from "./roll-up";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { type DurableCluster, startDurableCluster } from "./testing/durability-cluster";
import { type Asked, bodyOf, createLoad, type DurabilityLoad, end, newAsked, type Purse, place } from "./testing/durability-load";
import { type Counts, countRequests, expectSoundBooks, findWrong } from "./testing/durability-proof";
import { credit, fundedAccount, openFunding, openKey } from "./testing/fund";
import { countWaitingSettlements } from "./waiting-settlements";

const KILLS = isLong ? 200 : 4;
/** About the duration of a wave of requests. */
const LATEST_KILL_MS = 330;
/** Fewer holds than a wave is certain to place. */
const MAX_HOLDS = 10;

let cluster: DurableCluster;

beforeAll(async () => {
  log().level = "silent"; // each kill breaks dozens of statements
  cluster = await startDurableCluster();
  setDatabaseUrl(cluster.url);
  await openFunding();
});
afterAll(async () => {
  await closeRequestPath();
  await closePool();
  await cluster.stop();
  await cleanUpEmbedded();
});

test("the last acknowledged writes survive a crash, except for holds without an idempotency key", { timeout: 180_000 }, async () => {
  const load = createLoad(() => 0);
  /** The first is decided alone, the others as a batch. */
  const placeTogether = (asked: readonly Asked[]) => Promise.all(asked.map(place));
  const endTogether = (asked: readonly Asked[]) => Promise.all(asked.map((one) => end(load, one)));
  const [first, second, third, fourth, ...lost] = await Promise.all(
    [null, null, "an idempotency key", null, null, null, null, null].map(async (idempotency, index) =>
      newAsked({ account: await fundedAccount(100), key: null, ceiling: 20 }, idempotency, index === 0 ? null : 23n),
    ),
  );
  const kept = [first, second, third, fourth].filter((one) => one !== undefined);
  load.asked.push(...kept, ...lost);

  await placeTogether(lost);
  await crash(load);
  expect(lost.map(({ afterCrash }) => afterCrash)).toEqual(Array(4).fill("forgotten"));
  await endTogether(lost);
  await crash(load);
  expect(lost.map(({ settled }) => settled?.outcome)).toEqual(Array(4).fill("late"));

  await placeTogether(kept);
  await crash(load);
  expect(kept.map(({ afterCrash }) => afterCrash)).toEqual(Array(4).fill("survived"));
  for (const together of [kept.slice(0, 1), kept.slice(1, 2), kept.slice(2)]) {
    await endTogether(together);
    await crash(load);
  }
  expect(kept.map(({ settled }) => settled?.outcome)).toEqual(["released", "settled", "settled", "settled"]);

  await credit(lost[0]?.hold.accountId as AccountId, 5, "the last credit");
  load.credits.push("the last credit");
  await crash(load);
  await expectEverythingEnded(load);
});

/** Kills the server, checks its books after the restart, and then lets the product continue. */
async function crash(load: DurabilityLoad): Promise<void> {
  await cluster.kill();
  await cluster.start();
  expect(await findWrong(cluster.direct(), load)).toEqual([]);
  await expectSoundBooks(cluster.direct(), load);
  await cluster.openGate();
}

const times = (count: number, purse: Purse): Purse[] => Array.from({ length: count }, () => purse);

async function openRichPurses(): Promise<Purse[]> {
  const purses: Purse[] = [];
  for (let n = 0; n < 2; n++) {
    const account = await fundedAccount(1_000_000_000);
    const key = await openKey(account, { nanoUsd: 100_000_000, period: "month" });
    purses.push(...times(2, { account, key: null, ceiling: 50 }), ...times(2, { account, key, ceiling: 50 }));
  }
  return purses;
}

/** Money and a cap for only two or three requests: others take the money of a forgotten hold before its settlement comes. */
async function openTightPurses(): Promise<Purse[]> {
  const account = await fundedAccount(80);
  const rich = await fundedAccount(1_000_000);
  const key = await openKey(rich, { nanoUsd: 80, period: "day" });
  return [...times(4, { account, key: null, ceiling: 60 }), ...times(4, { account: rich, key, ceiling: 60 })];
}

/** Kills the database at some moment of a wave, and checks the books before any other client reads them. */
async function killOnce(load: DurabilityLoad, draw: () => number): Promise<void> {
  const placedBefore = countPlaced(load);
  // Every idempotency key waits for the disk, and flushes the holds before it too.
  const wave = load.wave(0.08);
  // Most often while holds are placed, before the first answers come; otherwise at any moment.
  if (draw() < 0.85) await untilPlaced(load, placedBefore + 1 + Math.floor(draw() * MAX_HOLDS));
  else await sleep(draw() * LATEST_KILL_MS);
  await crash(load);
  // Forgotten holds are settled while other requests compete for the same money.
  const next = load.wave(0.4);
  await sleep(draw() * LATEST_KILL_MS);
  await cluster.cut();
  await Promise.all([wave, next]);
  await expect.poll(hasConnection).toBe(true);
}

/** A pool may not have noticed yet that its connections were cut. */
const hasConnection = () =>
  pool()
    .query("SELECT 1")
    .then(
      () => true,
      () => false,
    );

const countPlaced = ({ asked }: DurabilityLoad) =>
  asked.filter(({ state }) => state === "held" || state === "ending" || state === "ended").length;

const untilPlaced = (load: DurabilityLoad, count: number) =>
  expect.poll(() => countPlaced(load), { interval: 2 }).toBeGreaterThanOrEqual(count);

test("a database killed at random moments keeps everything acknowledged, except holds without an idempotency key", {
  timeout: isLong ? 3_600_000 : 600_000,
}, async () => {
  const draw = drawNumbers("durability");
  const load = createLoad(draw);
  const rich = await openRichPurses();
  load.creditTo = rich[0]?.account ?? null;
  let tight = await openTightPurses();
  let killsThatForgot = 0;
  // A busy machine kills late, when most holds are on the disk: the kills go on until enough of them met holds that are not.
  const enough = () => killsThatForgot >= KILLS / 4;
  let kills = 0;
  while (kills < KILLS || (!enough() && kills < 5 * KILLS)) {
    kills++;
    const fresh = await openTightPurses();
    load.purses = [...rich, ...tight, ...fresh];
    tight = fresh;
    const { holdsForgotten } = countRequests(load);
    await killOnce(load, draw);
    if (countRequests(load).holdsForgotten > holdsForgotten) killsThatForgot++;
    if (kills % 3 === 0) await rollUpRevenue();
  }
  await load.wave(0.4);
  await load.idle();
  await expect.poll(countWaitingSettlements).toBe(0);
  const counts: Counts = { kills, killsThatForgot, ...countRequests(load) };
  process.stdout.write(
    `durability: ${Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")}\n`,
  );
  await expectEverythingEnded(load);
  expect(killsThatForgot).toBeGreaterThanOrEqual(KILLS / 4);
});

async function expectEverythingEnded(load: DurabilityLoad): Promise<void> {
  expect(load.asked.filter(({ state }) => state === "asked" || state === "held" || state === "ending")).toEqual([]);
  expect(await findWrong(cluster.direct(), load)).toEqual([]);
  await expectSoundBooks(cluster.direct(), load);
  const { rows } = await cluster.direct().query(
    `SELECT (SELECT count(*) FROM hold) AS holds, (SELECT count(*) FROM ledger_account WHERE held <> 0) AS accounts,
       (SELECT count(*) FROM key_spend WHERE held <> 0) AS keys, (SELECT count(*) FROM idempotent_reply WHERE status IS NULL) AS claims`,
  );
  expect(rows).toEqual([{ holds: 0n, accounts: 0n, keys: 0n, claims: 0n }]);
  await expectReplays(load);
  await expectBooksToClose();
}

/** Repeats the last requests with an idempotency key. */
async function expectReplays({ asked }: DurabilityLoad): Promise<void> {
  const charged = asked.filter(({ hold, cost, state }) => hold.claim && cost && state === "ended").slice(-50);
  expect(charged.length).toBeGreaterThan(0);
  for (const { hold } of charged) {
    const { claim, accountId } = hold;
    expect(await placeHold(commit(), hold)).toEqual({ outcome: "replay" });
    expect(await getSavedReply(accountId, claim?.key ?? "")).toMatchObject({ requestId: hold.requestId, status: 200, body: bodyOf(hold) });
  }
}
