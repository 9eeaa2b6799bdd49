"use server";

// The playground's other server actions. A page of another session gets nothing.

import { z } from "zod";
import { readConfirmedWish, requireOwnerOf } from "@/app/(console)/owner-actions";
import { nowMs } from "@/lib/base/clock";
import { readAvailable } from "@/lib/console/owner";
import { confirmSpending } from "@/lib/console/step-up";
import { readReceipt } from "@/lib/console/usage/receipts";
import type { Answer } from "@/lib/console/views/answer";

/** The recorded state of a run: its exact cost, or until when it may go on. Null when it cost nothing. */
export async function findCost(sessionId: unknown, requestId: unknown) {
  const authorized = await requireOwnerOf(sessionId);
  const found = authorized.ok ? await readReceipt(authorized.owner.accountId, requestId) : null;
  if (!found) return null;
  if (found.state === "in_progress") return { state: found.state, endsInMs: found.deadline.getTime() - nowMs() };
  const { state, inputTokens, outputTokens, inputCost, outputCost, borne } = found;
  const lines = found.lines.map(({ kind, tokens, due }) => ({ kind, tokens, due }));
  return { state, receipt: { inputTokens, outputTokens, inputCost, outputCost, lines, borne } };
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
