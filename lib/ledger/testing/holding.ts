// Holds and settlements as the request path submits them, with defaults for what does not matter to a test.

import { createHash } from "node:crypto";
import { type AccountId, type KeyId, newRequestId, type RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import type { Settlement } from "../commit/codec";
import type { Claim, Hold } from "../holds";
import { chargeDetails, type TestDetails } from "./books";

interface HoldOptions {
  key?: KeyId | null;
  /** An idempotency key. */
  idempotency?: string;
  /** The request body under that key. */
  body?: string;
  requestId?: RequestId;
}

const newClaim = (key: string, body = "{}"): Claim => ({ key, bodyHash: createHash("sha256").update(body).digest() });

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

interface ChargeOptions {
  details?: TestDetails;
  /** The answer that the hold's claim keeps. */
  body?: string;
}

/** Ends a hold with these costs, at one nano-USD per token. */
export const chargeOf = (
  hold: Hold,
  input: bigint | number,
  output: bigint | number,
  { details, body }: ChargeOptions = {},
): Settlement => ({
  hold,
  inputCost: nanoUsd(input),
  outputCost: nanoUsd(output),
  charge: chargeDetails(Number(input), Number(output), details),
  reply: body === undefined ? null : { status: 200, body },
});
