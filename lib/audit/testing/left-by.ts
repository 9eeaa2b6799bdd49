// What an act leaves in the audit log, for tests.

import { expect } from "vitest";
import { pool } from "@/lib/db/pool";
import { isAuditKind } from "../kinds";

export interface Entry {
  account_id: string | null;
  kind: string;
  actor: Record<string, unknown>;
  subject: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  personal: Record<string, unknown> | null;
}

/** The entries that `act` leaves, of all accounts. */
export async function leftBy(act: () => Promise<unknown>): Promise<Entry[]> {
  const { rows: before } = await pool().query<{ place: string }>("SELECT coalesce(max(place), 0)::text AS place FROM audit_entry");
  await act();
  const { rows } = await pool().query<Entry>(
    "SELECT account_id, kind, actor, subject, before, after, personal FROM audit_entry WHERE place > $1 ORDER BY place",
    [before[0]?.place],
  );
  for (const { kind } of rows) expect(isAuditKind(kind), kind).toBe(true);
  return rows;
}
