import { expect, test } from "vitest";
import { createPool, inTransaction, pool } from "./pool";
import { openTestDatabase } from "./testing/test-database";

const { url } = await openTestDatabase();

test("64-bit integers arrive as bigint, in arrays too, and are sent exactly", async () => {
  const { rows } = await pool().query("SELECT $1::bigint AS one, ARRAY[1, NULL, $1]::bigint[] AS many, 7::int AS small", [
    9_007_199_254_740_993n,
  ]);
  expect(rows[0]).toEqual({ one: 9_007_199_254_740_993n, many: [1n, null, 9_007_199_254_740_993n], small: 7 });
});

test("a transaction whose work throws is rolled back", async () => {
  const failed = inTransaction(async (transaction) => {
    await transaction.query("INSERT INTO setting VALUES ('a', '1')");
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect((await pool().query("SELECT * FROM setting WHERE name = 'a'")).rowCount).toBe(0);
});

test("a failed statement whose error the work swallowed makes the transaction throw", async () => {
  const swallowed = inTransaction(async (transaction) => {
    await transaction.query("SELECT 1 / 0").catch(() => undefined);
  });
  await expect(swallowed).rejects.toThrow("rolled back");
});

test("a transaction whose work resolves is committed", async () => {
  await inTransaction((transaction) => transaction.query("INSERT INTO setting VALUES ('b', '1')"));
  expect((await pool().query("SELECT value FROM setting WHERE name = 'b'")).rows).toEqual([{ value: "1" }]);
});

test("a connection cut while idle is replaced", async () => {
  const { rows } = await pool().query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  await inTransaction(async (transaction) => {
    await transaction.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
  });
  expect(rows[0]?.pid).toBeGreaterThan(0);
  await expect.poll(async () => (await pool().query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
});

test("times are read correctly, whatever date style and time zone a database is set to", async () => {
  const name = new URL(url).pathname.slice(1);
  await pool().query(`ALTER DATABASE "${name}" SET DateStyle = 'SQL, DMY'`);
  await pool().query(`ALTER DATABASE "${name}" SET TimeZone = 'Asia/Kolkata'`);
  const fresh = createPool(url, 1);
  try {
    const time = new Date("2026-11-01T00:00:00.007Z");
    expect((await fresh.query("SELECT $1::timestamptz AS time, $1::timestamptz::text AS text", [time])).rows).toEqual([
      { time, text: "2026-11-01 00:00:00.007+00" },
    ]);
  } finally {
    await fresh.end();
  }
});
