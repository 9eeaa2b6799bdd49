// What a wallet's payments left at its address becomes the account's once the wallet is.

import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import type { Wallet } from "@/lib/chains/wallet";
import { claimCredit } from "@/lib/payments/claims/credits";

/** Moves the credit of a wallet that has just signed in or was linked. That stands already: what fails here is left to the next sign-in. */
export async function claimCreditOf(wallet: Wallet, accountId: AccountId): Promise<void> {
  await claimCredit(accountId, wallet).catch((error: unknown) =>
    log().error({ err: error, accountId }, "a wallet's credit was not moved to its account; its next sign-in tries again"),
  );
}
