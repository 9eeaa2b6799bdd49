import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { functionsOf } from "@/lib/tidy/sql";
import { readFunctionFiles, readFunctionsVersion } from "./functions";
import { migrate } from "./migrate";
import { believeDatabase } from "./testing/clock";
import { createTestDatabase, type TestDatabase } from "./testing/test-database";

let database: TestDatabase;
let directory: string;
const running: (() => Promise<void>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  directory = mkdtempSync(join(tmpdir(), "pennyprompt-functions-"));
  write("migrations/1_settings/migration.sql", "CREATE TABLE setting (name text PRIMARY KEY, value text NOT NULL);");
  write("functions/VERSION", "3\nserves 1");
  write("functions/b/one.sql", returning("b_one", "a_two() + 1"));
  write("functions/a/two.sql", returning("a_two", "2"));
});
afterEach(async () => {
  for (const end of running.splice(0)) await end();
  await database.drop();
  rmSync(directory, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}

const returning = (name: string, value: string) =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS integer LANGUAGE sql AS $$ SELECT ${value} $$;\n`;

async function start(): Promise<string[]> {
  const lines: string[] = [];
  await migrate({ url: database.url, directory, log: (message) => lines.push(message) });
  return lines;
}

const value = async (call: string) => (await database.pool.query<{ value: number }>(`SELECT ${call} AS value`)).rows[0]?.value;
const versions = async () =>
  (
    await database.pool.query(
      "SELECT oid, xmin::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace UNION ALL SELECT oid, xmin::text FROM pg_trigger",
    )
  ).rows;

test("a start creates the functions, whatever the order of their files, and a start with equal files writes nothing", async () => {
  await start();
  expect(await value("b_one()")).toBe(3);
  const before = await versions();
  expect(await start()).toEqual([]);
  expect(await versions()).toEqual(before);
});

test("a changed file replaces its function and keeps its oid; a function that is in no file any more is dropped", async () => {
  await start();
  const [oid] = [await value("'b_one'::regproc::oid::integer")];
  write("functions/b/one.sql", returning("b_one", "7"));
  rmSync(join(directory, "functions/a/two.sql"));
  expect(await start()).toContain("database: dropped a_two(), which no longer exists in this release");
  expect([await value("b_one()"), await value("'b_one'::regproc::oid::integer")]).toEqual([7, oid]);
  await expect(value("a_two()")).rejects.toThrow("does not exist");
});

test("a function or trigger that was changed by hand is restored and reported; an operator's additions stay", async () => {
  write("functions/a/triggers.sql", `CREATE OR REPLACE TRIGGER setting_changed AFTER INSERT ON setting EXECUTE FUNCTION a_noted();`);
  write("functions/a/noted.sql", "CREATE OR REPLACE FUNCTION a_noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;");
  await start();
  await database.pool.query(`${returning("a_two", "9")} ${returning("operators_own", "1")} DROP TRIGGER setting_changed ON setting`);
  expect(await value("b_one()")).toBe(10);
  const [first] = await start();
  expect(first).toMatch(
    /^database: SQL functions changed by hand were restored: (a_two\(\), trigger setting_changed on setting|trigger setting_changed on setting, a_two\(\))$/,
  );
  expect([await value("b_one()"), await value("operators_own()")]).toEqual([3, 1]);
  expect(await start()).toEqual([]);
});

test("a release with a lower number refuses to start over a higher one, and changes nothing", async () => {
  await start();
  write("functions/VERSION", "2\nserves 1");
  write("functions/a/two.sql", returning("a_two", "5"));
  await expect(start()).rejects.toThrow("This database has the SQL functions of a newer release (version 3; this code has 2)");
  expect(await value("a_two()")).toBe(2);
});

test("a file that cannot be applied changes nothing, and the error says how to change a signature", async () => {
  await start();
  write("functions/a/two.sql", returning("a_two", "5"));
  write("functions/b/one.sql", "CREATE OR REPLACE FUNCTION b_one() RETURNS text LANGUAGE sql AS $$ SELECT '' $$;");
  await expect(start()).rejects.toThrow(
    /prisma\/functions\/b\/one\.sql could not be applied, and nothing was changed: .* give it a new name/,
  );
  expect(await value("b_one()")).toBe(3);
});

/** A process that beats as a release does; `functions` is SQL. Resolves with how to end it. */
async function runProcess(id: string, functions: string): Promise<() => Promise<void>> {
  await database.pool.query(
    "CREATE TABLE IF NOT EXISTS process (id text PRIMARY KEY, roles text, started_at timestamptz, beat bigint, functions integer)",
  );
  const beat = `INSERT INTO process AS p VALUES ('${id}', 'api', now(), 1, ${functions}) ON CONFLICT (id) DO UPDATE SET beat = p.beat + 1`;
  await database.pool.query(beat);
  let beating = Promise.resolve<unknown>(undefined);
  const timer = setInterval(() => {
    beating = database.pool.query(beat);
  }, 200);
  const end = async () => {
    clearInterval(timer);
    await beating;
  };
  running.push(end);
  return end;
}

test("functions that an older release cannot call are not applied while a process of it runs", async () => {
  await start();
  for (const version of ["3", "NULL"]) {
    const end = await runProcess(`prc_${version}`, version);
    write("functions/VERSION", "4\nserves 4");
    write("functions/a/two.sql", returning("a_two", "5"));
    await expect(start()).rejects.toThrow(/An older release still runs.* process prc_\w+ \(api, since .*Ctrl-C.* Nothing was changed/);
    expect(await value("a_two()")).toBe(2);
    await end();
  }
  // Their rows are still there: both have died.
  expect(await start()).toContain("database: SQL functions (version 4) applied");
  expect(await value("a_two()")).toBe(5);
});

test("a release that the new functions still serve runs beside them, and nobody waits for it", async () => {
  await start();
  const end = await runProcess("prc_served", "3");
  write("functions/VERSION", "4\nserves 3");
  expect(await start()).toEqual(["database: SQL functions (version 4) applied"]);
  await end();
});

test("of several concurrent starts one applies the functions, and the others wait and find them applied", async () => {
  const reported = await Promise.all([start(), start(), start()]);
  expect(reported.flat().filter((line) => line.includes("SQL functions (version 3) applied"))).toHaveLength(1);
  expect(await value("b_one()")).toBe(3);
});

test("the product's database has exactly the functions of the files, each with its text", async () => {
  const product = await createTestDatabase();
  try {
    await believeDatabase(product.pool);
    const { rows } = await product.pool.query<{ name: string; body: string }>(
      "SELECT proname AS name, prosrc AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' ORDER BY proname",
    );
    const files = readFunctionFiles("prisma/functions")?.files ?? [];
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    const wanted = files.flatMap(({ sql }) => functionsOf(sql).map(({ name, body }) => ({ name, body }))).sort(byName);
    expect(rows.sort(byName)).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(50);
    // They are applied unchecked, since they call each other in any order; here each is checked.
    await product.pool.query(files.map(({ sql }) => sql).join("\n"));
  } finally {
    await product.drop();
  }
});

test("the number of the set, and the lowest that it serves, are whole numbers", () => {
  cpSync("prisma/functions", join(directory, "functions"), { recursive: true });
  expect(readFunctionFiles(join(directory, "functions"))?.number).toBe(parseInt(readFileSync("prisma/functions/VERSION", "utf8"), 10));
  expect(readFunctionFiles(join(directory, "functions"))?.serves).toBeLessThanOrEqual(readFunctionsVersion() ?? 0);
  for (const text of ["one", "3", "3\nserves none", "0\nserves 0"]) {
    write("functions/VERSION", text);
    expect(() => readFunctionFiles(join(directory, "functions"))).toThrow("prisma/functions/VERSION must hold a whole number");
  }
});
