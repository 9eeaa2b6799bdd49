// Writes entries about acts that no row of a table shows: a signed text, a start, an operator's act outside the database.

import type { Json } from "@/lib/base/json";
import { type Database, type Prisma, prisma } from "@/lib/db/prisma";
import type { AuditKind } from "./kinds";

interface NewEntry {
  /** Whose it is; null: the service's own. */
  accountId: string | null;
  kind: AuditKind;
  /** The id of what it is about. */
  subject: string | null;
  before?: { [name: string]: Json };
  after?: { [name: string]: Json };
}

/** Writes an entry, within the caller's transaction. Who acts, and from where, is what the transaction says (lib/db/acting.ts). */
export async function recordAudit({ accountId, kind, subject, before, after }: NewEntry, database: Database = prisma()): Promise<void> {
  const [earlier, later] = [before, after].map((fields) => (fields === undefined ? null : JSON.stringify(fields)));
  await database.$queryRaw`SELECT audit_record(${accountId}, ${kind}, ${subject}, ${earlier}::jsonb, ${later}::jsonb)::text`;
}

/** The content of the newest entry of a kind; null without one. */
export async function findLatest(kind: AuditKind, database: Database = prisma()): Promise<Prisma.JsonValue> {
  return (await database.auditEntry.findFirst({ where: { kind }, orderBy: { place: "desc" } }))?.after ?? null;
}
