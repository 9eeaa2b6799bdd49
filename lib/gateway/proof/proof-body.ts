// The payment object of a request: a wallet's signed proof, exactly as the contract writes it.

import { type Hex, isAddress } from "viem";
import { z } from "zod";
import { isRecord } from "@/lib/providers/wire-value";
import { itemWithFewFaults } from "../http/few-faults";
import { parseGiven, readIssues } from "../http/request";
import { paymentRefused } from "./refusal";

/** The ledger could not hold much more. */
const MAX_CENTS = 100_000_000_000;
/** The settlement contract accepts no longer signature. */
const MAX_SIGNATURE_BYTES = 4_096;
const LAST_TIMESTAMP = 253_402_300_799_999;

export const paymentSchema = z.strictObject({
  from: z
    .string()
    // viem keeps the last 8,192 texts that it was asked about, however long: none reaches it that has not the form of an address.
    .regex(/^0x[0-9a-fA-F]{40}$/, { error: "must be 0x and 40 hex digits", abort: true })
    .refine((address) => isAddress(address), "has a wrong checksum. Copy the address again, or use lower case"),
  amount: z.int("must be a whole number of cents").min(1, "must be at least 1 cent").max(MAX_CENTS, `must be at most ${MAX_CENTS} cents`),
  signature: z
    .string()
    .max(2 + 2 * MAX_SIGNATURE_BYTES, { error: `must be at most ${MAX_SIGNATURE_BYTES} bytes`, abort: true })
    .regex(/^0x([0-9a-fA-F]{2})+$/, "must be 0x and hex digits, as personal_sign returns it"),
  timestamp: z.int("must be whole milliseconds of Unix time").min(1, "must be Unix time in milliseconds").max(LAST_TIMESTAMP),
  requestId: z.string().regex(/^req_(0|[1-9][0-9]{0,30})$/, "must be req_ and a number without leading zeros, of at most 31 digits"),
  network: z.string().min(1, "must be ethereum or base").max(64, "must be at most 64 characters"),
});

/** A proof in its canonical form, whatever network alias it uses. */
export interface Proof {
  /** Lower case. */
  from: Hex;
  /** `req_N`. */
  requestId: string;
  requestNumber: bigint;
  cents: bigint;
  timestampMs: number;
  signature: Hex;
  /** As the client wrote it. */
  network: string;
}

/** @throws AppError PAYMENT_VERIFICATION_FAILED malformed */
export function readProof(given: unknown): Proof {
  const parsed = parseGiven(paymentSchema, itemWithFewFaults(paymentSchema, given));
  if (!parsed.success) {
    const issues = isRecord(given)
      ? readIssues(parsed.error, Object.keys(paymentSchema.shape))
      : [{ path: "", message: "must be a JSON object" }];
    const shown = issues.map(({ path, message }) => ({ path: path === "" ? "payment" : `payment.${path}`, message }));
    const [first] = shown;
    throw paymentRefused("malformed", first && `${first.path}: ${first.message}`, { issues: shown });
  }
  const { from, amount, signature, timestamp, requestId, network } = parsed.data;
  return {
    from: from.toLowerCase() as Hex,
    requestId,
    requestNumber: BigInt(requestId.slice("req_".length)),
    cents: BigInt(amount),
    timestampMs: timestamp,
    signature: signature.toLowerCase() as Hex,
    network,
  };
}

/**
 * The same object from the header Payment-Proof, for bodies that have no field for it: base64 of its JSON.
 * @throws AppError PAYMENT_VERIFICATION_FAILED malformed
 */
export function readProofHeader(header: string): unknown {
  try {
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) throw new SyntaxError("no base64");
    return JSON.parse(Buffer.from(header, "base64").toString("utf8"));
  } catch {
    throw paymentRefused("malformed", "Payment-Proof: must be base64-encoded JSON of the payment object");
  }
}
