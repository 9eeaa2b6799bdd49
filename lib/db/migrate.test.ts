import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { migrate, readMigrations, rememberMode } from "./migrate";
import { createTestDatabase, type TestDatabase } from "./testing/test-database";

const cleanUps: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  cleanUps.push(database.drop);
  return database;
}

/** A directory like `prisma/`, with one migration for each entry. */
function migrationFiles(files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), "pennyprompt-migrations-"));
  cleanUps.push(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, "migrations"));
  for (const [name, sql] of Object.entries(files)) write(directory, name, sql);
  return directory;
}

function write(directory: string, name: string, sql: string): void {
  mkdirSync(join(directory, "migrations", name), { recursive: true });
  writeFileSync(join(directory, "migrations", name, "migration.sql"), sql);
}

const tables = async ({ pool }: TestDatabase) =>
  (await pool.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).rows.map(
    ({ name }) => name,
  );

const one = "CREATE TABLE one (id int PRIMARY KEY);";
const two = "ALTER TABLE one ADD COLUMN two int; CREATE TABLE two (id int);";

test("migrations are applied in the order of their names, once", async () => {
  const database = await emptyDatabase();
  const directory = migrationFiles({ "2_two": two, "1_one": one });
  expect(await migrate({ url: database.url, directory })).toEqual(["1_one", "2_two"]);
  expect(await migrate({ url: database.url, directory })).toEqual([]);
  write(directory, "3_three", "CREATE TABLE three (id int);");
  expect(await migrate({ url: database.url, directory })).toEqual(["3_three"]);
  expect(await tables(database)).toEqual(["_prisma_migrations", "one", "three", "two"]);
});

test("a start says in one line what it applied, and nothing when the database had everything", async () => {
  const database = await emptyDatabase();
  const directory = migrationFiles({ "1_one": one, "2_two": two });
  const lines: string[] = [];
  const start = () => migrate({ url: database.url, directory, log: (line) => lines.push(line) });
  await start();
  await start();
  write(directory, "3_three", "CREATE TABLE three (id int);");
  await start();
  expect(lines).toEqual(["database: 2 migrations applied", "database: migration 3_three applied"]);
});

test("the bookkeeping rows equal those of Prisma's own command line", async () => {
  const database = await emptyDatabase();
  await migrate({ url: database.url, directory: migrationFiles({ "1_one": one }) });
  const { rows } = await database.pool.query("SELECT * FROM _prisma_migrations");
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      checksum: "3886fb51131103656f86dd19b85b9fc8d9509c03b1e04e08021b1e9310241414",
      finished_at: expect.any(Date),
      migration_name: "1_one",
      logs: null,
      rolled_back_at: null,
      started_at: expect.any(Date),
      applied_steps_count: 1,
    },
  ]);
  expect(rows[0].finished_at.getTime()).toBeGreaterThanOrEqual(rows[0].started_at.getTime());
});

test("a failed migration rolls back itself and those applied with it; once it is repaired, all are applied", async () => {
  const database = await emptyDatabase();
  const directory = migrationFiles({ "1_one": one, "2_two": "CREATE TABLE half (id int); SELECT 1 / 0;" });
  await expect(migrate({ url: database.url, directory })).rejects.toThrow(
    "Migration 2_two failed, and nothing was changed: division by zero",
  );
  expect(await tables(database)).toEqual([]);
  write(directory, "2_two", two);
  expect(await migrate({ url: database.url, directory })).toEqual(["1_one", "2_two"]);
});

test("a changed file of an applied migration is refused", async () => {
  const database = await emptyDatabase();
  const directory = migrationFiles({ "1_one": one });
  await migrate({ url: database.url, directory });
  write(directory, "1_one", `${one}\n`);
  await expect(migrate({ url: database.url, directory })).rejects.toThrow("Migration 1_one was changed after it was applied");
});

