// The playground's settings for paying with a wallet.

import type { Answer } from "@/lib/console/views/answer";
import type { DrawnPayment } from "@/lib/console/views/payments";
import type { SettlementTarget } from "@/lib/console/views/send-targets";
import type { WalletAccess } from "@/lib/console/views/wallet";

export type DrawPayment = (wish: { from: string; cents: number }) => Promise<Answer<{ payment: DrawnPayment }>>;

export interface WalletPaySettings {
  access: WalletAccess;
  target: SettlementTarget;
  /** The minimum payment, in USDC cents. */
  minimumCents: number;
  /** Addresses of the account's own Ethereum wallets: their overpayments go to its balance. */
  linked: readonly string[];
}

const NANO_PER_CENT = 10_000_000n;
const UNITS_PER_CENT = 10_000n;

/** The amount to sign for a prompt that costs at most `ceiling` nano-USD, in whole cents. */
export function centsFor(ceiling: bigint, minimumCents: number): number {
  return Math.max(minimumCents, Number((ceiling + NANO_PER_CENT - 1n) / NANO_PER_CENT));
}

export const centsToNano = (cents: number): bigint => BigInt(cents) * NANO_PER_CENT;
/** Millionths of a USDC. */
export const centsToUnits = (cents: number): bigint => BigInt(cents) * UNITS_PER_CENT;

/** The cure where the wallet has less USDC than it is to pay. A lower limit makes no payment smaller than the minimum. */
export const shortageCure = (cents: number, minimumCents: number): string =>
  `Add USDC to the wallet, ${cents > minimumCents ? "lower max tokens, " : ""}or use another wallet.`;
