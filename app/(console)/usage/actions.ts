"use server";

// What the usage page asks for after it was drawn.

import { readReceipt } from "@/lib/console/usage/receipts";
import type { Answer } from "@/lib/console/views/answer";
import type { RequestReceipt } from "@/lib/console/views/receipts";
import { requireOwnerOf } from "../owner-actions";

/** The receipt of one of the owner's requests, or null. */
export async function findReceipt(sessionId: unknown, requestId: unknown): Promise<Answer<{ receipt: RequestReceipt | null }>> {
  const asked = await requireOwnerOf(sessionId);
  return asked.ok ? { ok: true, receipt: await readReceipt(asked.owner.accountId, requestId) } : asked;
}
