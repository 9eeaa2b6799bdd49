// The demo account of a sandbox: 25 USD that are worth nothing, and a key that works as pasted. Both last as long as the
// sandbox's data directory.

import { createAccount } from "@/lib/access/accounts";
import { authenticateKey } from "@/lib/access/authenticate";
import { createKey } from "@/lib/access/keys";
import { fromCents, nanoUsd } from "@/lib/base/money";
import { inTransaction } from "@/lib/db/pool";
import { openCustomerAccount, openFundingAccount } from "@/lib/ledger/accounts";
import { postTransfer } from "@/lib/ledger/transfers";

const DEMO_BALANCE = fromCents(2_500);
const FAUCET = "sandbox_faucet";

/** The demo key: the one that `known` names while it still works, else one of a new demo account. */
export async function openDemoAccount(known: string | undefined): Promise<string> {
  if (known && (await authenticateKey(known)).ok) return known;
  return inTransaction(async (transaction) => {
    const accountId = await createAccount(undefined, transaction);
    await openCustomerAccount(accountId, transaction);
    await openFundingAccount(FAUCET, transaction);
    await postTransfer(
      {
        id: `demo_${accountId}`,
        kind: "credit",
        legs: [
          { account: accountId, amount: DEMO_BALANCE },
          { account: FAUCET, amount: nanoUsd(-DEMO_BALANCE) },
        ],
      },
      transaction,
    );
    const { key } = await createKey({ accountId, name: "demo" }, transaction);
    return key;
  });
}
