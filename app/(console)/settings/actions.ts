"use server";

// The server actions of the settings page. Each checks the page's session, validates its input, and answers with a message.

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { z } from "zod";
import { closeOwnAccount } from "@/lib/console/close-account";
import {
  endEverySession,
  endOneSession,
  keepOwnWallet,
  linkOwnWallet,
  proveOwnJoin,
  startOwnLink,
  unlinkOwnWallet,
} from "@/lib/console/settings";
import { endAllForm, proveJoinForm, sessionForm, walletForm } from "@/lib/console/settings-form";
import { proofSchema } from "@/lib/console/sign-in/auth-options";
import { endOwnSession } from "@/lib/console/sign-in/sign-out";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import { readConfirmedWish, readWish } from "../owner-actions";

export async function keepWallet(sessionId: unknown, input: unknown, proof?: unknown): Promise<Answer> {
  const wish = await readConfirmedWish(sessionId, walletForm, input, proof);
  return wish.ok ? showSettings(await keepOwnWallet(wish.owner, wish.form, wish.proof)) : wish;
}

/** Returns only a refusal: without its sessions the account has no page to return to. */
export async function closeAccount(sessionId: unknown, proof?: unknown): Promise<Refusal> {
  const wish = await readConfirmedWish(sessionId, z.undefined(), undefined, proof);
  if (!wish.ok) return wish;
  const answer = await closeOwnAccount(wish.owner, wish.proof);
  if (!answer.ok) return answer;
  await endOwnSession();
  redirect("/connect?ended=closed");
}

export async function unlinkWallet(sessionId: unknown, input: unknown, proof?: unknown): Promise<Answer> {
  const wish = await readConfirmedWish(sessionId, walletForm, input, proof);
  if (!wish.ok) return wish;
  const answer = await unlinkOwnWallet(wish.owner, wish.form, wish.proof);
  if (!answer.ok || !answer.signedOut) return showSettings(answer);
  await endOwnSession();
  redirect("/connect");
}

export async function startLink(sessionId: unknown, input: unknown) {
  const wish = await readWish(sessionId, walletForm, input);
  return wish.ok ? startOwnLink(wish.owner, wish.form) : wish;
}

export async function proveJoin(sessionId: unknown, input: unknown) {
  const wish = await readWish(sessionId, proveJoinForm, input);
  return wish.ok ? proveOwnJoin(wish.owner, wish.form) : wish;
}

export async function linkWallet(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, proofSchema, input);
  return wish.ok ? showSettings(await linkOwnWallet(wish.owner, wish.form)) : wish;
}

export async function endSession(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, sessionForm, input);
  return wish.ok ? showSettings(await endOneSession(wish.owner, wish.form.sessionId)) : wish;
}

/** Redirects to the sign-in page. */
export async function signOutEverywhere(sessionId: unknown, input: unknown): Promise<Refusal> {
  const wish = await readWish(sessionId, endAllForm, input);
  if (!wish.ok) return wish;
  await endEverySession(wish.owner, wish.form);
  await endOwnSession(); // deletes the cookie
  redirect("/connect");
}

/** Re-renders the page with the answer: also after a refusal, since the page may be out of date. */
function showSettings<Given extends Answer>(answer: Given): Given {
  revalidatePath("/settings");
  return answer;
}
