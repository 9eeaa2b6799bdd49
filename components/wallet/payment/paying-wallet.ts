// One wallet of this browser that can deposit USDC, of either kind, as the page uses it.

import type { WalletHandle } from "../wallet-handle";

export interface Funds {
  /** Millionths of a USDC. */
  units: bigint;
  /** The message when it lacks the chain's fee; null when it does not. */
  feeProblem: string | null;
}

export type Place =
  /** Not known yet. */
  | { kind: "asking" }
  | { kind: "here" }
  /** On another chain than this service's: nothing may be sent. */
  | { kind: "elsewhere"; problem: string; canSwitch: boolean };

export interface PayingWallet {
  handle: WalletHandle;
  /** Which chain the wallet is on. */
  place: Place;
  /** Null until they are read. */
  funds: Funds | null;
  /** Asks the wallet to switch to this service's chain. */
  switchChain: () => Promise<void>;
  /**
   * Sends USDC to the deposit address; resolves when the chain has it. `onSent` gets the transaction's id before that.
   * @throws the wallet's own error, or PaymentProblem; `usePayment` has a message for both
   */
  pay: (units: bigint, onSent: (transaction: string) => void) => Promise<void>;
}

/** A failure, with a message for the person who pays. */
export class PaymentProblem extends Error {}
