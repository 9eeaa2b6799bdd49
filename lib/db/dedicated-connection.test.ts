import { expect, test } from "vitest";
import { collectGarbage } from "@/lib/base/testing/collect-garbage";
import { openDedicatedConnection } from "./dedicated-connection";
import { openTestDatabase } from "./testing/test-database";

const database = await openTestDatabase();

const open = () => openDedicatedConnection({ url: database.url, connectWithinMs: 5_000, answerWithinMs: 5_000 });

test("a connection that lives for months keeps no memory of what was awaited on it", async () => {
  const connection = open();
  await connection.connect();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 50_000; count += 1) await connection.unlessLost(Promise.resolve());
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000);
  expect(await connection.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  connection.cut();
});

test("whoever waits when a connection is lost, and whoever asks later, learns why", async () => {
  const connection = open();
  await connection.connect();
  const [{ pid = 0 } = {}] = await connection.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const waits = Promise.allSettled([connection.unlessLost(new Promise(() => undefined)), connection.query("SELECT pg_sleep(20)")]);
  await database.pool.query("SELECT pg_terminate_backend($1)", [pid]);
  const reasons = (await waits).map((wait) => (wait.status === "rejected" ? String(wait.reason) : "none"));
  expect(reasons).toEqual([expect.stringMatching(/terminat/i), expect.stringMatching(/terminat/i)]);
  await expect(connection.query("SELECT 1")).rejects.toThrow(/terminat/i);
});
