// One wallet of this browser that can pay USDC in, of either kind, as the page uses it.

import type { WalletHandle } from "../wallet-handle";

export interface Funds {
  /** Millionths of a USDC. */
  units: bigint;
  /** What it lacks for the chain's fee, in words. */
  feeProblem: string | null;
}

export type Place =
  /** Not known yet. */
  | { kind: "asking" }
  | { kind: "here" }
  /** Another chain than this service's: nothing may be sent. */
  | { kind: "elsewhere"; problem: string; canSwitch: boolean };

export interface PayingWallet {
  handle: WalletHandle;
  /** Where the wallet is. */
  place: Place;
  /** Null until they are read. */
  funds: Funds | null;
  /** Asks the wallet to change to this service's chain. */
  switchChain: () => Promise<void>;
  /**
   * Sends USDC to the deposit address; resolves when the chain has it. `onSent` is told the transaction's name before.
   * @throws the wallet's own error, or PaymentProblem; `payment-error.ts` puts both in words
   */
  pay: (units: bigint, onSent: (transaction: string) => void) => Promise<void>;
}

/** What went wrong, in words for the person who pays. */
export class PaymentProblem extends Error {}
