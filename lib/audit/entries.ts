// The entries of an account, as its owner reads them, the newest first.

import type { AccountId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { type Prisma, prisma } from "@/lib/db/prisma";
import { type AuditGroup, type AuditKind, auditKinds, isAuditKind } from "./kinds";

export interface AuditEntry {
  id: string;
  kind: AuditKind;
  at: Date;
  actor: AuditActor;
  /** Null once it is erased, and where nobody came from anywhere. */
  from: { address: string; device: string } | null;
  subject: string | null;
  /** What changed. Personal fields are null once they are erased. */
  before: AuditFields | null;
  after: AuditFields | null;
  /** Null until the entry is chained, a second after it was written. */
  sequence: bigint | null;
  digest: string | null;
}

export type AuditValue = string | number | boolean | null | NanoUsd | readonly string[];

export type AuditFields = Readonly<Record<string, AuditValue>>;

/** Fields that are amounts, and that triggers write as texts. */
const amounts = new Set(["cap", "alarmAbove", "lowBalance", "dailyLimit"]);

/** Who acted. Of the operator an owner learns no more than that. */
export type AuditActor =
  | { kind: "session"; sessionId: string; chain: string; address: string }
  | { kind: "wallet"; chain: string; address: string }
  | { kind: "link" }
  | { kind: "operator" }
  | { kind: "service"; job?: string };

interface Query {
  /** The id of an entry; those before it. */
  before?: string | undefined;
  /** What kinds begin with. */
  group?: AuditGroup | undefined;
  /** What they are about. */
  subject?: string | undefined;
  limit: number;
}

const PRINTED = 100;

/** The newest entries of an account, or of all, for the operator: one line each, the newest last, without personal fields. */
export async function printableEntries(accountId: string | undefined): Promise<string[]> {
  const where = accountId === undefined ? {} : { accountId };
  const rows = await prisma().auditEntry.findMany({ where, orderBy: { place: "desc" }, take: PRINTED });
  return rows.reverse().map(({ at, kind, accountId: owner, subject, actor, before, after }) => {
    const change = [before, after].map((fields) => (fields === null ? "" : JSON.stringify(fields))).join(" -> ");
    return [at.toISOString(), kind, owner ?? "-", subject ?? "-", JSON.stringify(actor), change].join("  ");
  });
}

/** Null when the account has no entry `before`. */
export async function listEntries(accountId: AccountId, { before, group, subject, limit }: Query): Promise<AuditEntry[] | null> {
  const last = before === undefined ? null : await prisma().auditEntry.findFirst({ where: { id: before, accountId } });
  if (before !== undefined && !last) return null;
  const kinds = Object.keys(auditKinds).filter((kind) => group === undefined || kind.startsWith(`${group}.`));
  const rows = await prisma().auditEntry.findMany({
    where: { accountId, kind: { in: kinds }, ...(subject !== undefined && { subject }), ...(last && { place: { lt: last.place } }) },
    orderBy: { place: "desc" },
    take: limit,
  });
  return rows.flatMap(readEntry);
}

function readEntry(row: Prisma.AuditEntryModel): AuditEntry[] {
  const { id, kind, at, subject, sequence, digest } = row;
  if (!isAuditKind(kind)) return [];
  const { address, device, before, after } = (row.personal ?? {}) as Personal;
  return [
    {
      id,
      kind,
      at,
      subject,
      sequence,
      digest: digest && Buffer.from(digest).toString("hex"),
      actor: readActor(row.actor as { kind: string }),
      from: address !== undefined && device !== undefined ? { address, device } : null,
      before: readFields(row.before, before),
      after: readFields(row.after, after),
    },
  ];
}

/** The part erased after a while: where the entry came from, and the values of fields that are null in `before` and `after`. */
interface Personal {
  address?: string;
  device?: string;
  before?: AuditFields;
  after?: AuditFields;
}

function readFields(fields: unknown, personal?: AuditFields): AuditFields | null {
  if (fields === null) return null;
  const read = Object.entries(fields as AuditFields).map(([name, value]) => {
    return [name, amounts.has(name) && typeof value === "string" ? nanoUsd(BigInt(value)) : (value ?? personal?.[name] ?? null)];
  });
  return Object.fromEntries(read);
}

/**
 * An entry as the API writes it. `hidesWho`: for a reader who may not read the whole account; it leaves out who acted and from where, not
 * what kind of actor.
 */
export const entryBody = ({ at, sequence, before, after, ...entry }: AuditEntry, hidesWho: boolean) => ({
  id: entry.id,
  kind: entry.kind,
  createdAt: at,
  subject: entry.subject,
  ...(hidesWho ? { actor: { kind: entry.actor.kind }, from: null } : { actor: entry.actor, from: entry.from }),
  before,
  after,
  sequence: sequence === null ? null : Number(sequence),
  digest: entry.digest,
});

function readActor(actor: { kind: string; job?: string }): AuditActor {
  switch (actor.kind) {
    case "session":
    case "wallet":
      return actor as AuditActor;
    case "link":
      return { kind: "link" };
    case "command":
    case "database":
      return { kind: "operator" };
    default:
      return { kind: "service", ...(actor.job !== undefined && { job: actor.job }) };
  }
}
