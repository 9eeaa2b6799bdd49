"use server";

// The server action of the usage page.

import { readReceipt } from "@/lib/console/usage/receipts";
import type { Answer } from "@/lib/console/views/answer";
import type { RequestReceipt } from "@/lib/console/views/receipts";
import { requireOwnerOf } from "../owner-actions";

/** The receipt of one of the owner's requests, or null. */
export async function findReceipt(sessionId: unknown, requestId: unknown): Promise<Answer<{ receipt: RequestReceipt | null }>> {
  const authorized = await requireOwnerOf(sessionId);
  return authorized.ok ? { ok: true, receipt: await readReceipt(authorized.owner.accountId, requestId) } : authorized;
}
