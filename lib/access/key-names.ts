// An account's names for its keys, so that a charge can show which key made it. Revoked keys keep their names.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";

export interface KeyName {
  keyId: KeyId;
  name: string;
  last4: string;
  isRevoked: boolean;
}

/** The keys among `keyIds` that are or were the account's, the newest first. */
export async function listKeyNames(accountId: AccountId, keyIds: readonly string[]): Promise<KeyName[]> {
  if (keyIds.length === 0) return [];
  const rows = await prisma().apiKey.findMany({
    where: { accountId, id: { in: [...keyIds] } },
    select: { id: true, name: true, last4: true, state: true },
  });
  const names = rows.map(({ id, name, last4, state }) => ({ keyId: id as KeyId, name, last4, isRevoked: state === "revoked" }));
  // Ids sort by time in ASCII order; a database's collation may differ.
  return names.sort((a, b) => (a.keyId < b.keyId ? 1 : -1));
}

/** True once the account has created a key, even if it is revoked. */
export async function hasMadeKey(accountId: AccountId): Promise<boolean> {
  return (await prisma().apiKey.findFirst({ where: { accountId }, select: { id: true } })) !== null;
}
