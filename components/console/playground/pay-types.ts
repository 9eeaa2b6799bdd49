// What the playground needs to know to let a wallet pay for a prompt.

import type { DemoWallets, SignDemo } from "../../wallet/demo-wallet";
import type { SettlementTarget, WalletSettings } from "../../wallet/wallet-types";
import type { Answered } from "../use-action";
import type { SignedPayment } from "./run";

/** A payment that is still to be signed. */
export interface DrawnPayment extends Omit<SignedPayment, "signature"> {
  /** What the wallet shows and signs, to the letter. */
  text: string;
}

export type DrawPayment = (wish: { from: string; cents: number }) => Promise<Answered<{ payment: DrawnPayment }>>;

export interface WalletPaySettings {
  settings: WalletSettings;
  demo: DemoWallets | null;
  signDemo: SignDemo;
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
