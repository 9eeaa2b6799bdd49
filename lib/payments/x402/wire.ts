// The forms of x402 version 2: what a server asks for, what a payer sends, and what is said of the settlement. Each travels as
// base64 of JSON, in a header of its own.

import { z } from "zod";

export const X402_VERSION = 2;

/** What is paid for. */
export const X402_PATH = "/api/v1/x402/prompt";

/** What one way of paying wants. Amounts are base units of the asset, as decimal digits. */
export interface PaymentRequirements {
  scheme: "exact";
  /** CAIP-2. */
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Readonly<Record<string, string>>;
}

export interface ResourceInfo {
  url: string;
  description: string;
  mimeType: string;
  serviceName: string;
}

export interface PaymentRequired {
  x402Version: typeof X402_VERSION;
  /** Why the payment that came, if one did, was not taken. */
  error: string;
  resource: ResourceInfo;
  accepts: readonly PaymentRequirements[];
}

export const digits = z.string().regex(/^(0|[1-9]\d{0,77})$/);

const requirementsForm = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: digits,
  asset: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.record(z.string(), z.unknown()).nullish(),
});

const payloadForm = z.object({
  x402Version: z.literal(X402_VERSION),
  resource: z.object({ url: z.string() }).nullish(),
  accepted: requirementsForm,
  payload: z.record(z.string(), z.unknown()),
});

/** What a payer chose among the requirements, and what it signed for them; `payload` is the scheme's own. */
export type PaymentPayload = z.infer<typeof payloadForm>;

/** What became of a payment, in the words of x402. */
export interface SettlementResponse {
  success: boolean;
  errorReason?: string;
  errorMessage?: string;
  payer?: string;
  /** The hash or signature by which the chain knows it; empty when there is none. */
  transaction: string;
  network: string;
  /** Base units of USDC that were moved. */
  amount?: string;
}

export const encodeHeader = (value: PaymentRequired | SettlementResponse): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64");

/** Reads a PAYMENT-SIGNATURE header; null when it holds no payment of this version. */
export function readPaymentHeader(header: string): PaymentPayload | null {
  // Buffer takes anything for base64: what is none becomes no JSON.
  try {
    return payloadForm.parse(JSON.parse(Buffer.from(header, "base64").toString("utf8")));
  } catch {
    return null;
  }
}
