// What the playground needs to know to let a wallet pay for a prompt.

import type { Answer } from "@/lib/console/views/answer";
import type { DrawnPayment } from "@/lib/console/views/payments";
import type { SettlementTarget } from "@/lib/console/views/send-targets";
import type { WalletAccess } from "@/lib/console/views/wallet";

export type DrawPayment = (wish: { from: string; cents: number }) => Promise<Answer<{ payment: DrawnPayment }>>;

export interface WalletPaySettings {
  access: WalletAccess;
  target: SettlementTarget;
  /** The least that may be signed, in USDC cents. */
  minimumCents: number;
  /** Addresses of the account's own Ethereum wallets: what they pay too much is in its balance. */
  linked: readonly string[];
}

const NANO_PER_CENT = 10_000_000n;
const UNITS_PER_CENT = 10_000n;

/** What must be signed for a prompt that costs at most `ceiling` nano-USD: whole cents. */
export function centsFor(ceiling: bigint, minimumCents: number): number {
  return Math.max(minimumCents, Number((ceiling + NANO_PER_CENT - 1n) / NANO_PER_CENT));
}

export const centsToNano = (cents: number): bigint => BigInt(cents) * NANO_PER_CENT;
/** Millionths of a USDC. */
export const centsToUnits = (cents: number): bigint => BigInt(cents) * UNITS_PER_CENT;
