// What withdrawals are held against: limits and fees of the settings, in nano-USD.

import { config } from "@/lib/base/config";
import type { NanoUsd } from "@/lib/base/money";

/** How long a wallet is linked before money goes to it. The one that the account began with is paid at once. */
export const LINKED_SECONDS = 24 * 3_600;

/** Of an account, at a time. */
export const MAX_OPEN = 5;

export interface Fees {
  base: NanoUsd;
  solana: NanoUsd;
  /** On Solana, for a destination that has no account for USDC: with that account. */
  solanaWithAccount: NanoUsd;
}

export function readFees(): Fees {
  const { WITHDRAWAL_FEE_BASE_USD: base, WITHDRAWAL_FEE_SOLANA_USD: solana, WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD } = config();
  return { base, solana, solanaWithAccount: WITHDRAWAL_FEE_SOLANA_ACCOUNT_USD };
}

/** The least that may arrive. */
export const minWithdrawal = (): NanoUsd => config().WITHDRAWAL_MINIMUM_USD;

/** As `wallets_request_withdrawal` takes them. */
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
