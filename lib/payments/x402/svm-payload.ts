// A payer's transaction on Solana, as it arrives and as a claim stores it.

import { z } from "zod";
import { MAX_TRANSACTION_BYTES } from "@/lib/chains/solana/message";
import type { JsonObject } from "../claims/claim";

export interface SvmSettlement {
  /** As the payer signed it: the fee payer's signature is missing. */
  bytes: Buffer;
  /** Ours, or the outside facilitator's. */
  feePayer: string;
}

const transaction = z.base64().max(Math.ceil(MAX_TRANSACTION_BYTES / 3) * 4);
const payloadForm = z.object({ transaction });
const keptForm = z.object({ transaction, feePayer: z.string() });

/** Null when it holds no transaction. */
export function readSvmPayload(payload: Readonly<Record<string, unknown>>): Buffer | null {
  const read = payloadForm.safeParse(payload);
  return read.success ? Buffer.from(read.data.transaction, "base64") : null;
}

export const writeSvmSettlement = ({ bytes, feePayer }: SvmSettlement): JsonObject => ({ transaction: bytes.toString("base64"), feePayer });

/** @throws Error when it is something else */
export function readSvmSettlement(settlement: JsonObject): SvmSettlement {
  const kept = keptForm.parse(settlement);
  return { bytes: Buffer.from(kept.transaction, "base64"), feePayer: kept.feePayer };
}
