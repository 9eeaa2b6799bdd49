"use server";

// What an owner changes in the settings. Each asks who is signed in, reads its input, and answers in words.

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { type Answer, readForm } from "@/lib/console/answer";
import { endEverySession, endOneSession, linkOwnWallet, setOwnLowBalance, startOwnLink, unlinkOwnWallet } from "@/lib/console/settings";
import { linkWalletForm, lowBalanceForm, sessionForm, startLinkForm, walletForm } from "@/lib/console/settings-form";
import { endOwnSession } from "@/lib/console/sign-out";
import { requireOwner } from "../require-owner";

export async function setLowBalance(input: unknown): Promise<Answer> {
  const owner = await requireOwner();
  const read = readForm(lowBalanceForm, input);
  return read.ok ? showSettings(await setOwnLowBalance(owner, read.form.amount)) : read;
}

export async function unlinkWallet(input: unknown): Promise<Answer> {
  const owner = await requireOwner();
  const read = readForm(walletForm, input);
  if (!read.ok) return read;
  const answer = await unlinkOwnWallet(owner, read.form);
  if (!answer.ok || !answer.signedOut) return showSettings(answer);
  await endOwnSession();
  redirect("/connect");
}

export async function startLink(input: unknown) {
  const owner = await requireOwner();
  const read = readForm(startLinkForm, input);
  return read.ok ? startOwnLink(owner, read.form) : read;
}

export async function linkWallet(input: unknown): Promise<Answer> {
  const owner = await requireOwner();
  const read = readForm(linkWalletForm, input);
  return read.ok ? showSettings(await linkOwnWallet(owner, read.form)) : read;
}

export async function endSession(input: unknown): Promise<Answer> {
  const owner = await requireOwner();
  const read = readForm(sessionForm, input);
  return read.ok ? showSettings(await endOneSession(owner, read.form.sessionId)) : read;
}

export async function signOutEverywhere(): Promise<never> {
  const owner = await requireOwner();
  await endEverySession(owner);
  await endOwnSession(); // takes the cookie back
  redirect("/connect");
}

/** Draws the page anew with the answer: also after a refusal, which may mean that it is out of date. */
function showSettings<Given extends Answer>(answer: Given): Given {
  revalidatePath("/settings");
  return answer;
}
