import { expect, test } from "vitest";
import { pool } from "./pool";
import { readAtLength } from "./read-at-length";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase({ poolSize: 1 });

test("a long read has no statement timeout, sees one snapshot, writes nothing, and leaves its connection unchanged", async () => {
  const settings = "SELECT current_setting('statement_timeout') AS timeout, current_setting('transaction_isolation') AS level";
  const { rows: before } = await pool().query(settings);
  expect(await readAtLength(settings)).toEqual([{ timeout: "0", level: "repeatable read" }]);
  await expect(readAtLength("INSERT INTO setting (name, value) VALUES ($1, '') RETURNING name", ["long"])).rejects.toThrow("read-only");
  expect((await pool().query(settings)).rows).toEqual(before);
});
