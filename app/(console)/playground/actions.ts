"use server";

// What the playground asks beside its prompts. A page of another session is told nothing.

import { requireOwnerOf } from "@/app/(console)/owner-actions";
import { readAvailable } from "@/lib/console/owner";
import { readReceipt } from "@/lib/console/usage/receipts";

/** The exact cost of a run that was left before its end; null while that is not decided, or when it cost nothing. */
export async function findCost(sessionId: unknown, requestId: unknown) {
  const asked = await requireOwnerOf(sessionId);
  const receipt = asked.ok ? await readReceipt(asked.owner.accountId, requestId) : null;
  if (receipt?.state !== "charged") return null;
  const { inputTokens, outputTokens, inputCost, outputCost } = receipt;
  return { inputTokens, outputTokens, inputCost, outputCost };
}

/** What can be spent now, in nano-USD. */
export async function findAvailable(sessionId: unknown): Promise<bigint | null> {
  const asked = await requireOwnerOf(sessionId);
  return asked.ok ? readAvailable(asked.owner.accountId) : null;
}
