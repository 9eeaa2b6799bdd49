// The label that pages show for a charge's key.

import { type KeyName, listKeyNames } from "@/lib/access/key-names";
import type { AccountId } from "@/lib/base/ids";

export interface KeyLabel {
  /** Two keys with the same name are distinguished by their last characters. */
  text: string;
  isRevoked: boolean;
}

/** Labels these keys; null and "" are charges without a key. A key that the account does not have is shown by its id. */
export async function readKeyLabels(accountId: AccountId, keyIds: Iterable<string | null>): Promise<(keyId: string | null) => KeyLabel> {
  const ids = [...new Set(keyIds)].filter((keyId) => keyId !== null && keyId !== "") as string[];
  const names = await listKeyNames(accountId, ids);
  const labels = new Map(names.map((key) => [key.keyId as string, labelOf(key, names)]));
  return (keyId) => labels.get(keyId ?? "") ?? { text: keyId || "Playground", isRevoked: false };
}

function labelOf({ keyId, name, last4, isRevoked }: KeyName, names: readonly KeyName[]): KeyLabel {
  const isShared = names.some((other) => other.keyId !== keyId && other.name === name);
  return { text: isShared ? `${name} …${last4}` : name, isRevoked };
}