test("a database migrated by newer code is refused", async () => {
  const database = await emptyDatabase();
  await migrate({ url: database.url, directory: migrationFiles({ "1_one": one, "2_two": two }) });
  await expect(migrate({ url: database.url, directory: migrationFiles({ "1_one": one }) })).rejects.toThrow("of a newer release");
});

test("a database from before the baseline is refused, with how to start anew; nothing is changed", async () => {
  const database = await emptyDatabase();
  await migrate({ url: database.url, directory: migrationFiles({ "00000000000003_ledger": one }) });
  await expect(migrate({ url: database.url })).rejects.toThrow(
    /before the first release.*Start with an empty one: move the DATA_DIR folder/,
  );
  expect(await tables(database)).toEqual(["_prisma_migrations", "one"]);
});

test("a new migration that sorts before an applied one is refused", async () => {
  const database = await emptyDatabase();
  await migrate({ url: database.url, directory: migrationFiles({ "2_one": one }) });
  await expect(migrate({ url: database.url, directory: migrationFiles({ "1_late": two, "2_one": one }) })).rejects.toThrow(
    "Rename it to come after",
  );
});

test("a migration that Prisma's command line left half-applied is refused; one that it rolled back is applied", async () => {
  const database = await emptyDatabase();
  const directory = migrationFiles({ "1_one": one, "2_two": two });
  await migrate({ url: database.url, directory });
  await database.pool.query("UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '2_two'");
  await expect(migrate({ url: database.url, directory })).rejects.toThrow("failed half-way");
  await database.pool.query(
    "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_two'; DROP TABLE two; ALTER TABLE one DROP COLUMN two",
  );
  expect(await migrate({ url: database.url, directory })).toEqual(["2_two"]);
});

test("of several processes that migrate at once, one migrates and the others wait and find it done", async () => {
  const database = await emptyDatabase();
  const directory = migrationFiles({ "1_one": `${one} SELECT pg_sleep(0.2);`, "2_two": two });
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => migrate({ url: database.url, directory })));
  expect(outcomes.map((applied) => applied.length).sort()).toEqual([0, 0, 0, 2]);
});

test("the product's own migrations apply to an empty embedded database", async () => {
  const database = await emptyDatabase();
  const names = readMigrations("prisma/migrations").map(({ name }) => name);
  expect(await migrate({ url: database.url, mode: "sandbox" })).toEqual(names);
});

test("a database remembers its first mode and refuses the other, before anything is changed", async () => {
  const database = await emptyDatabase();
  await migrate({ url: database.url, mode: "sandbox" });
  await migrate({ url: database.url, mode: "sandbox" });
  const directory = migrationFiles({});
  cpSync("prisma", directory, { recursive: true });
  write(directory, "99999999999999_newer", "CREATE TABLE newer (id int);");
  await expect(migrate({ url: database.url, mode: "live", directory })).rejects.toThrow(
    "This database holds sandbox money and MODE is live",
  );
  expect(await tables(database)).not.toContain("newer");
  await expect(rememberMode(database.pool, "live")).rejects.toThrow("Set MODE=sandbox");
  await rememberMode(database.pool, "sandbox");
});

