// Limits and fees of withdrawals, from the settings, in nano-USD.

import { config } from "@/lib/base/config";
import type { NanoUsd } from "@/lib/base/money";

/** How long a wallet must be linked before it can be paid. The account's first wallet can be paid immediately. */
export const LINKED_SECONDS = 24 * 3_600;

/** Open withdrawals per account. */
export const MAX_OPEN = 5;

export interface Fees {
  base: NanoUsd;
  solana: NanoUsd;
  /** On Solana, for a destination without a USDC account: includes its creation. */
  solanaWithAccount: NanoUsd;
}

export function readFees(): Fees {
  const { WITHDRAWAL_FEE_BASE_USD: base, WITHDRAWAL_FEE_SOLANA_USD: solana, WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD } = config();
  return { base, solana, solanaWithAccount: WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD };
}

/** The minimum amount that may arrive. */
export const minWithdrawal = (): NanoUsd => config().WITHDRAWAL_MINIMUM_USD;

/** The rules in the format of `wallets_request_withdrawal`. */
export function writeRules(): string {
  const { WITHDRAWAL_DAILY_LIMIT_USD, WITHDRAWAL_SERVICE_DAILY_LIMIT_USD, WITHDRAWAL_APPROVAL_ABOVE_USD } = config();
  return JSON.stringify({
    accountDaily: `${WITHDRAWAL_DAILY_LIMIT_USD}`,
    serviceDaily: `${WITHDRAWAL_SERVICE_DAILY_LIMIT_USD}`,
    approvalAbove: `${WITHDRAWAL_APPROVAL_ABOVE_USD}`,
    maxOpen: MAX_OPEN,
    linkedSeconds: LINKED_SECONDS,
  });
}
