// Customers with money, and keys to spend it, created as the product creates them.

import type { PoolClient } from "pg";
import { createAccount } from "@/lib/access/accounts";
import { type CapPeriod, createKey } from "@/lib/access/keys";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { openCustomerAccount, openFundingAccount } from "@/lib/ledger/accounts";
import { recordPriceVersions } from "@/lib/ledger/price-versions";
import { postTransfer } from "@/lib/ledger/transfers";
import { fillPrices } from "@/lib/providers/prices";
import { DEAR, dearPrice, unitPrice } from "./books";

const funding = "test_funding";

/** Prepares a database for customers: the account that their money comes from, and a price of one nano-USD per token. */
export async function openFunding(): Promise<void> {
  setSandboxPepper("a pepper for tests, of more than 32 characters");
  await openFundingAccount(funding);
  const unit = { input: nanoUsd(1), output: nanoUsd(1) };
  await recordPriceVersions([
    { id: unitPrice, model: "model", prices: fillPrices(unit) },
    { id: dearPrice, model: "model", prices: fillPrices({ ...unit, cacheRead: nanoUsd(DEAR), reasoning: nanoUsd(DEAR) }) },
  ]);
}

/** A new customer with this much money, and limits where they differ from the service's. */
export async function fundedAccount(amountNanoUsd: bigint | number, limits?: Parameters<typeof createAccount>[0]): Promise<AccountId> {
  const account = await createAccount(limits);
  await openCustomerAccount(account);
  if (BigInt(amountNanoUsd) !== 0n) await credit(account, amountNanoUsd);
  return account;
}

/** Credits money; posted once for each `id`. */
export const credit = (account: AccountId, amountNanoUsd: bigint | number, id = `credit of ${account}`): Promise<boolean> =>
  postTransfer({
    id,
    kind: "credit",
    legs: [
      { account, amount: nanoUsd(amountNanoUsd) },
      { account: funding, amount: nanoUsd(-BigInt(amountNanoUsd)) },
    ],
  });

/** The same, in the test's own transaction. */
export async function creditIn(client: PoolClient, account: AccountId, amountNanoUsd: number, id: string): Promise<boolean> {
  const legs = [
    { account, amount: amountNanoUsd },
    { account: funding, amount: -amountNanoUsd },
  ];
  const { rows } = await client.query<{ posted: boolean }>("SELECT ledger_post($1, 'credit', $2, now()) AS posted", [
    id,
    JSON.stringify(legs),
  ]);
  return rows[0]?.posted === true;
}

/** A key of the account, with a cap if one is given. */
export async function openKey(accountId: AccountId, cap?: { nanoUsd: number; period: CapPeriod }): Promise<KeyId> {
  const { keyId } = await createKey({ accountId, name: "test", cap: cap && { nanoUsd: nanoUsd(cap.nanoUsd), period: cap.period } });
  return keyId;
}
