// The content of a real database as a set of plain sentences: the same sentences that `schemaFacts` derives from schema.prisma, plus those
// that Prisma cannot express: checks, functions, triggers, views, and indexes that are partial or on expressions.

import type { Queryable } from "../pool";
import { columnFact } from "./schema-facts";

const notOurs = "'_prisma_migrations'";

/** Everything in the schema `public` except Prisma's own bookkeeping. */
export async function databaseFacts(database: Queryable): Promise<Set<string>> {
  const facts = [
    ...(await relations(database)),
    ...(await columns(database)),
    ...(await indexes(database)),
    ...(await constraints(database)),
    ...(await functionsAndTriggers(database)),
    ...(await enums(database)),
  ];
  return new Set(facts);
}

async function ask<Row extends Record<string, unknown>>(database: Queryable, sql: string): Promise<Row[]> {
  return (await database.query<Row>(sql)).rows;
}

/** A sequence that belongs to a column is the column's default and not listed separately. */
async function relations(database: Queryable): Promise<string[]> {
  const rows = await ask<{ fact: string }>(
    database,
    `
    SELECT CASE relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                        WHEN 'S' THEN 'sequence' ELSE relkind::text END || ' ' || relname AS fact
      FROM pg_class c
     WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('i', 'I', 'c', 't') AND relname <> ${notOurs}
       AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND relkind = 'S' AND d.deptype IN ('a', 'i'))`,
  );
  return rows.map(({ fact }) => fact);
}

async function columns(database: Queryable): Promise<string[]> {
  const rows = await ask<{ table: string; column: string; type: string; nullable: boolean; hasDefault: boolean }>(
    database,
    `
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type,
           NOT a.attnotnull AS nullable, (a.atthasdef OR a.attidentity <> '') AS "hasDefault"
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> ${notOurs}`,
  );
  return rows.map((row) => columnFact(row.table, row.column, { ...row, type: row.type.replace(/^(timestamp)\(6\)/, "$1") }));
}

async function indexes(database: Queryable): Promise<string[]> {
  const rows = await ask<{
    table: string;
    kind: string;
    method: string;
    keys: string[];
    included: string[] | null;
    condition: string | null;
  }>(
    database,
    `
    SELECT t.relname AS table, am.amname AS method,
           CASE WHEN i.indisprimary THEN 'primary key' WHEN i.indisunique THEN 'unique' ELSE 'index' END
             || CASE WHEN i.indnullsnotdistinct THEN ' nulls not distinct' ELSE '' END AS kind,
           ARRAY(SELECT pg_get_indexdef(i.indexrelid, k, true)
                        || CASE i.indoption[k - 1] WHEN 1 THEN ' desc nulls last' WHEN 2 THEN ' nulls first' WHEN 3 THEN ' desc' ELSE '' END
                   FROM generate_series(1, i.indnkeyatts) k) AS keys,
           ARRAY(SELECT pg_get_indexdef(i.indexrelid, k, true) FROM generate_series(i.indnkeyatts + 1, i.indnatts) k) AS included,
           pg_get_expr(i.indpred, i.indrelid, true) AS condition
      FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid JOIN pg_am am ON am.oid = x.relam
     WHERE t.relnamespace = 'public'::regnamespace AND t.relname <> ${notOurs}`,
  );
  return rows.map(({ table, kind, method, keys, included, condition }) => {
    const using = method === "btree" ? "" : ` using ${method}`;
    const including = included?.length ? ` include (${included.join(", ")})` : "";
    return `${table}: ${kind}${using} (${keys.join(", ")})${including}${condition === null ? "" : ` where ${condition}`}`;
  });
}

/** Primary keys and uniqueness are covered by their indexes, NOT NULL by its column. */
async function constraints(database: Queryable): Promise<string[]> {
  const rows = await ask<{ fact: string }>(
    database,
    `
    WITH named AS (SELECT c.*, t.relname AS table_name FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
                    WHERE c.connamespace = 'public'::regnamespace AND t.relname <> ${notOurs}),
         actions (code, words) AS (VALUES ('a', 'no action'), ('r', 'restrict'), ('c', 'cascade'), ('n', 'set null'), ('d', 'set default'))
    SELECT table_name || ': foreign key (' || column_names(conrelid, conkey) || ') references ' || confrelid::regclass || ' ('
             || column_names(confrelid, confkey) || ') on delete ' || d.words || ' on update ' || u.words AS fact
      FROM named JOIN actions d ON d.code = confdeltype::text JOIN actions u ON u.code = confupdtype::text WHERE contype = 'f'
    UNION ALL SELECT table_name || ': ' || CASE contype WHEN 'c' THEN 'check' ELSE 'constraint' END || ' ' || conname
      FROM named WHERE contype NOT IN ('f', 'p', 'u', 'n')`.replace(
      /column_names\((\w+), (\w+)\)/g,
      "(SELECT string_agg(attname, ', ' ORDER BY place) FROM unnest($2) WITH ORDINALITY AS key (number, place) JOIN pg_attribute ON attrelid = $1 AND attnum = number)",
    ),
  );
  return rows.map(({ fact }) => fact);
}

async function functionsAndTriggers(database: Queryable): Promise<string[]> {
  const rows = await ask<{ fact: string }>(
    database,
    `
    SELECT CASE prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END || ' ' || proname AS fact
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT t.relname || ': trigger ' || tgname FROM pg_trigger JOIN pg_class t ON t.oid = tgrelid
     WHERE NOT tgisinternal AND t.relnamespace = 'public'::regnamespace
    UNION ALL SELECT 'composite type ' || relname FROM pg_class WHERE relkind = 'c' AND relnamespace = 'public'::regnamespace
    UNION ALL SELECT 'domain ' || typname FROM pg_type WHERE typtype = 'd' AND typnamespace = 'public'::regnamespace`,
  );
  return rows.map(({ fact }) => fact);
}

async function enums(database: Queryable): Promise<string[]> {
  const rows = await ask<{ fact: string }>(
    database,
    `
    SELECT 'enum ' || typname || ': ' || string_agg(enumlabel, ', ' ORDER BY enumsortorder) AS fact
      FROM pg_type JOIN pg_enum ON enumtypid = pg_type.oid WHERE typnamespace = 'public'::regnamespace GROUP BY typname`,
  );
  return rows.map(({ fact }) => fact);
}
