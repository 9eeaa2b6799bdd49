// What withdrawals cost here and how much may go out, for whoever reads about them before they have an account.

import { config } from "@/lib/base/config";
import type { NanoUsd } from "@/lib/base/money";
import { type Fees, minWithdrawal, readFees } from "@/lib/wallets/withdrawals/rules";

export interface WithdrawalTerms {
  /** nano-USD, all of them. */
  fees: Fees;
  least: NanoUsd;
  mostADay: NanoUsd;
  approvalAbove: NanoUsd;
}

export function readWithdrawalTerms(): WithdrawalTerms {
  const { WITHDRAWAL_DAILY_LIMIT_USD, WITHDRAWAL_APPROVAL_ABOVE_USD } = config();
  return {
    fees: readFees(),
    least: minWithdrawal(),
    mostADay: WITHDRAWAL_DAILY_LIMIT_USD,
    approvalAbove: WITHDRAWAL_APPROVAL_ABOVE_USD,
  };
}
