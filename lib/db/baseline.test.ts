// The baseline makes the database that the migrations before it made: tables, columns, constraints, indexes, triggers, and every
// function that stays. It goes with them.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readMigrations } from "./migrate";
import { databaseFacts } from "./testing/database-facts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database";

/** Those that served a release before. */
const gone = ["_prisma_migrations", "gateway_place_lone_hold", "gateway_settle_lone_hold", "ledger_charge_hold", "gateway_commit"];

const catalogue = {
  columns: `SELECT c.relname || '.' || a.attname AS name, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, l.collname, pg_get_expr(d.adbin, d.adrelid)) AS text
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_collation l ON l.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'c') AND c.relname <> '_prisma_migrations'`,
  options:
    "SELECT relname AS name, array_to_string(reloptions, ',') AS text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')",
  indexes: "SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE schemaname = 'public'",
  constraints:
    "SELECT conrelid::regclass || ' ' || conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
  triggers: "SELECT tgname AS name, pg_get_triggerdef(oid) AS text FROM pg_trigger WHERE NOT tgisinternal",
  views: "SELECT viewname AS name, definition AS text FROM pg_views WHERE schemaname = 'public'",
  functions:
    "SELECT oid::regprocedure::text AS name, pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'",
  rows: "SELECT id AS name, kind || posted || held AS text FROM ledger_account",
};

async function readCatalogue({ pool }: TestDatabase): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [kind, sql] of Object.entries(catalogue)) {
    const { rows } = await pool.query<{ name: string; text: string }>(sql);
    for (const { name, text } of rows) if (!gone.some((one) => name.includes(one))) found[`${kind} ${name}`] = text;
  }
  return found;
}

test("the baseline makes the same database", async () => {
  const [before, now] = [await createTestDatabase({ empty: true }), await createTestDatabase()];
  try {
    for (const { name } of readMigrations("prisma/before-baseline"))
      await before.pool.query(readFileSync(`prisma/before-baseline/${name}/migration.sql`, "utf8"));
    const [old, made] = [await readCatalogue(before), await readCatalogue(now)];
    expect(Object.keys(made).length).toBeGreaterThan(500);
    expect(made).toEqual(old);
    const facts = async (one: TestDatabase) =>
      [...(await databaseFacts(one.pool))].filter((fact) => !gone.some((name) => fact.includes(name))).sort();
    expect(await facts(now)).toEqual(await facts(before));
  } finally {
    await before.drop();
    await now.drop();
  }
});
