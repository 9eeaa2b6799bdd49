// One network that x402 payments may come over, as the endpoint sees it.

import type { NanoUsd } from "@/lib/base/money";
import type { JsonObject, PaymentScheme } from "../claims/claim";
import type { PaymentPayload, PaymentRequirements } from "./wire";

/** The maximal cost of an answer, and the very request that it is for. */
export interface Price {
  /** Base units of USDC, rounded up. */
  units: bigint;
  /** SHA-256 of method, path and body, lower-case hex. */
  bodyHash: string;
}

/** Why a payment is not taken, in the API's own words, and in those that x402's clients know. */
export interface PaymentRefusal {
  reason:
    | "malformed"
    | "bad_signature"
    | "expired"
    | "replayed"
    | "amount_too_low"
    | "network_unsupported"
    | "wallet_balance_too_low"
    | "settlement_failed";
  /** As `errorReason` of PAYMENT-RESPONSE says it. */
  errorReason: string;
  message: string;
}

/** A payment as it was read; nothing of it has been asked of anybody. */
export interface SignedPayment {
  /** Lower-case hex, or base58. */
  payer: string;
  /** What the chain lets happen once: the authorization's nonce, or the transaction's message, as its hash. */
  nonce: string;
  amount: NanoUsd;
  /** After it the chain refuses the payment. */
  validUntil: Date;
  /** What settling needs. */
  settlement: JsonObject;
}

export type ReadPayment = { kind: "read"; payment: SignedPayment } | { kind: "refused"; refusal: PaymentRefusal };

/** `unavailable`: the chain could not be asked, so nobody knows. */
export type PaymentVerdict = { kind: "good" } | { kind: "refused"; refusal: PaymentRefusal } | { kind: "unavailable" };

/** One file for each: `evm.ts`, `svm.ts`. */
export interface X402Network {
  readonly scheme: Exclude<PaymentScheme, "proof">;
  /** CAIP-2. */
  readonly network: string;
  /** What a payer must sign; null while nobody could pay here. Called for every unpaid request: it may ask the database once, and keeps what it learns. */
  findRequirements(price: Price): Promise<PaymentRequirements | null>;
  /**
   * The same for a payment that was signed before, whether anybody could pay here now or not: so that one that was claimed goes on. Null
   * when nothing can have been signed for these.
   */
  findFormerRequirements(price: Price, accepted: PaymentPayload["accepted"]): Promise<PaymentRequirements | null>;
  /** Reads the scheme's own payload, for requirements that were accepted as `wanted` says. Asks nobody. */
  read(payload: Readonly<Record<string, unknown>>, wanted: PaymentRequirements): ReadPayment;
  /** Whether the payer signed it. Asked each time that it comes. */
  verify(payment: SignedPayment): Promise<PaymentVerdict>;
  /** Whether it may still be claimed: valid now, and for long enough to be settled. Asked before the first claim only. */
  checkTime(payment: SignedPayment): PaymentRefusal | null;
}
