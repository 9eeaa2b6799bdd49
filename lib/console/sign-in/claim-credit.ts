// Credit that payments left at a wallet's address moves to the account once the wallet belongs to it.

import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import type { Wallet } from "@/lib/chains/wallet";
import { claimCredit } from "@/lib/payments/claims/credits";

/** Moves the credit of a wallet that has just signed in or was linked. That is done already: on failure the next sign-in retries. */
export async function claimCreditOf(wallet: Wallet, accountId: AccountId): Promise<void> {
  await claimCredit(accountId, wallet).catch((error: unknown) =>
    log().error({ err: error, accountId }, "could not move a wallet's credit to its account; the next sign-in retries"),
  );
}
