// What an account calls its keys, so that a charge can say which of them made it. Revoked keys keep their names.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";

export interface KeyName {
  keyId: KeyId;
  name: string;
  last4: string;
  isRevoked: boolean;
}

/** Those of `keyIds` that are or were the account's, the newest first. */
export async function listKeyNames(accountId: AccountId, keyIds: readonly string[]): Promise<KeyName[]> {
  if (keyIds.length === 0) return [];
  const rows = await prisma().apiKey.findMany({
    where: { accountId, id: { in: [...keyIds] } },
    select: { id: true, name: true, last4: true, state: true },
  });
  const names = rows.map(({ id, name, last4, state }) => ({ keyId: id as KeyId, name, last4, isRevoked: state === "revoked" }));
  // Ids are times, in an order of letters that is not every database's.
  return names.sort((a, b) => (a.keyId < b.keyId ? 1 : -1));
}

/** True once the account has made a key, whatever became of it. */
export async function hasMadeKey(accountId: AccountId): Promise<boolean> {
  return (await prisma().apiKey.findFirst({ where: { accountId }, select: { id: true } })) !== null;
}
