// The receipt of one request: what it cost, and how that was computed. Amounts are nano-USD.

import type { ChainId } from "@/lib/base/chains";
import type { KindName } from "@/lib/base/tokens/token-kinds";
import type { WhenLeft } from "@/lib/base/when-left";
import type { ChargeReceipt, HoldReceipt } from "@/lib/ledger/receipt";
import type { RequestPayment } from "@/lib/payments/claims/request-payment";

/** One kind of token of a charge: `tokens` at `price` make `due`. */
export interface CostLine {
  kind: KindName;
  tokens: number;
  price: bigint;
  due: bigint;
}

export interface RequestOfKey {
  requestId: string;
  startedAt: Date;
  key: string;
  isKeyRevoked: boolean;
}

export interface ChargedRequestReceipt extends RequestOfKey, Omit<ChargeReceipt, "keyId" | "prices"> {
  lines: CostLine[];
  /** The tokens times their prices. */
  due: bigint;
  /** The part that was paid: all of it, or less when the answer exceeded its hold. */
  cost: bigint;
  /** `due` − `cost`: the operator's share. */
  borne: bigint;
  /** The end of the stream after its client had left; null when the client stayed. */
  whenLeft: WhenLeft | null;
  /** The payment sent with the request; null when a balance paid. */
  payment: (Pick<RequestPayment, "network" | "payer" | "amount" | "transaction"> & { chain: ChainId }) | null;
}

export interface HeldRequestReceipt extends RequestOfKey, Omit<HoldReceipt, "keyId"> {}

export type RequestReceipt = ChargedRequestReceipt | HeldRequestReceipt;
