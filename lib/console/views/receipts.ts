// The receipt of one request: what it cost, and how that came about. Amounts are nano-USD.

import type { ChargeReceipt, HoldReceipt } from "@/lib/ledger/receipt";
import type { RequestPayment } from "@/lib/payments/claims/request-payment";

/** One side of a charge: `tokens` at `price` are `due`. */
export interface CostLine {
  side: "input" | "output";
  tokens: number;
  price: bigint;
  due: bigint;
}

export interface RequestOfKey {
  requestId: string;
  key: string;
  isKeyRevoked: boolean;
}

export interface ChargedRequestReceipt extends RequestOfKey, Omit<ChargeReceipt, "keyId" | "inputPrice" | "outputPrice"> {
  lines: CostLine[];
  /** What the tokens come to at their prices. */
  due: bigint;
  /** What was paid of it: all, or less when the answer ran over its hold. */
  cost: bigint;
  /** `due` − `cost`: what the operator bears. */
  borne: bigint;
  /** The payment that came with it; null when a balance paid. */
  payment: Pick<RequestPayment, "network" | "payer" | "amount" | "transaction"> | null;
}

export interface HeldRequestReceipt extends RequestOfKey, Omit<HoldReceipt, "keyId"> {}

export type RequestReceipt = ChargedRequestReceipt | HeldRequestReceipt;
