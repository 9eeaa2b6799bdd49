// Keys in memory, by a digest of their text. A change of a key or its account removes the account's entries in every process through
// LISTEN/NOTIFY; while that connection is down, nothing is served from memory. The cache only saves reads: the hold's own statement
// decides again whether a key may spend.

import { processSingleton } from "@/lib/base/process-singleton";
import { listen } from "@/lib/db/listen";
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
