"use server";

// The server actions for API keys. Each checks the page's session, validates its input, and answers with a message.

import { revalidatePath } from "next/cache";
import { curlPrompt } from "@/app/examples";
import { readSite } from "@/app/site";
import { keyChoiceForm, keyLimitsForm, keyNameForm, keyRotationForm, newKeyForm } from "@/lib/console/keys/key-form";
import { createOwnKey, endOwnOldSecret, renameOwnKey, rotateOwnKey, setOwnKeyLimits, setOwnKeyState } from "@/lib/console/keys/keys";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import type { Answer } from "@/lib/console/views/answer";
import { readWish } from "../owner-actions";

/** The key in plain text, shown this once, and a line to try it with. The page re-renders only after the person has stored both. */
export async function createKey(sessionId: unknown, input: unknown): Promise<Answer<{ key: string; curl: string }>> {
  const wish = await readWish(sessionId, newKeyForm, input);
  if (!wish.ok) return wish;
  const made = await createOwnKey(wish.owner, wish.form);
  if (!made.ok) return made;
  return withCurl(made.key, wish.form.models?.[0] ?? defaultModelPrice(listModelPrices()).id);
}

function withCurl(key: string, model: string): { ok: true; key: string; curl: string } {
  const site = readSite();
  return { ok: true, key, curl: curlPrompt(site, model).replace(`$${site.keyVariable}`, () => key) };
}

/** The key's new secret, shown this once. */
export async function rotateKey(sessionId: unknown, input: unknown): Promise<Answer<{ key: string; curl: string }>> {
  const wish = await readWish(sessionId, keyRotationForm, input);
  if (!wish.ok) return wish;
  const made = await rotateOwnKey(wish.owner, wish.form);
  return made.ok ? withCurl(made.key, defaultModelPrice(listModelPrices()).id) : made;
}

export async function endOldSecret(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, keyChoiceForm, input);
  return wish.ok ? showKeys(await endOwnOldSecret(wish.owner, wish.form.keyId)) : wish;
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
