"use server";

// The playground's other server actions. A page of another session gets nothing.

import { z } from "zod";
import { readConfirmedWish, requireOwnerOf } from "@/app/(console)/owner-actions";
import { readAvailable } from "@/lib/console/owner";
import { confirmSpending } from "@/lib/console/step-up";
import { readReceipt } from "@/lib/console/usage/receipts";
import type { Answer } from "@/lib/console/views/answer";

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

/** Runs above the daily limit, once a wallet has signed that. */
export async function allowSpending(sessionId: unknown, proof?: unknown): Promise<Answer> {
  const wish = await readConfirmedWish(sessionId, z.undefined(), undefined, proof);
  return wish.ok ? confirmSpending(wish.owner, wish.proof) : wish;
}
