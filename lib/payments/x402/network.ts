// One network that x402 payments may come over, as the endpoint sees it.

import type { NanoUsd } from "@/lib/base/money";
import type { JsonObject, PaymentScheme } from "../claims/claim";
import type { PaymentPayload, PaymentRequirements } from "./wire";

/** The maximum cost of an answer, and the exact request that it is for. */
export interface Price {
  /** Base units of USDC, rounded up. */
  units: bigint;
  /** SHA-256 of method, path and body, lower-case hex. */
  bodyHash: string;
}

/** Why a payment is refused, as a reason of the API and as an error reason of x402. */
export interface PaymentRefusal {
  reason:
    | "malformed"
    | "bad_signature"
    | "expired"
    | "replayed"
    | "amount_too_low"
    | "amount_mismatch"
    | "network_unsupported"
    | "wallet_balance_too_low"
    | "settlement_failed";
  /** The `errorReason` in PAYMENT-RESPONSE. */
  errorReason: string;
  message: string;
}

/** A payment as it was read, before any call to the chain. */
export interface SignedPayment {
  /** Lower-case hex, or base58. */
  payer: string;
  /** The value that the chain accepts only once: the authorization's nonce, or the hash of the transaction's message. */
  nonce: string;
  amount: NanoUsd;
  /** The chain refuses the payment after this time. */
  validUntil: Date;
  /** Data that settling needs. */
  settlement: JsonObject;
}

export type ReadPayment = { kind: "read"; payment: SignedPayment } | { kind: "refused"; refusal: PaymentRefusal };

/** `unavailable`: the chain could not be reached, so the answer is unknown. */
export type PaymentVerdict = { kind: "good" } | { kind: "refused"; refusal: PaymentRefusal } | { kind: "unavailable" };

/** One network; each has its file, `evm.ts` or `svm.ts`. */
export interface X402Network {
  readonly scheme: Exclude<PaymentScheme, "proof">;
  /** CAIP-2. */
  readonly network: string;
  /** The answer of x402's facilitators here to a payment that moves another amount than it says that it accepted. */
  readonly amountMismatch: string;
  /**
   * The requirements that a payer must sign; null while nobody can pay here. Called for every unpaid request: it may query the database
   * once, and caches the result.
   */
  findRequirements(price: Price): Promise<PaymentRequirements | null>;
  /**
   * The same for a payment that was signed earlier, whether or not anybody can pay here now: a claimed payment must continue. Null when
   * nothing can have been signed for these.
   */
  findFormerRequirements(price: Price, accepted: PaymentPayload["accepted"]): Promise<PaymentRequirements | null>;
  /** Reads the scheme's own payload, against the requirements in `wanted` but for the amount. Makes no calls. */
  read(payload: Readonly<Record<string, unknown>>, wanted: PaymentRequirements): ReadPayment;
  /** Whether the payer signed it. Called each time the payment arrives. */
  verify(payment: SignedPayment): Promise<PaymentVerdict>;
  /** Whether it may still be claimed: valid now, and for long enough to be settled. Called before the first claim only. */
  checkTime(payment: SignedPayment): PaymentRefusal | null;
}
