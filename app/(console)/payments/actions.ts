"use server";

// The server actions for payments from the owner's wallets.

import { revalidatePath } from "next/cache";
import { drawnPaymentForm, drawPayment } from "@/lib/console/payments/payment-proof";
import { claimOwnCredit } from "@/lib/console/payments/payments";
import { walletForm } from "@/lib/console/settings-form";
import type { Answer } from "@/lib/console/views/answer";
import { readWish } from "../owner-actions";

/** Moves the amount that one of the owner's wallets has overpaid to the balance. */
export async function claimCredit(sessionId: unknown, input: unknown): Promise<Answer<{ amount: bigint }>> {
  const wish = await readWish(sessionId, walletForm, input);
  if (!wish.ok) return wish;
  const answer = await claimOwnCredit(wish.owner, wish.form);
  revalidatePath("/payments");
  return answer;
}

/** Drafts the payment that a wallet signs for a playground prompt. */
export async function drawOwnPayment(sessionId: unknown, input: unknown) {
  const wish = await readWish(sessionId, drawnPaymentForm, input);
  return wish.ok ? drawPayment(wish.owner, wish.form) : wish;
}
