"use server";

// What the usage page asks for after it was drawn.

import { type RequestReceipt, readReceipt } from "@/lib/console/receipts";
import { requireOwner } from "../require-owner";

/** The receipt of one of the owner's requests, or null. */
export async function findReceipt(requestId: unknown): Promise<RequestReceipt | null> {
  const { accountId } = await requireOwner();
  return readReceipt(accountId, requestId);
}
