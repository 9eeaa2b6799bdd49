import { afterEach, expect, test } from "vitest";
import { closeHotConnections, queryHot } from "./hot-connections";
import { pool } from "./pool";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase();

afterEach(() => closeHotConnections());

/** The server's process behind the connection that a statement gets; `seconds` keeps it busy. */
async function askBackend(seconds = 0): Promise<number> {
  const [row] = await queryHot<{ pid: number }>({ text: "SELECT pg_backend_pid() AS pid, pg_sleep($1)", values: [seconds] });
  if (!row) throw new Error("no row");
  return row.pid;
}

test("closed while it is being opened, it ends: the statement fails, and the next one opens another", async () => {
  const early = queryHot({ text: "SELECT 1 AS one" });
  const refused = expect(early).rejects.toThrow("closed while it was being opened");
  await closeHotConnections();
  await refused;
  expect(await queryHot({ text: "SELECT 2 AS two" })).toEqual([{ two: 2 }]);
});

test("statements one after the other share a connection, two at once have one each", async () => {
  const alone = await askBackend();
  expect(await askBackend()).toBe(alone);
  const [one, other] = await Promise.all([askBackend(0.2), askBackend(0.1)]);
  expect(one).toBe(alone);
  expect(other).not.toBe(alone);
  // Who was used last is used next.
  expect(await askBackend()).toBe(one);
});

test("a statement that is refused leaves its connection in use", async () => {
  const alone = await askBackend();
  await expect(queryHot({ text: "SELECT 1 / 0" })).rejects.toThrow("division by zero");
  expect(await askBackend()).toBe(alone);
});

test("a connection that breaks, busy or idle, is replaced, and the other one stays", async () => {
  const [one, other] = await Promise.all([askBackend(0.2), askBackend(0.1)]);
  const busy = askBackend(5);
  const broken = expect(busy).rejects.toThrow();
  await endBackend(one);
  await broken;
  expect(await askBackend()).toBe(other);
  const [, third] = await Promise.all([askBackend(0.1), askBackend(0.2)]);
  expect([one, other]).not.toContain(third);
  await endBackend(third);
  // Its end is told by the connection itself, in its own time.
  await expect.poll(() => askBackend()).toBe(other);
});

async function endBackend(pid: number): Promise<void> {
  const { rows } = await pool().query<{ ended: boolean }>("SELECT pg_terminate_backend($1, 5000) AS ended", [pid]);
  expect(rows).toEqual([{ ended: true }]);
}
