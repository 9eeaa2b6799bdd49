"use server";

// The playground's other server actions. A page of another session gets nothing.

import { requireOwnerOf } from "@/app/(console)/owner-actions";
import { readAvailable } from "@/lib/console/owner";
import { readReceipt } from "@/lib/console/usage/receipts";

/** The exact cost of an abandoned run; null while it is not decided, or when it cost nothing. */
export async function findCost(sessionId: unknown, requestId: unknown) {
  const authorized = await requireOwnerOf(sessionId);
  const receipt = authorized.ok ? await readReceipt(authorized.owner.accountId, requestId) : null;
  if (receipt?.state !== "charged") return null;
  const { inputTokens, outputTokens, inputCost, outputCost } = receipt;
  return { inputTokens, outputTokens, inputCost, outputCost };
}

/** The available balance, in nano-USD. */
export async function findAvailable(sessionId: unknown): Promise<bigint | null> {
  const authorized = await requireOwnerOf(sessionId);
  return authorized.ok ? readAvailable(authorized.owner.accountId) : null;
}
