import { afterEach, expect, test } from "vitest";
import { setDatabaseUrl } from "./database-url";
import { readFunctionsVersion } from "./functions";
import { type HeartbeatOptions, processId } from "./heartbeat";
import { inTransaction, pool } from "./pool";
import {
  beatsOfADeath,
  endHeartbeats,
  insertDead,
  readBeat,
  shortTimes,
  startHeartbeatProcess,
  startOwnHeartbeat,
  waitForBeats,
} from "./testing/heartbeat-processes";
import { openTestDatabase } from "./testing/test-database";

const database = await openTestDatabase();
const { deadAfterMs, sweepEveryMs } = shortTimes;
afterEach(() => endHeartbeats(database.pool));

const start = (times?: Partial<HeartbeatOptions>) => startHeartbeatProcess(database.url, times);
const beatOf = (id: string) => readBeat(database.pool, id);
const beats = (id: string, count?: number) => waitForBeats(database.pool, id, count);

test("a process does not start that a newer release has changed the database under, and leaves no row", async () => {
  const { rows } = await database.pool.query<{ value: string }>("SELECT value FROM setting WHERE name = 'functions'");
  const applied = rows[0]?.value ?? "";
  const write = (value: string) => database.pool.query("UPDATE setting SET value = $1 WHERE name = 'functions'", [value]);
  await write(JSON.stringify({ ...JSON.parse(applied), serves: (readFunctionsVersion() ?? 0) + 1 }));
  await expect(startOwnHeartbeat({ roles: ["web"] })).rejects.toThrow("A newer release has changed this database");
  await write(applied);
  expect((await database.pool.query("SELECT * FROM process")).rows).toEqual([]);
});

test("a process has a row from its start on: its roles, and a beat that changes", async () => {
  const before = Date.now();
  await startOwnHeartbeat({ roles: ["web", "jobs"] });
  const { rows } = await database.pool.query("SELECT * FROM process");
  expect(rows).toEqual([
    {
      ...{ id: expect.stringMatching(/^prc_[0-9A-Za-z]{20}$/), roles: "web,jobs", functions: readFunctionsVersion() },
      ...{ started_at: expect.any(Date), beat: expect.any(BigInt) },
    },
  ]);
  expect(rows[0].id).toBe(processId());
  expect(rows[0].started_at.getTime()).toBeGreaterThanOrEqual(before);
  await beats(processId(), 3);
});

test("a killed process is dead to every other once its row is unchanged for deadAfterMs, not before; a living one never is", async () => {
  const own = await startOwnHeartbeat();
  const other = await start();
  const victim = await start();
  await beats(victim.id, beatsOfADeath);
  expect([own.told, other.dead]).toEqual([[], []]);
  const livedAt = await beats(victim.id);
  await victim.kill();
  await expect.poll(() => own.told.length).toBeGreaterThan(0);
  expect((own.told[0]?.at ?? 0) - livedAt).toBeGreaterThanOrEqual(deadAfterMs);
  await expect.poll(() => other.dead).toContain(victim.id);
  await beats(other.id, beatsOfADeath);
  expect([own.toldIds(), [...new Set(other.dead)]]).toEqual([[victim.id], [victim.id]]);
});

test("a process whose row was removed while it was frozen inserts it again, and no longer counts as dead", async () => {
  const own = await startOwnHeartbeat({ removeAfterMs: deadAfterMs });
  const frozen = await start();
  frozen.signal("SIGSTOP");
  await expect.poll(() => beatOf(frozen.id)).toBeNull();
  frozen.signal("SIGCONT");
  await beats(frozen.id);
  own.told.length = 0;
  await beats(frozen.id, beatsOfADeath);
  expect(own.told).toEqual([]);
});

test("a clean stop leaves no row and triggers no onDead", async () => {
  const own = await startOwnHeartbeat();
  const stopped = await start();
  expect(await stopped.stop()).toBe(0);
  expect(await beatOf(stopped.id)).toBeNull();
  await beats(processId(), beatsOfADeath);
  expect(own.told).toEqual([]);
  await own.stop();
  expect(await beatOf(processId())).toBeNull();
});

test("a stop takes two seconds at most when the database does not answer, never throws, and leaves the row to others", async () => {
  const own = await startOwnHeartbeat();
  await inTransaction(async (transaction) => {
    await transaction.query("SELECT 1 FROM process WHERE id = $1 FOR UPDATE", [processId()]);
    const startedAt = performance.now();
    await own.stop();
    expect(performance.now() - startedAt).toBeLessThan(5_000); // a busy machine is slow
  });
  expect(await beatOf(processId())).not.toBeNull();
});

test("a start without a database throws: a process without a row may place no holds", async () => {
  const nowhere = new URL(database.url);
  nowhere.pathname = "/there_is_none";
  setDatabaseUrl(nowhere.href);
  try {
    await expect(startOwnHeartbeat()).rejects.toMatchObject({ code: "3D000" });
  } finally {
    setDatabaseUrl(database.url);
  }
});

test("a sweep that fails is retried, and the row stays until one has succeeded", async () => {
  const dead = await insertDead(database.pool);
  const rowsAtSweeps: (string | null)[] = [];
  await startOwnHeartbeat({
    removeAfterMs: deadAfterMs,
    onDead: async ({ id }) => {
      rowsAtSweeps.push(await beatOf(id));
      if (rowsAtSweeps.length <= 3) throw new Error("the ledger is away");
    },
  });
  await expect.poll(() => beatOf(dead)).toBeNull();
  expect(rowsAtSweeps).toEqual(["7", "7", "7", "7"]);
});

test("a dead process is swept repeatedly while it has a row; the row is removed after a last sweep", async () => {
  const dead = await insertDead(database.pool);
  const rowsAtSweeps: (string | null)[] = [];
  const own = await startOwnHeartbeat({
    removeAfterMs: deadAfterMs + 2 * sweepEveryMs,
    onDead: async ({ id }) => {
      rowsAtSweeps.push(await beatOf(id));
    },
  });
  await expect.poll(() => beatOf(dead)).toBeNull();
  const sweeps = own.told.length;
  expect(sweeps).toBeGreaterThanOrEqual(3);
  expect(new Set(rowsAtSweeps)).toEqual(new Set(["7"]));
  await beats(processId(), beatsOfADeath);
  expect(own.told).toHaveLength(sweeps);
});

test("a hanging sweep is not started twice, and delays no heartbeat and no sweep of another process", async () => {
  const hanging = await insertDead(database.pool);
  let goOn = () => {};
  const own = await startOwnHeartbeat({
    onDead: ({ id }) => (id === hanging ? new Promise<void>((resolve) => (goOn = resolve)) : Promise.resolve()),
  });
  await expect.poll(own.toldIds).toEqual([hanging]);
  const other = await start();
  await other.kill();
  await expect.poll(own.toldIds).toEqual([hanging, other.id]);
  expect(own.told.filter(({ id }) => id === hanging)).toHaveLength(1);
  await expect.poll(own.isWell).toBe(true);
  goOn();
  await expect.poll(() => own.told.filter(({ id }) => id === hanging).length).toBe(2);
  goOn();
});

test("an exhausted pool does not make this process look dead", async () => {
  const own = await startOwnHeartbeat();
  const other = await start();
  const clients = await Promise.all(Array.from({ length: pool().options.max }, () => pool().connect()));
  await beats(processId(), beatsOfADeath);
  await expect.poll(own.isWell).toBe(true);
  for (const client of clients) client.release();
  expect(other.dead).toEqual([]);
});
