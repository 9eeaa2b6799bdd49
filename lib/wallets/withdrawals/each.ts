// One withdrawal that cannot be dealt with keeps no other from being paid.

import { log } from "@/lib/base/observe/log";
import type { OpenWithdrawal } from "./withdrawal";

/** Does `work` for one after the other; what goes wrong with one is logged, and the next round tries it again. */
export async function forEachIsolated(
  withdrawals: readonly OpenWithdrawal[],
  work: (withdrawal: OpenWithdrawal) => Promise<unknown>,
): Promise<void> {
  for (const withdrawal of withdrawals) {
    try {
      await work(withdrawal);
    } catch (error) {
      log().error({ err: error, withdrawal: withdrawal.id }, "a withdrawal could not be dealt with; it is tried again");
    }
  }
}
