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

/** Returns false when the account has no such key, or the key is revoked. */
export async function setKeyAccess(accountId: AccountId, keyId: KeyId, { scopes, networks }: KeyAccess): Promise<boolean> {
  const { count } = await prisma().apiKey.updateMany({
    where: { accountId, id: keyId, state: { not: "revoked" } },
    data: { scopes: [...scopes], networks: [...networks] },
  });
  return count === 1;
}

/**
 * Gives a key a new secret and returns it, the only time; the old one works for `overlapMs` more. A secret that was old before stops at
 * once. Null when the account has no such key, or the key is revoked.
 */
export async function rotateKey(accountId: AccountId, keyId: KeyId, overlapMs: number): Promise<string | null> {
  const clear = generateKey();
  const { prefix, last4 } = keyDisplay(clear);
  const count = await prisma().$executeRaw`
    UPDATE api_key SET old_hash = hash, old_last4 = last4, old_until = ${dateOf(nowMs() + overlapMs)},
      hash = ${new Uint8Array(hashKey(clear, pepper()))}, prefix = ${prefix}, last4 = ${last4}
    WHERE id = ${keyId} AND account_id = ${accountId} AND state <> 'revoked'`;
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
