"use server";

// The server action of every page whose actions may ask for a signature.

import { confirmationWish, startConfirmation } from "@/lib/console/step-up";
import { readWish } from "./owner-actions";

/** The text for a linked wallet to sign. */
export async function requestConfirmation(sessionId: unknown, input: unknown) {
  const wish = await readWish(sessionId, confirmationWish, input);
  return wish.ok ? startConfirmation(wish.owner, wish.form) : wish;
}
