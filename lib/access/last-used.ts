// When each key was last used. A row written per request would double the work of the hot path, so uses are collected in memory and
// written together by a job. A process that dies loses a few seconds of them, and nothing depends on them.

import { nowMs } from "@/lib/base/clock";
import type { KeyId } from "@/lib/base/ids";
import { processSingleton } from "@/lib/base/process-singleton";
import { prisma } from "@/lib/db/prisma";

const uses = processSingleton("key-uses", () => new Map<KeyId, number>());

/** Remembers that a key was used now. */
export function recordKeyUse(keyId: KeyId): void {
  uses().set(keyId, nowMs());
}

/** Writes the uses collected since the last call; keeps those that could not be written for the next call. */
export async function writeKeyUses(): Promise<void> {
  const gathered = [...uses()];
  uses().clear();
  if (gathered.length === 0) return;
  try {
    // One statement for many keys, each with a different value, which Prisma cannot express. Rows are locked in id order: two processes
    // that write the same keys would otherwise deadlock.
    await prisma().$executeRaw`
      WITH used AS MATERIALIZED (
        SELECT k.id, u.at FROM unnest(${gathered.map(([keyId]) => keyId)}::text[], ${gathered.map(([, ms]) => new Date(ms))}::timestamptz[])
          AS u(id, at) JOIN api_key k ON k.id = u.id
        ORDER BY k.id FOR NO KEY UPDATE OF k
      )
      UPDATE api_key k SET last_used_at = greatest(k.last_used_at, used.at) FROM used WHERE k.id = used.id`;
  } catch (error) {
    for (const [keyId, ms] of gathered) uses().set(keyId, Math.max(ms, uses().get(keyId) ?? 0));
    throw error;
  }
}
