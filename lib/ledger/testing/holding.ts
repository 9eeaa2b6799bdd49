// Holds and settlements as the request path asks for them, with what does not matter to a test filled in.

import { createHash } from "node:crypto";
import { type AccountId, type KeyId, newRequestId, type RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import type { ChargeDetails, Claim, Hold, Settlement } from "../holds";
import { chargeDetails } from "./books";

interface HoldOptions {
  key?: KeyId | null;
  /** An idempotency key. */
  idempotency?: string;
  /** What is asked under it. */
  body?: string;
  requestId?: RequestId;
}

/** A hold to be placed. */
export const newHold = (
  accountId: AccountId,
  ceiling: bigint | number,
  { key = null, idempotency, body, requestId }: HoldOptions = {},
): Hold => ({
  requestId: requestId ?? newRequestId(),
  accountId,
  keyId: key,
  model: "model",
  ceiling: nanoUsd(ceiling),
  claim: idempotency === undefined ? null : newClaim(idempotency, body),
  paidBy: "balance",
});

const newClaim = (key: string, body = "{}"): Claim => ({ key, bodyHash: createHash("sha256").update(body).digest() });

interface ChargeOptions {
  details?: Partial<ChargeDetails>;
  /** The answer that the hold's claim keeps. */
  body?: string;
}

/** Ends a hold with these costs, at a nano-USD a token. */
export const chargeOf = (
  hold: Hold,
  input: bigint | number,
  output: bigint | number,
  { details, body }: ChargeOptions = {},
): Settlement => ({
  hold,
  inputCost: nanoUsd(input),
  outputCost: nanoUsd(output),
  charge: { ...chargeDetails(Number(input), Number(output)), ...details },
  reply: body === undefined ? null : { status: 200, body },
});
