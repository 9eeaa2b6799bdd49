"use server";

// What the playground asks beside its prompts.

import { requireOwner } from "@/app/(console)/require-owner";
import { readAvailable } from "@/lib/console/available";
import { readReceipt } from "@/lib/console/receipts";

/** The exact cost of a run that was left before its end; null while that is not decided, or when it cost nothing. */
export async function findCost(requestId: string) {
  const { accountId } = await requireOwner();
  const receipt = await readReceipt(accountId, requestId);
  if (receipt?.state !== "charged") return null;
  const { inputTokens, outputTokens, inputCost, outputCost } = receipt;
  return { inputTokens, outputTokens, inputCost, outputCost };
}

/** What can be spent now, in nano-USD. */
export async function findAvailable() {
  const { accountId } = await requireOwner();
  return readAvailable(accountId);
}
