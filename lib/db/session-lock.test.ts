import { expect, test } from "vitest";
import { pool } from "./pool";
import { withSessionLock } from "./session-lock";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase();

test("of many concurrent requests for one lock, one runs its work and the others return without", async () => {
  let runs = 0;
  let returned = 0;
  // It holds the lock until all others have asked for it, however long a busy machine takes for that.
  const work = async () => {
    runs += 1;
    await expect.poll(() => returned).toBeGreaterThanOrEqual(4);
  };
  const request = async () => {
    await withSessionLock("sweeping", work);
    returned += 1;
  };
  await Promise.all(Array.from({ length: 5 }, request));
  expect(runs).toBe(1);
  await withSessionLock("sweeping", work);
  expect(runs).toBe(2);
});

test("locks of other names are free, and a lock is released when its work throws", async () => {
  const names: string[] = [];
  const failed = withSessionLock("a", async () => {
    await withSessionLock("b", async () => void names.push("b"));
    await withSessionLock("a", async () => void names.push("a"));
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  await withSessionLock("a", async () => void names.push("a again"));
  expect(names).toEqual(["b", "a again"]);
});

test("a process that is cut off from the database loses its lock", async () => {
  let wasFree = false;
  await withSessionLock("cut", async () => {
    await pool().query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await expect
      .poll(async () => {
        await withSessionLock("cut", async () => {
          wasFree = true;
        });
        return wasFree;
      })
      .toBe(true);
  });
});
