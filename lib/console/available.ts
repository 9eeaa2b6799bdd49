// What an owner can spend now.

import type { AccountId } from "@/lib/base/ids";
import type { NanoUsd } from "@/lib/base/money";
import { readBalance } from "@/lib/ledger/accounts";

/** Nano-USD: what came in, less what was spent and what is held. */
export async function readAvailable(accountId: AccountId): Promise<NanoUsd> {
  return (await readBalance(accountId)).available;
}
