// The chain: a job gives committed entries their places in it, so that no commit waits for another one. Altering, removing, inserting or
// reordering an entry afterwards takes new digests for all later ones, and a head kept outside shows that.

import { HOUR_MS } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { inTransaction, lockName, Prisma, prisma, type Transaction } from "@/lib/db/prisma";
import { listSettings, writeSetting } from "@/lib/db/settings";
import { follow, type Head, isPersonalTrue, START, type StoredEntry } from "./digest";

const CHAINED_AT_ONCE = 1_000;
const READ_AT_ONCE = 2_000;
/** How many entries a check of the job walks. */
const CHECKED_AT_ONCE = 10_000;
/** Where a check leaves the head that it saw, for the next one, in whatever process. */
const HEAD_SETTING = "audit_head";
const LOG_EVERY_MS = HOUR_MS;

/** Chains all committed entries. A job runs it; in several processes at once, one waits for the other. */
export async function chainEntries(): Promise<void> {
  for (;;) {
    // Without entries to chain, which is nearly always, nobody takes the lock.
    if (!(await prisma().auditEntry.findFirst({ where: { sequence: null }, select: { id: true } }))) return;
    if ((await inTransaction(chainSome)) < CHAINED_AT_ONCE) return;
  }
}

async function chainSome(transaction: Transaction): Promise<number> {
  await lockName("audit chain", transaction);
  const entries = await transaction.$queryRaw<StoredEntry[]>`${select} WHERE sequence IS NULL ORDER BY place LIMIT ${CHAINED_AT_ONCE}`;
  let head = await readHead(transaction);
  const places = entries.map((entry) => {
    head = follow(head, entry);
    return { place: entry.place, ...head };
  });
  await transaction.$executeRaw`
    UPDATE audit_entry e SET sequence = c.sequence, digest = decode(c.digest, 'hex')
    FROM unnest(${places.map(({ place }) => place)}::bigint[], ${places.map(({ sequence }) => sequence)}::bigint[],
      ${places.map(({ digest }) => digest)}::text[]) AS c(place, sequence, digest)
    WHERE e.place = c.place`;
  return entries.length;
}

const select = Prisma.sql`
  SELECT place, id, account_id AS "accountId", kind, (extract(epoch FROM at) * 1000000)::bigint::text AS at, actor::text, subject,
    before::text, after::text, personal::text, encode(salt, 'hex') AS salt, encode(commitment, 'hex') AS commitment, sequence,
    encode(digest, 'hex') AS digest
  FROM audit_entry`;

/** The end of the chain. Kept outside, it proves later that nothing before it was changed. */
export async function readHead(database: Prisma.TransactionClient = prisma()): Promise<Head> {
  const last = await database.auditEntry.findFirst({ where: { sequence: { not: null } }, orderBy: { sequence: "desc" } });
  if (!last || last.sequence === null || last.digest === null) return START;
  return { sequence: last.sequence, digest: Buffer.from(last.digest).toString("hex") };
}

interface Verified {
  /** How far the chain holds. */
  head: Head;
  /** The fault of the entry after it; null without one. */
  fault: string | null;
}

/** Walks the chain from `from`, which holds, over at most `most` entries. */
export async function verifyChain(from: Head = START, most = Number.POSITIVE_INFINITY): Promise<Verified> {
  let head = from;
  for (let walked = 0; walked < most; ) {
    const limit = Math.min(READ_AT_ONCE, most - walked);
    const entries = await prisma().$queryRaw<StoredEntry[]>`
      ${select} WHERE sequence > ${head.sequence} ORDER BY sequence LIMIT ${limit}`;
    for (const entry of entries) {
      const fault = faultOf(head, entry);
      if (fault !== null) return { head, fault };
      head = follow(head, entry);
    }
    walked += entries.length;
    if (entries.length < limit) break;
  }
  return { head, fault: null };
}

function faultOf(head: Head, entry: StoredEntry): string | null {
  const next = follow(head, entry);
  if (entry.sequence !== next.sequence) return `entry ${next.sequence} is missing`;
  if (entry.digest !== next.digest)
    return `entry ${next.sequence} (${entry.id}) is not the one that was chained, or the one before it is not`;
  return isPersonalTrue(entry) ? null : `the personal fields of entry ${next.sequence} (${entry.id}) were altered`;
}

/** How the chain differs from the chain whose head was `kept`; null when it does not. */
export async function findDifference(kept: Head): Promise<string | null> {
  if (kept.sequence === START.sequence) return null;
  const entry = await prisma().auditEntry.findUnique({ where: { sequence: kept.sequence }, select: { digest: true } });
  if (!entry?.digest) return `entry ${kept.sequence}, which was the last one, is missing`;
  return Buffer.from(entry.digest).toString("hex") === kept.digest ? null : `the chain up to entry ${kept.sequence} was written anew`;
}

async function readKeptHead(): Promise<Head> {
  const [kept] = await listSettings(HEAD_SETTING);
  const [, sequence, digest] = /^(\d+):([0-9a-f]+)$/.exec(kept?.value ?? "") ?? [];
  return sequence && digest ? { sequence: BigInt(sequence), digest } : START;
}

// A process remembers the newest head that it saw: a wholly rewritten chain differs from it.
const checked = processSingleton("audit chain checked", () => ({ at: START, newest: START, loggedMs: Number.NEGATIVE_INFINITY }));

/**
 * Checks the chain; returns the first fault, or null. Each call checks the next CHECKED_AT_ONCE entries, and starts again at the first entry
 * after the last one. A whole check reads all entries.
 */
export async function checkChain(isWhole = false): Promise<string | null> {
  const held = checked();
  for (const newest of [held.newest, await readKeptHead()]) {
    const rewritten = await findDifference(newest);
    if (rewritten !== null) return rewritten;
  }
  const { head, fault } = await (isWhole ? verifyChain() : verifyChain(held.at, CHECKED_AT_ONCE));
  if (fault !== null) return fault;
  const end = await readHead();
  await writeSetting(HEAD_SETTING, `${end.sequence}:${end.digest}`);
  held.at = head.sequence >= end.sequence ? START : head;
  held.newest = end;
  metrics().auditEntries.set(Number(end.sequence));
  // In the log it is outside of the database.
  if (performance.now() - held.loggedMs >= LOG_EVERY_MS) {
    held.loggedMs = performance.now();
    log().info({ sequence: end.sequence.toString(), digest: end.digest }, "the head of the audit log");
  }
  return null;
}
