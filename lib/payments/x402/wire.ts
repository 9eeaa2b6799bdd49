// The wire format of x402 version 2: a server's requirements, a payer's payment, and the settlement's outcome. Each travels as base64 of
// JSON, in its own header.

import { z } from "zod";
import type { Json } from "@/lib/base/json";

export const X402_VERSION = 2;

/** The paid endpoint. */
export const X402_PATH = "/api/v1/x402/prompt";

/** The requirements of one way to pay. Amounts are base units of the asset, as decimal digits. */
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
  /** Why the payment was refused, if one came. */
  error: string;
  resource: ResourceInfo;
  accepts: readonly PaymentRequirements[];
  /** Further offers to a client, each by its name: `info`, and a JSON Schema of the client's part. */
  extensions: Readonly<Record<string, Json>>;
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
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

/** The requirements that a payer chose, and its signed payment for them; `payload` is the scheme's own. */
export type PaymentPayload = z.infer<typeof payloadForm>;

/** The outcome of a payment, in x402's terms. */
export interface SettlementResponse {
  success: boolean;
  errorReason?: string;
  errorMessage?: string;
  payer?: string;
  /** The chain's hash or signature of the transaction; empty when there is none. */
  transaction: string;
  network: string;
  /** Base units of USDC that were moved. */
  amount?: string;
}

export const encodeHeader = (value: PaymentRequired | SettlementResponse): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64");

/** Reads a PAYMENT-SIGNATURE header; null when it holds no payment of this version. */
export function readPaymentHeader(header: string): PaymentPayload | null {
  // Buffer decodes any text as base64: invalid input fails as JSON.
  try {
    return payloadForm.parse(JSON.parse(Buffer.from(header, "base64").toString("utf8")));
  } catch {
    return null;
  }
}
