// Several processes share one database, and one of them dies or stalls: the others free its holds within seconds, and what it does after it
// wakes costs no customer anything twice, and gives nobody anything for nothing.

import { afterAll, beforeEach, expect, test } from "vitest";
import { isLong } from "@/lib/db/testing/sample";
import { followStream, readBalance, requestWhole, type Target } from "./testing/requests";
import { cleanUpServices, until } from "./testing/service";
import { blockMainThread, FREED_WITHIN_MS, type Sharing, shareDatabase } from "./testing/shared-database";

let database: Awaited<ReturnType<typeof shareDatabase>>;
beforeEach(async () => {
  database = await shareDatabase();
});
afterAll(cleanUpServices);

test.each(isLong ? (["web", "jobs"] as const) : (["jobs"] as const))(
  "kill -9 of a process: another process, with only the role %s, frees its holds within eight seconds",
  async (role) => {
    const victim = await database.start("web");
    const other = await database.start(role);
    for (const key of ["one", "two"])
      void requestWhole(victim, "Never answer. [[simulate: hang]]", {}, { "idempotency-key": key }).catch(() => undefined); // cut off
    await database.untilHeld(2);
    victim.service.process.kill("SIGKILL");
    expect(await database.untilFreed()).toBeLessThan(FREED_WITHIN_MS);
    expect(await database.query("SELECT DISTINCT reason FROM expired_hold")).toEqual([{ reason: "process_died" }]);
    expect(await database.query("SELECT FROM idempotent_reply")).toEqual([]);
    expect(await database.query("SELECT FROM ledger_account WHERE held <> 0")).toEqual([]);
    await database.stop(other);
  },
);

interface Stall {
  what: string;
  stall: (stalled: Sharing) => unknown;
  wake: (stalled: Sharing) => unknown;
  freedWithinMs: number;
}

const stalls: readonly Stall[] = [
  {
    what: "is frozen",
    stall: ({ service }) => service.process.kill("SIGSTOP"),
    wake: ({ service }) => service.process.kill("SIGCONT"),
    freedWithinMs: FREED_WITHIN_MS,
  },
  {
    what: "has a main thread that is blocked for longer than thirty seconds",
    stall: (stalled) => blockMainThread(stalled, 50_000),
    wake: () => undefined,
    freedWithinMs: 30_000 + FREED_WITHIN_MS,
  },
];

test.each((isLong ? stalls : stalls.slice(0, 1)).map((stall) => [stall.what, stall] as const))(
  "a process that %s sends nothing once its holds are freed: what was asked again elsewhere is answered and charged once",
  async (_what, { stall, wake, freedWithinMs }) => {
    const [stalled, other] = [await database.start("web"), await database.start("web,jobs")];
    const elsewhere: Target = { ...other, apiKey: stalled.apiKey };
    const before = await readBalance(elsewhere);
    const [keyed, ofStream] = [{ "idempotency-key": "asked anew" }, { "idempotency-key": "streamed anew" }];
    const [prompt, slow] = ["Take your time. [[simulate: delay=1200]]", "Take your time. [[simulate: slow=100 tokens=50]]"];
    const stream = await followStream(stalled, slow, ofStream);
    await stream.begun();
    const [first, unkeyed] = [requestWhole(stalled, prompt, {}, keyed), requestWhole(stalled, prompt)];
    await database.untilHeld(3);
    stall(stalled);
    expect((await requestWhole(elsewhere, prompt, {}, keyed)).status).toBe(409);
    expect(await database.untilFreed()).toBeLessThan(freedWithinMs);
    const written = stream.text();
    const anew = await requestWhole(elsewhere, prompt, {}, keyed);
    expect(anew.status).toBe(200);
    const streamAnew = await followStream(elsewhere, slow, ofStream);
    expect(await streamAnew.ended).toBe("whole");

    wake(stalled);
    expect(await stream.ended).toBe("cut");
    // After a minute the provider's time may be up: the stream says so, which is nothing of the answer.
    expect(stream.text().slice(written.length)).not.toMatch(/event: (delta|done)/);
    const [late, unclaimed] = await Promise.all([first, unkeyed]);
    expect([late, unclaimed].map(({ status, body }) => [status, body.code ?? body.cost?.totalCost])).toEqual([
      [500, "INTERNAL_ERROR"],
      [200, anew.body.cost?.totalCost],
    ]);
    await until("all are booked", async () => (await database.query("SELECT FROM charge")).length === 5);
    const charges = await database.query(
      `SELECT request_id AS id, outcome, late, (input_cost + output_cost)::int AS paid, operator_loss::int AS loss FROM charge
       ORDER BY streamed, late, outcome`,
    );
    const cost = Math.round((anew.body.cost?.totalCost ?? 0) * 1e9);
    const costOfStream = Math.round(Number(/"totalCost":([\d.e-]+)/.exec(streamAnew.text())?.[1]) * 1e9);
    expect(charges).toEqual([
      { id: anew.body.requestId, outcome: "complete", late: false, paid: cost, loss: 0 },
      { id: unclaimed.body.requestId, outcome: "complete", late: true, paid: cost, loss: 0 },
      { id: late.body.requestId, outcome: "lost", late: true, paid: 0, loss: cost },
      { id: expect.any(String), outcome: "complete", late: false, paid: costOfStream, loss: 0 },
      { id: expect.any(String), outcome: "partial", late: true, paid: 0, loss: expect.any(Number) },
    ]);

    const again = await requestWhole(stalled, prompt, {}, keyed);
    expect([again.status, again.body.requestId]).toEqual([200, anew.body.requestId]); // it still serves, and replays that answer
    expect(Math.round(((await readBalance(elsewhere)).balance - before.balance) * 1e9)).toBe(-2 * cost - costOfStream);
    await database.stop(stalled, other);
    expect(await database.query("SELECT FROM process")).toEqual([]);
  },
  isLong ? 180_000 : undefined,
);
