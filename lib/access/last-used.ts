// When each key was last used. A row written per request would double the work of the hot path, so uses are gathered in
// memory and written together by a job; a process that dies loses some seconds of them, and nothing depends on them.

import { nowMs } from "@/lib/base/clock";
import type { KeyId } from "@/lib/base/ids";
import { once } from "@/lib/base/once";
import { pool } from "@/lib/db/pool";

const uses = () => once("key-uses", () => new Map<KeyId, number>());

/** Remembers that a key was used now. */
export function noteKeyUse(keyId: KeyId): void {
  uses().set(keyId, nowMs());
}

/** Writes what was gathered since the last call. */
export async function writeKeyUses(): Promise<void> {
  const gathered = [...uses()];
  uses().clear();
  if (gathered.length === 0) return;
  await pool().query(
    `UPDATE api_key k SET last_used_at = greatest(k.last_used_at, u.at)
     FROM unnest($1::text[], $2::timestamptz[]) AS u(id, at) WHERE k.id = u.id`,
    [gathered.map(([keyId]) => keyId), gathered.map(([, ms]) => new Date(ms))],
  );
}
