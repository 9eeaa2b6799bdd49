// Turns an Authorization header into a key that may be used now, or the reason why not.

import { nowMs } from "@/lib/base/clock";
import { peppers } from "@/lib/base/pepper";
import { type KeyRecord, replaceHash } from "./find-key";
import { digestKey, loadKey, peekKey } from "./key-cache";
import { hashKey, isWellFormedKey } from "./key-format";

export type KeyRefusal = "missing" | "malformed" | "unknown" | "revoked" | "expired" | "rotated" | "disabled";

export type Authentication = { ok: true; key: KeyRecord; name: string } | { ok: false; reason: KeyRefusal };

/** Reads `Bearer pp_…`: the scheme in any case, then one space. */
export function readBearerKey(authorization: string | undefined): { key: string } | { reason: "missing" | "malformed" } {
  if (authorization === undefined || authorization === "") return { reason: "missing" };
  const key = bearerText(authorization);
  return isWellFormedKey(key) ? { key } : { reason: "malformed" };
}

const bearerText = (authorization: string): string => (/^bearer /i.test(authorization) ? authorization.slice("bearer ".length) : "");

/** Like authenticateKey, for the key in an Authorization header. */
export function authenticateBearer(authorization = "", beforeLookUp?: () => void): Authentication | Promise<Authentication> {
  const name = digestKey(bearerText(authorization));
  const known = peekKey(name);
  // A cached key was well-formed when it was looked up.
  if (known) return judgeKey(known, name);
  const read = readBearerKey(authorization);
  return "key" in read ? authenticateKey(read.key, beforeLookUp) : { ok: false, reason: read.reason };
}

/**
 * Finds the key and says whether it may be used now; synchronously when this process has it in memory. `beforeLookUp` runs before a
 * database read for a key that is not in memory; what it throws ends the attempt.
 */
export function authenticateKey(clearKey: string, beforeLookUp?: () => void): Authentication | Promise<Authentication> {
  // The name in this process's memory is a plain digest: three times as fast as the peppered hash, and never stored.
  const name = digestKey(clearKey);
  const known = peekKey(name);
  if (known) return judgeKey(known, name);
  beforeLookUp?.();
  return loadUnderPeppers(name, clearKey).then((key) => judgeKey(key, name));
}

/** While the operator changes the pepper, a key that is found under the second one is hashed anew under the first. */
async function loadUnderPeppers(name: string, clearKey: string): Promise<KeyRecord | null> {
  const [hash, also] = peppers().map((each) => hashKey(clearKey, each));
  if (!hash) return null;
  const key = await loadKey(name, hash);
  if (key || !also || !(await replaceHash(also, hash))) return key;
  return loadKey(name, hash);
}

function judgeKey(key: KeyRecord | null, name: string): Authentication {
  if (!key) return { ok: false, reason: "unknown" };
  if (key.state === "revoked") return { ok: false, reason: "revoked" };
  if (key.expiresAt && key.expiresAt.getTime() <= nowMs()) return { ok: false, reason: "expired" };
  if (key.secretUntil && key.secretUntil.getTime() <= nowMs()) return { ok: false, reason: "rotated" };
  if (key.state === "paused" || key.accountState !== "open") return { ok: false, reason: "disabled" };
  return { ok: true, key, name };
}
