// Nothing can be added that gives power and leaves no entry, without being named here.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";

await openTestDatabase();

/** Columns of the tables with an audit trigger that give no power by themselves. */
const silent: Readonly<Record<string, readonly string[]>> = {
  api_key: [
    "id",
    "account_id",
    "hash",
    "prefix",
    "old_hash",
    "old_last4",
    "created_at",
    "last_used_at",
    "revoked_at",
    "alarm_muted_until",
    "unsigned_cap",
  ],
  account: ["id", "created_at", "erased_at"],
  identity: ["chain", "address", "account_id", "linked_at", "is_first"],
  session: [
    ...["id", "token_hash", "account_id", "chain", "address", "created_at", "expires_at", "last_seen_at", "user_agent", "client_address"],
    ...["confirmed_at", "spends_until", "end_reason"],
  ],
  endpoint: [
    ...["id", "account_id", "kind", "old_secret_until", "failures", "failing_since", "rests_until", "due_at", "served_by"],
    ...["answer_ms", "created_at", "name"],
  ],
};

test("every column of these tables is recorded when it changes, or named here as one that gives no power", async () => {
  const { rows } = await pool().query<{ table: string; columns: string[]; recorded: string[] }>(
    `
      SELECT c.relname AS "table",
        (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
        (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (t.tgattr)) AS recorded
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname LIKE '%\\_audited' AND c.relname = ANY ($1)`,
    [Object.keys(silent)],
  );
  expect(rows.map(({ table }) => table).sort()).toEqual(Object.keys(silent).sort());
  for (const { table, columns, recorded } of rows)
    expect(
      columns.filter((column) => !recorded.includes(column) && !silent[table]?.includes(column)),
      table,
    ).toEqual([]);
});

/** Tables without an entry of their own: money that the ledger tells of, requests, what follows from other rows, and our own bookkeeping. */
const withoutEntries = new Set([
  ...["setting", "process", "audit_entry", "event", "event_count", "delivery", "confirmation", "sign_in_nonce", "sign_up"],
  ...["failed_request", "failed_request_count", "transfer", "entry", "arrival", "hold", "expired_hold", "debt", "price_version", "charge"],
  ...["key_spend", "spend_sum", "spend_sum_mark", "model_use", "announced_model", "idempotent_reply"],
  ...["custody", "address_pool", "custodial_wallet", "deposit", "chain_scan", "chain_scan_end", "foreign_token", "watch_lease"],
  ...["solana_cursor", "solana_foreign_token", "sweep", "faucet_gift", "relay_sender", "relayed", "relay_broadcast", "payment_claim"],
  ...["payment_waste", "reserve_report", "reserve_holding"],
]);

test("every table has an audit trigger, or is named here as one that needs none", async () => {
  const { rows } = await pool().query<{ table: string }>(
    "SELECT DISTINCT tgrelid::regclass::text AS table FROM pg_trigger WHERE tgname LIKE '%\\_audited'",
  );
  const audited = rows.map(({ table }) => table);
  const tables = [...readFileSync("prisma/schema.prisma", "utf8").matchAll(/@@map\("(\w+)"\)/g)].map(([, name = ""]) => name);
  expect(tables.filter((table) => !audited.includes(table) && !withoutEntries.has(table))).toEqual([]);
});
