// The fees and limits of withdrawals, for readers without an account.

import { config } from "@/lib/base/config";
import type { NanoUsd } from "@/lib/base/money";
import { type Fees, minWithdrawal, readFees } from "@/lib/wallets/withdrawals/rules";

export interface WithdrawalTerms {
  /** All in nano-USD. */
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
