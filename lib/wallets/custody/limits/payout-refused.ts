// Why the signer does not pay an order.

import type { refusals } from "../wire/forms";

/**
 * signature: it does not match the order (another amount or destination), or no longer counts (a contract wallet changed its owners).
 * unavailable: the wallet is a contract, and no node answered. nonce: used with another text. limit: it would exceed the service's limit for
 * 24 hours. paid: on Solana, the transaction last signed for it paid it, or still could. order: it is for the other chain, pays to the
 * signer's own addresses, is not in whole units, or ends at another time than orders do. approval: it is above the line, and the operator's key did not sign
 * it. clock: the signer's clock stands before its last payout, or before the order was made. journal: the signer cannot write down what it pays. fees: it would cost more
 * than the signer spends on fees, or on the rent of token accounts, in 24 hours.
 */
export type Refusal = (typeof refusals)[number];

/** The signer refused, and signed nothing. */
export class PayoutRefused extends Error {
  /** @param why more than the refusal says, for logs */
  constructor(
    readonly refusal: Refusal,
    why?: string,
  ) {
    super(why ?? `The signer does not pay this order: ${refusal}.`);
    this.name = "PayoutRefused";
  }
}

/** True for a PayoutRefused of any copy of this module. */
export const isPayoutRefused = (error: unknown): error is PayoutRefused => error instanceof Error && error.name === "PayoutRefused";
