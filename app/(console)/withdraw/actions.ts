"use server";

// The server actions of the withdraw page. Each checks the page's session, validates its input, and answers with a message.

import { revalidatePath } from "next/cache";
import type { Answer } from "@/lib/console/views/answer";
import { ownRulesForm, setConfirmedRules } from "@/lib/console/withdraw/own-rules";
import { cancelOwnWithdrawal, startOwnWithdrawal, takeOwnWithdrawal } from "@/lib/console/withdraw/withdraw";
import { signedOrderForm, withdrawalChoiceForm, withdrawalForm } from "@/lib/console/withdraw/withdraw-form";
import { readConfirmedWish, readWish } from "../owner-actions";

export async function startWithdrawal(sessionId: unknown, input: unknown) {
  const wish = await readWish(sessionId, withdrawalForm, input);
  return wish.ok ? startOwnWithdrawal(wish.owner, wish.form) : wish;
}

export async function takeWithdrawal(sessionId: unknown, input: unknown): Promise<Answer<{ id: string }>> {
  const wish = await readWish(sessionId, signedOrderForm, input);
  return wish.ok ? showWithdrawals(await takeOwnWithdrawal(wish.owner, wish.form)) : wish;
}

export async function cancelWithdrawal(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, withdrawalChoiceForm, input);
  return wish.ok ? showWithdrawals(await cancelOwnWithdrawal(wish.owner, wish.form.id)) : wish;
}

export async function setRules(sessionId: unknown, input: unknown, proof?: unknown): Promise<Answer> {
  const wish = await readConfirmedWish(sessionId, ownRulesForm, input, proof);
  return wish.ok ? showWithdrawals(await setConfirmedRules(wish.owner, wish.form, wish.proof)) : wish;
}

/** Re-renders the page with the answer: also after a refusal, since the page may be out of date. */
function showWithdrawals<Given extends Answer>(answer: Given): Given {
  revalidatePath("/withdraw");
  return answer;
}
