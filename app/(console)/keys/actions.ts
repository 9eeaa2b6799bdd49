"use server";

// The server actions for API keys. Each checks the page's session, validates its input, and answers with a message.

import { revalidatePath } from "next/cache";
import { curlPrompt } from "@/app/examples";
import { readSite } from "@/app/site";
import { keyChoiceForm, keyLimitsForm, keyNameForm, newKeyForm } from "@/lib/console/keys/key-form";
import { createOwnKey, renameOwnKey, setOwnKeyLimits, setOwnKeyState } from "@/lib/console/keys/keys";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import type { Answer } from "@/lib/console/views/answer";
import { readWish } from "../owner-actions";

/** The key in plain text, shown this once, and a line to try it with. The page re-renders only after the person has stored both. */
export async function createKey(sessionId: unknown, input: unknown): Promise<Answer<{ key: string; curl: string }>> {
  const wish = await readWish(sessionId, newKeyForm, input);
  if (!wish.ok) return wish;
  const made = await createOwnKey(wish.owner, wish.form);
  if (!made.ok) return made;
  const site = readSite();
  const model = wish.form.models?.[0] ?? defaultModelPrice(listModelPrices()).id;
  return { ...made, curl: curlPrompt(site, model).replace(`$${site.keyVariable}`, () => made.key) };
}

export async function renameKey(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, keyNameForm, input);
  return wish.ok ? showKeys(await renameOwnKey(wish.owner, wish.form)) : wish;
}

export async function changeKeyLimits(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, keyLimitsForm, input);
  return wish.ok ? showKeys(await setOwnKeyLimits(wish.owner, wish.form)) : wish;
}

export async function pauseKey(sessionId: unknown, input: unknown): Promise<Answer> {
  return setState(sessionId, input, "paused");
}

export async function resumeKey(sessionId: unknown, input: unknown): Promise<Answer> {
  return setState(sessionId, input, "active");
}

export async function revokeKey(sessionId: unknown, input: unknown): Promise<Answer> {
  return setState(sessionId, input, "revoked");
}

async function setState(sessionId: unknown, input: unknown, state: "active" | "paused" | "revoked"): Promise<Answer> {
  const wish = await readWish(sessionId, keyChoiceForm, input);
  return wish.ok ? showKeys(await setOwnKeyState(wish.owner, wish.form.keyId, state)) : wish;
}

/** Re-renders the list with the answer: also after a refusal, since the list may be out of date. */
function showKeys(answer: Answer): Answer {
  revalidatePath("/keys");
  return answer;
}
