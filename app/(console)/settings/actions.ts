"use server";

// What an owner changes in the settings. Each asks whose page this is, reads its input, and answers in words.

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { endEverySession, endOneSession, linkOwnWallet, setOwnLowBalance, startOwnLink, unlinkOwnWallet } from "@/lib/console/settings";
import { linkWalletForm, lowBalanceForm, sessionForm, startLinkForm, walletForm } from "@/lib/console/settings-form";
import { endOwnSession } from "@/lib/console/sign-in/sign-out";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import { readWish, requireOwnerOf } from "../owner-actions";

export async function setLowBalance(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, lowBalanceForm, input);
  return wish.ok ? showSettings(await setOwnLowBalance(wish.owner, wish.form.amount)) : wish;
}

export async function unlinkWallet(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, walletForm, input);
  if (!wish.ok) return wish;
  const answer = await unlinkOwnWallet(wish.owner, wish.form);
  if (!answer.ok || !answer.signedOut) return showSettings(answer);
  await endOwnSession();
  redirect("/connect");
}

export async function startLink(sessionId: unknown, input: unknown) {
  const wish = await readWish(sessionId, startLinkForm, input);
  return wish.ok ? startOwnLink(wish.owner, wish.form) : wish;
}

export async function linkWallet(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, linkWalletForm, input);
  return wish.ok ? showSettings(await linkOwnWallet(wish.owner, wish.form)) : wish;
}

export async function endSession(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, sessionForm, input);
  return wish.ok ? showSettings(await endOneSession(wish.owner, wish.form.sessionId)) : wish;
}

/** Leads to the page where one signs in. */
export async function signOutEverywhere(sessionId: unknown): Promise<Refusal> {
  const asked = await requireOwnerOf(sessionId);
  if (!asked.ok) return asked;
  await endEverySession(asked.owner);
  await endOwnSession(); // takes the cookie back
  redirect("/connect");
}

/** Draws the page anew with the answer: also after a refusal, which may mean that it is out of date. */
function showSettings<Given extends Answer>(answer: Given): Given {
  revalidatePath("/settings");
  return answer;
}