test("of two processes that start on a new database in different modes, one is refused", async () => {
  const database = await emptyDatabase();
  const starts = await Promise.allSettled([migrate({ url: database.url, mode: "live" }), migrate({ url: database.url, mode: "sandbox" })]);
  expect(starts.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a later release's functions leave the product's functions and triggers in place", async () => {
  const database = await emptyDatabase();
  const present = async () =>
    (
      await database.pool.query(
        `SELECT p.oid::regprocedure::text AS name FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
         UNION ALL SELECT t.tgname FROM pg_trigger t WHERE NOT t.tgisinternal ORDER BY 1`,
      )
    ).rows;
  await migrate({ url: database.url });
  const before = await present();
  expect(before).toContainEqual({ name: "cap_is_judged" });
  const directory = migrationFiles({});
  cpSync("prisma", directory, { recursive: true });
  for (const number of [1_000, 1_001]) {
    writeFileSync(join(directory, "functions", "VERSION"), `${number}\nserves 1\n`);
    const lines: string[] = [];
    await migrate({ url: database.url, directory, log: (line) => lines.push(line) });
    expect(lines).toEqual([`database: SQL functions (version ${number}) applied`]);
    expect(await present()).toEqual(before);
  }
});

test("a charge from before its counts were one array keeps all it says, and the check of the books agrees", async () => {
  const database = await emptyDatabase();
  const directory = migrationFiles({});
  for (const { name, sql } of readMigrations("prisma/migrations")) {
    if (name < "20261129110000_charge_by_kind") write(directory, name, sql);
  }
  await migrate({ url: database.url, directory });
  const tiers = `[{"kind":"input","price":10},{"kind":"cache_read","price":1},{"kind":"output","price":20},
    {"kind":"input","price":15,"fromInputTokens":100},{"kind":"output","price":30,"fromInputTokens":100}]`;
  await database.pool.query(
    `INSERT INTO price_version (id, model, input_price, output_price, recorded_at, kinds) VALUES ('flat', 'm', 10, 20, now(), '[]'), ('tiers', 'm', 10, 20, now(), '${tiers}')`,
  );
  const columns = `account_id, request_id, key_id, model, provider, provider_request_id, price_version, input_tokens, output_tokens, cached_input_tokens,
    cache_write_tokens, cache_write_1h_tokens, image_tokens, reasoning_tokens, input_cost, output_cost, operator_loss, ceiling, late, period,
    period_start, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at, unbilled, kept`;
  const at = "'2026-11-29 10:00Z'";
  await database.pool.query(`INSERT INTO charge (${columns}) VALUES
    ('a', 'r1', NULL, 'm', 'p', NULL, 'flat', 100, 50, 10, 0, 0, 0, 0, 1000, 900, 100, 5000, false, NULL, NULL, 'complete', true, false, 'balance', NULL, 5, ${at}, 0, false),
    ('a', 'r2', 'k', 'm', 'p', 'x', 'tiers', 99, 5, 40, 0, 0, 0, 5, 630, 100, 0, 5000, true, 'day', ${at}, 'partial', true, true, 'x402', 7, 5, ${at}, 9, true),
    ('a', 'r3', 'k', 'm', 'p', 'x', 'tiers', 100, 5, 40, 4, 3, 2, 1, 0, 0, 1650, 5000, false, NULL, NULL, 'lost', false, false, 'balance', 7, 5, ${at}, 0, false),
    ('a', 'r4', 'k', 'm', 'p', 'x', 'flat', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5000, false, NULL, NULL, 'complete', true, false, 'balance', 7, 5, ${at}, 0, false),
    ('a', 'r5', 'k', 'm', 'p', 'x', 'flat', 0, 1, 0, 0, 0, 0, 0, 0, 19, 0, 5000, false, NULL, NULL, 'complete', true, false, 'balance', 7, 5, ${at}, 0, false)`);
  const kept = columns.replace(/\w+_tokens, ?\s*/g, "");
  const charges = async () => (await database.pool.query(`SELECT ${kept}, seq FROM charge ORDER BY seq`)).rows;
  const before = await charges();
  await migrate({ url: database.url });
  expect(await charges()).toEqual(before);
  const { rows } = await database.pool.query("SELECT tokens FROM charge ORDER BY seq");
  expect(rows.map(({ tokens }) => tokens)).toEqual([[100, 50, 10], [99, 5, 40, 0, 0, 0, 5], [100, 5, 40, 4, 3, 2, 1], [], [0, 1]]);
  expect((await database.pool.query("SELECT ledger_roll_up_mark() AS mark, nextval('charge_seq_seq') AS next")).rows).toEqual([
    { mark: 5n, next: 6n },
  ]);
  // The last one costs a nano-USD too little.
  const violations = await database.pool.query("SELECT subject FROM ledger_check(now()) WHERE invariant LIKE 'a charge is its tokens%'");
  expect(violations.rows).toEqual([{ subject: "r5" }]);
});
