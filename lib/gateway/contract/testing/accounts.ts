// Customers for the contract suite: an account with money and a key.

import { createAccount } from "@/lib/access/accounts";
import { createKey } from "@/lib/access/keys";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { nanoUsd, parseUsd } from "@/lib/base/money";
import { openCustomerAccount, openFundingAccount } from "@/lib/ledger/accounts";
import { postTransfer } from "@/lib/ledger/transfers";

export interface TestAccount {
  accountId: AccountId;
  keyId: KeyId;
  key: string;
  /** The amount paid in, nano-USD. */
  credit: bigint;
}

interface TestAccountOptions {
  usd?: string;
  /** Null for the service's own limits. */
  limits?: { ratePerMinute: number; concurrency: number } | null;
  key?: Omit<Parameters<typeof createKey>[0], "accountId" | "name">;
}

/** Opens an account with `usd` on it (5 by default) and a key. */
export async function openAccount({
  usd = "5",
  limits = { ratePerMinute: 10_000, concurrency: 100 },
  key = {},
}: TestAccountOptions = {}): Promise<TestAccount> {
  const accountId = await createAccount(limits ?? undefined);
  await openCustomerAccount(accountId);
  await openFundingAccount("test_funding");
  const credit = parseUsd(usd);
  const legs = [
    { account: accountId, amount: credit },
    { account: "test_funding", amount: nanoUsd(-credit) },
  ];
  if (credit > 0n) await postTransfer({ id: `credit_${accountId}`, kind: "credit", legs });
  return { accountId, credit, ...(await createKey({ accountId, name: "test", scopes: ["prompt", "read", "account"], ...key })) };
}
