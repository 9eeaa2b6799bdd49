import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { inTransaction, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { closeCommitConnections, hasIdleConnection, runOnCommitConnection } from "./connections";

const { url } = await openTestDatabase();

afterEach(() => closeCommitConnections());

const one = (text: string) => ({ name: text, text, values: [], readRow: ([column]: readonly (string | null)[]) => column });

/** The server process behind the connection that a statement gets; `seconds` keeps it busy. */
async function requestBackend(seconds = 0): Promise<number> {
  const [pid] = await runOnCommitConnection({ ...one("SELECT pg_backend_pid(), pg_sleep($1)"), values: [seconds] });
  return Number(pid);
}

/** The server processes behind two concurrent statements, of which the first ends last. */
async function requestBoth(): Promise<[number, number]> {
  const { first, other } = await inTransaction(async (gate) => {
    await gate.query("SELECT pg_advisory_xact_lock(1)");
    const waiting = runOnCommitConnection(one("SELECT pg_backend_pid(), pg_advisory_xact_lock(1)"));
    return { first: waiting, other: await requestBackend() };
  });
  return [Number((await first)[0]), other];
}

test("a connection closed during opening ends: the statement fails, and the next one opens another", async () => {
  const early = runOnCommitConnection(one("SELECT 1"));
  const refused = expect(early).rejects.toThrow("closed while it was being opened");
  await closeCommitConnections();
  await refused;
  expect(await runOnCommitConnection(one("SELECT 2"))).toEqual(["2"]);
});

test("sequential statements share a connection, two concurrent ones have one each", async () => {
  const alone = await requestBackend();
  expect(await requestBackend()).toBe(alone);
  const [first, other] = await requestBoth();
  expect(first).toBe(alone);
  expect(other).not.toBe(alone);
  // The connection used last is used next.
  expect(await requestBackend()).toBe(first);
});

test("a refused statement leaves its connection usable", async () => {
  const alone = await requestBackend();
  await expect(runOnCommitConnection(one("SELECT 1 / 0"))).rejects.toThrow("division by zero");
  expect(await requestBackend()).toBe(alone);
});

test("a broken connection, busy or idle, is replaced, and the other one stays", async () => {
  const [first, other] = await requestBoth();
  const busy = requestBackend(5);
  const broken = expect(busy).rejects.toThrow();
  await endBackend(first);
  await broken;
  expect(await requestBackend()).toBe(other);
  const [, third] = await Promise.all([requestBackend(0.1), requestBackend(0.2)]);
  expect([first, other]).not.toContain(third);
  await endBackend(third);
  // The connection itself reports its end; the remaining one serves all statements.
  await sleep(200);
  for (let n = 0; n < 3; n++) expect(await requestBackend()).toBe(other);
});

test("a second connection is opened ahead, for the next time", async () => {
  expect(hasIdleConnection()).toBe(false);
  const alone = await requestBackend();
  expect(hasIdleConnection()).toBe(true);
  const busy = requestBackend(0.5);
  expect(hasIdleConnection()).toBe(false);
  await expect.poll(() => hasIdleConnection()).toBe(true);
  const [first, other] = [busy, requestBackend()];
  expect(hasIdleConnection()).toBe(false);
  expect(await other).not.toBe(alone);
  expect(await first).toBe(alone);
});

test("if the database allows no second connection, the first serves alone", async () => {
  const role = `limited_${process.pid}`;
  await pool().query(`CREATE ROLE ${role} LOGIN PASSWORD 'limited' CONNECTION LIMIT 1`);
  const limited = new URL(url);
  limited.username = role;
  limited.password = "limited";
  setDatabaseUrl(limited.href);
  try {
    const alone = await requestBackend();
    for (let n = 0; n < 3; n++) {
      const busy = requestBackend(0.2);
      expect(hasIdleConnection()).toBe(false);
      expect(await busy).toBe(alone);
      expect(hasIdleConnection()).toBe(true);
    }
  } finally {
    await closeCommitConnections();
    setDatabaseUrl(url);
    await pool().query(`DROP ROLE ${role}`);
  }
});

async function endBackend(pid: number): Promise<void> {
  const { rows } = await pool().query<{ ended: boolean }>("SELECT pg_terminate_backend($1, 5000) AS ended", [pid]);
  expect(rows).toEqual([{ ended: true }]);
}
