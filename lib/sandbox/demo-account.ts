// The demo account of a sandbox: 25 test USD, a key that works when pasted, and the demo wallet that signs in to it. All last as long as
// the sandbox's data directory.

import { createAccount } from "@/lib/access/accounts";
import { authenticateKey } from "@/lib/access/authenticate";
import { addIdentity, findAccountOf, listIdentities, lockWallet } from "@/lib/access/identities";
import { createKey } from "@/lib/access/keys";
import { config } from "@/lib/base/config";
import type { AccountId } from "@/lib/base/ids";
import { fromCents, nanoUsd } from "@/lib/base/money";
import type { Wallet } from "@/lib/chains/wallet";
import { inTransaction, type Transaction } from "@/lib/db/prisma";
import { openCustomerAccount, openFundingAccount, readBalance } from "@/lib/ledger/accounts";
import { postTransfer } from "@/lib/ledger/transfers";
import { openWallet } from "@/lib/wallets/custody/custodial-wallet";

const DEMO_BALANCE = fromCents(2_500);
/** The funding account of grants, which exist in the ledger only; `back-grants.ts` backs them on a chain. */
const GRANTS = "sandbox_grants" as AccountId;

/** Sum of all grants, nano-USD. */
export async function readGranted(): Promise<bigint> {
  await openFundingAccount(GRANTS);
  return -(await readBalance(GRANTS)).posted;
}

/**
 * The demo key: `known` while it still works, otherwise a new key of the account that the demo wallets own, otherwise one of a new account.
 * An account without a wallet gets the demo wallets.
 */
export async function openDemoAccount(known: string | undefined, wallets: readonly Wallet[]): Promise<string> {
  const knownKey = known ? await authenticateKey(known) : null;
  const { accountId, apiKey } = await inTransaction(async (transaction) => {
    // Locked in address order, as linking does, so that concurrent starts find the account that the first of them opened.
    for (const wallet of wallets.toSorted((a, b) => (a.address < b.address ? -1 : 1))) await lockWallet(wallet, transaction);
    const knownAccount = knownKey?.ok ? knownKey.key.accountId : await findDemoAccount(wallets, transaction);
    const accountId = knownAccount ?? (await createDemoAccount(transaction));
    await giveDemoWallets(accountId, wallets, transaction);
    // Without the jobs role there may be no addresses yet; a start with it gives the account its own.
    if (config().ROLES.includes("jobs")) await openWallet(accountId, transaction);
    if (known && knownKey?.ok) return { accountId, apiKey: known };
    const { key } = await createKey({ accountId, name: "demo", scopes: ["prompt", "read", "account"] }, transaction);
    return { accountId, apiKey: key };
  });
  // A start that dies before this has not stored the key, so the next start makes the grant.
  if (apiKey !== known) await grant(accountId);
  return apiKey;
}

async function findDemoAccount(wallets: readonly Wallet[], transaction: Transaction): Promise<AccountId | null> {
  for (const wallet of wallets) {
    const accountId = await findAccountOf(wallet, transaction);
    if (accountId) return accountId;
  }
  return null;
}

async function createDemoAccount(transaction: Transaction): Promise<AccountId> {
  const accountId = await createAccount(undefined, transaction);
  await openCustomerAccount(accountId, transaction);
  return accountId;
}

/** Grants the account its 25 USD, once. */
async function grant(accountId: AccountId): Promise<void> {
  const legs = [
    { account: accountId, amount: DEMO_BALANCE },
    { account: GRANTS, amount: nanoUsd(-DEMO_BALANCE) },
  ];
  await openFundingAccount(GRANTS);
  await postTransfer({ id: `demo_${accountId}`, kind: "credit", legs });
}

// Only for an account without wallets: afterwards its owner decides, and an unlinked wallet stays unlinked. The caller has locked the
// wallets.
async function giveDemoWallets(accountId: AccountId, wallets: readonly Wallet[], transaction: Transaction): Promise<void> {
  if ((await listIdentities(accountId, transaction)).length > 0) return;
  for (const wallet of wallets) {
    // Recorded as the account's first wallets, so withdrawals may go to them immediately.
    if (!(await findAccountOf(wallet, transaction))) await addIdentity(accountId, wallet, true, transaction);
  }
}
