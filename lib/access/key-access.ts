// What a key may do and from where, and its secrets: a rotation gives the key a new one, and the old one works a while longer.

import { dateOf, now, nowMs } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { pepper } from "@/lib/base/pepper";
import { prisma } from "@/lib/db/prisma";
import type { KeyScope } from "./find-key";
import { generateKey, hashKey, keyDisplay } from "./key-format";

export interface KeyAccess {
  scopes: readonly KeyScope[];
  /** In CIDR form; empty: from anywhere. */
  networks: readonly string[];
}

/**
 * How long the present secret works beside a new one, in milliseconds; the secret before it stops at once. `as_before`: the secret before
 * keeps its time instead, and the present one, which nobody may have stored, stops.
 */
export type Overlap = number | "as_before";

/**
 * Gives a key a new secret and returns it, the only time. Null when the account has no such key, or the key is revoked, or, with
 * `as_before`, no earlier secret still works.
 */
export async function rotateKey(accountId: AccountId, keyId: KeyId, overlap: Overlap): Promise<string | null> {
  const clear = generateKey();
  const { prefix, last4 } = keyDisplay(clear);
  const keepsOld = overlap === "as_before";
  const count = await prisma().$executeRaw`
    UPDATE api_key SET old_hash = CASE WHEN ${keepsOld} THEN old_hash ELSE hash END,
      old_last4 = CASE WHEN ${keepsOld} THEN old_last4 ELSE last4 END,
      old_until = CASE WHEN ${keepsOld} THEN old_until ELSE ${dateOf(nowMs() + (keepsOld ? 0 : overlap))} END,
      hash = ${new Uint8Array(hashKey(clear, pepper()))}, prefix = ${prefix}, last4 = ${last4}
    WHERE id = ${keyId} AND account_id = ${accountId} AND state <> 'revoked' AND (NOT ${keepsOld} OR old_until > ${now()})`;
  return count === 1 ? clear : null;
}

/** Ends the old secret's time. Returns false when there is none that still works. */
export async function endOldSecret(accountId: AccountId, keyId: KeyId): Promise<boolean> {
  const { count } = await prisma().apiKey.updateMany({
    where: { accountId, id: keyId, oldUntil: { gt: now() } },
    data: { oldUntil: now() },
  });
  return count === 1;
}
