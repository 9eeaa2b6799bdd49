// Keys in memory, by a digest of their text. A change of a key or its account removes the account's entries in every process through
// LISTEN/NOTIFY; while that connection is down, nothing is served from memory. The cache only saves reads: the hold's own statement
// decides again whether a key may spend.
//
// Beside them, when each key was last used. A row written per request would double the work of the hot path, so uses are collected here and
// written together by a job. A process that dies loses a few seconds of them, and nothing depends on them.

import { hash } from "node:crypto";
import { nowMs } from "@/lib/base/clock";
import type { KeyId } from "@/lib/base/ids";
import { processSingleton } from "@/lib/base/process-singleton";
import { listen } from "@/lib/db/listen";
import { prisma } from "@/lib/db/prisma";
import { findKeyByHash, type KeyRecord } from "./find-key";

const MAX_KEYS = 50_000;

interface KeyCache {
  byName: Map<string, KeyRecord>;
  /** Grows with every notice: a record read before a notice is not stored after it. */
  epoch: number;
  live: boolean;
}

const cache = processSingleton<KeyCache>("key-cache", () => ({ byName: new Map(), epoch: 0, live: false }));

/** Starts to keep keys in memory; without it every lookup reads the database. Returns a function that stops it. */
export function startKeyCache(): Promise<{ stop: () => Promise<void> }> {
  const keys = cache();
  const forgetAll = () => {
    keys.epoch++;
    keys.byName.clear();
  };
  return listen("access", {
    onMessage: (accountId) => {
      keys.epoch++;
      for (const [name, record] of keys.byName) if (record.accountId === accountId) keys.byName.delete(name);
    },
    onDown: () => {
      keys.live = false;
      forgetAll();
    },
    onUp: () => {
      forgetAll();
      keys.live = true;
    },
  });
}

/** SHA-256 of a key, base64: its name in memory; 190 random bits need no pepper. */
export function digestKey(key: string): string {
  return hash("sha256", key, "base64");
}

/** The key with this name if this process has a current copy of it. */
export function peekKey(name: string): KeyRecord | undefined {
  const keys = cache();
  return keys.live ? keys.byName.get(name) : undefined;
}

/** Reads the key with this hash from the database and keeps it under `name`; null when there is none. */
export async function loadKey(name: string, hash: Buffer): Promise<KeyRecord | null> {
  const keys = cache();
  const { epoch } = keys;
  const record = await findKeyByHash(hash);
  if (record && keys.live && keys.epoch === epoch) {
    if (keys.byName.size >= MAX_KEYS) keys.byName.clear();
    keys.byName.set(name, record);
  }
  return record;
}

/** Drops one key from this process's memory: the hold found it changed. */
export function forgetKey(name: string): void {
  cache().byName.delete(name);
}

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
