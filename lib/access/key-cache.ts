// Keys by their hash, in memory. A change of a key or its account empties the account's entries in every process through
// LISTEN/NOTIFY; while that connection is down, nothing is served from here. The cache only spares reads: whether a key
// may spend is decided again inside the hold's own statement.

import { once } from "@/lib/base/once";
import { listen } from "@/lib/db/listen";
import { findKeyByHash, type KeyRecord } from "./keys";

const MOST_KEYS = 50_000;

interface KeyCache {
  byHash: Map<string, KeyRecord>;
  /** Grows with every notice: an answer that was read before a notice is not stored after it. */
  epoch: number;
  live: boolean;
}

const cache = () => once<KeyCache>("key-cache", () => ({ byHash: new Map(), epoch: 0, live: false }));

/** Starts to keep keys in memory; without it every look-up reads the database. Returns how to stop. */
export function startKeyCache(): Promise<{ stop: () => Promise<void> }> {
  const keys = cache();
  const forgetAll = () => {
    keys.epoch++;
    keys.byHash.clear();
  };
  return listen("access", {
    onMessage: (accountId) => {
      keys.epoch++;
      for (const [hash, record] of keys.byHash) if (record.accountId === accountId) keys.byHash.delete(hash);
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

/** The key with this hash, when this process knows it as it is now. */
export function peekKey(hash: Buffer): KeyRecord | undefined {
  const keys = cache();
  return keys.live ? keys.byHash.get(nameOf(hash)) : undefined;
}

/** Reads the key with this hash from the database and keeps it; null when there is none. */
export async function loadKey(hash: Buffer): Promise<KeyRecord | null> {
  const keys = cache();
  const { epoch } = keys;
  const record = await findKeyByHash(hash);
  if (record && keys.live && keys.epoch === epoch) {
    if (keys.byHash.size >= MOST_KEYS) keys.byHash.clear();
    keys.byHash.set(nameOf(hash), record);
  }
  return record;
}

/** Drops one key from this process's memory: the hold found it changed. */
export function forgetKey(hash: Buffer): void {
  cache().byHash.delete(nameOf(hash));
}

const nameOf = (hash: Buffer): string => hash.toString("base64");
