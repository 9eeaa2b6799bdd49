import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { runStatement, type Statement } from "./connections";

const { url } = await openTestDatabase();

let client: PoolClient;

beforeAll(async () => {
  client = await pool().connect();
  await client.query("CREATE TEMP TABLE noted (what text)");
});

afterAll(() => client.release());

const asTexts = (columns: readonly (string | null)[]) => [...columns];

const query = (name: string, text: string, values: unknown[] = []): Statement<(string | null)[]> => ({
  name,
  text,
  values,
  readRow: asTexts,
});

test("rows are read by column position, whatever their values", async () => {
  const values = ["it's", 7n, 1.5, true, null, undefined, ["a", 'b"\\,', null], Buffer.from([0, 255]), { a: [1] }];
  const text =
    "SELECT $1::text, $2::bigint, $3::float8, $4::boolean, $5::text, $6::text, $7::text[], $8::bytea, $9::json UNION ALL SELECT 'x', 0, 0, false, '', '', '{}', '', '[]'";
  expect(await runStatement(client, query("values", text, values))).toEqual([
    ["it's", "7", "1.5", "t", null, null, '{a,"b\\"\\\\,",NULL}', "\\x00ff", '{"a":[1]}'],
    ["x", "0", "0", "f", "", "", "{}", "\\x", "[]"],
  ]);
  expect(await runStatement(client, query("none", "SELECT 1 WHERE false"))).toEqual([]);
});

test("a statement is prepared once per connection; another of the same name is refused before anything is sent", async () => {
  for (let n = 0; n < 3; n++) expect(await runStatement(client, query("same", "SELECT $1::int + 1", [n]))).toEqual([[String(n + 1)]]);
  const { rows } = await client.query("SELECT generic_plans + custom_plans AS plans FROM pg_prepared_statements WHERE name = 'same'");
  expect(rows).toEqual([{ plans: 3n }]);
  await expect(runStatement(client, query("same", "INSERT INTO noted VALUES ('other') RETURNING what"))).rejects.toThrow(
    "the name same belongs to another statement",
  );
  expect(await runStatement(client, query("same", "SELECT $1::int + 1", [7]))).toEqual([["8"]]);
});

test("a refused statement fails with the server's code, and the connection stays usable", async () => {
  await expect(runStatement(client, query("divide", "SELECT 1 / $1::int", [0]))).rejects.toMatchObject({ code: "22012" });
  expect(await runStatement(client, query("divide", "SELECT 1 / $1::int", [1]))).toEqual([["1"]]);
  await expect(runStatement(client, query("wrong", "SELEC 1"))).rejects.toMatchObject({ code: "42601" });
  expect(await runStatement(client, query("wrong", "SELECT 1"))).toEqual([["1"]]);
});

test("a value that cannot be encoded fails its statement, and nothing is executed", async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  for (let n = 0; n < 2; n++) {
    const note = query("note", "INSERT INTO noted VALUES ($1::json::text) RETURNING what", [circular]);
    await expect(runStatement(client, note)).rejects.toThrow("circular");
  }
  expect(await runStatement(client, query("note", "INSERT INTO noted VALUES ($1::json::text) RETURNING what", [1]))).toEqual([["1"]]);
  expect(await runStatement(client, query("count", "SELECT count(*) FROM noted"))).toEqual([["1"]]);
});

test("a row that cannot be decoded fails its statement, and no other", async () => {
  const readRow = (): never => {
    throw new Error("no such row");
  };
  await expect(runStatement(client, { ...query("unread", "SELECT 1"), readRow })).rejects.toThrow("no such row");
  expect(await runStatement(client, query("unread", "SELECT 1"))).toEqual([["1"]]);
});

test("a server that does not answer is given up after the driver's time limit, and a broken connection at once", async () => {
  const hurried = new URL(url);
  hurried.searchParams.set("query_timeout", "200");
  const impatient = createPool(hurried.href, 1);
  const slow = await impatient.connect();
  await expect(runStatement(slow, query("sleep", "SELECT pg_sleep($1)", [20]))).rejects.toThrow("Query read timeout");
  slow.release(true);
  const cut = await pool().connect();
  const [[pid] = []] = await runStatement(cut, query("pid", "SELECT pg_backend_pid()"));
  const waiting = expect(runStatement(cut, query("sleep", "SELECT pg_sleep($1)", [20]))).rejects.toMatchObject({ code: "57P01" });
  await pool().query("SELECT pg_terminate_backend($1)", [Number(pid)]);
  await waiting;
  cut.release(true);
  await impatient.end();
});
