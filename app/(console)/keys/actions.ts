"use server";

// The server actions for API keys. Each checks the page's session, validates its input, and answers with a message.

import { revalidatePath } from "next/cache";
import { firstCalls, type KeyUse } from "@/app/first-call";
import { readSite } from "@/app/site";
import { createConfirmedKey, resumeConfirmedKey, rotateConfirmedKey, setConfirmedLimits } from "@/lib/console/keys/confirmed-keys";
import { keyChoiceForm, keyLimitsForm, keyNameForm, keyRotationForm, newKeyForm } from "@/lib/console/keys/key-form";
import { endOwnOldSecret, listOwnKeys, renameOwnKey, setOwnKeyState } from "@/lib/console/keys/keys";
import { defaultModelPrice, listModelPrices } from "@/lib/console/models";
import type { Answer } from "@/lib/console/views/answer";
import type { Snippet } from "@/lib/console/views/keys";
import { readConfirmedWish, readWish } from "../owner-actions";

type Created = Answer<{ key: string; snippets: Snippet[] }>;

/** The key in plain text, shown this once, and first calls with it. The page re-renders only after the person has stored it. */
export async function createKey(sessionId: unknown, input: unknown, proof?: unknown): Promise<Created> {
  const wish = await readConfirmedWish(sessionId, newKeyForm, input, proof);
  if (!wish.ok) return wish;
  const made = await createConfirmedKey(wish.owner, wish.form, wish.proof);
  return made.ok ? withSnippets({ key: made.key, models: wish.form.models, spends: wish.form.scopes.some(isSpending) }) : made;
}

const isSpending = (scope: string): boolean => scope === "prompt";

function withSnippets(use: KeyUse): Created {
  const prices = listModelPrices();
  const offered = { ids: prices.filter(({ type }) => type !== "embedding").map(({ id }) => id), usual: defaultModelPrice(prices).id };
  return { ok: true, key: use.key, snippets: firstCalls(readSite(), use, offered) };
}

/** The key's new secret, shown this once. */
export async function rotateKey(sessionId: unknown, input: unknown, proof?: unknown): Promise<Created> {
  const wish = await readConfirmedWish(sessionId, keyRotationForm, input, proof);
  if (!wish.ok) return wish;
  // Read first: a failure after the rotation would lose the only sight of the new secret.
  const known = (await listOwnKeys(wish.owner)).find(({ keyId }) => keyId === wish.form.keyId);
  const made = await rotateConfirmedKey(wish.owner, wish.form, wish.proof);
  if (!made.ok) return made;
  return withSnippets({ key: made.key, models: known?.models ?? null, spends: known?.scopes.some(isSpending) ?? true });
}

export async function endOldSecret(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, keyChoiceForm, input);
  return wish.ok ? showKeys(await endOwnOldSecret(wish.owner, wish.form.keyId)) : wish;
}

export async function renameKey(sessionId: unknown, input: unknown): Promise<Answer> {
  const wish = await readWish(sessionId, keyNameForm, input);
  return wish.ok ? showKeys(await renameOwnKey(wish.owner, wish.form)) : wish;
}

export async function changeKeyLimits(sessionId: unknown, input: unknown, proof?: unknown): Promise<Answer> {
  const wish = await readConfirmedWish(sessionId, keyLimitsForm, input, proof);
  return wish.ok ? showKeys(await setConfirmedLimits(wish.owner, wish.form, wish.proof)) : wish;
}

export async function pauseKey(sessionId: unknown, input: unknown): Promise<Answer> {
  return setState(sessionId, input, "paused");
}

export async function resumeKey(sessionId: unknown, input: unknown, proof?: unknown): Promise<Answer> {
  const wish = await readConfirmedWish(sessionId, keyChoiceForm, input, proof);
  return wish.ok ? showKeys(await resumeConfirmedKey(wish.owner, wish.form.keyId, wish.proof)) : wish;
}

export async function revokeKey(sessionId: unknown, input: unknown): Promise<Answer> {
  return setState(sessionId, input, "revoked");
}

async function setState(sessionId: unknown, input: unknown, state: "paused" | "revoked"): Promise<Answer> {
  const wish = await readWish(sessionId, keyChoiceForm, input);
  return wish.ok ? showKeys(await setOwnKeyState(wish.owner, wish.form.keyId, state)) : wish;
}

/** Re-renders the list with the answer: also after a refusal, since the list may be out of date. */
function showKeys(answer: Answer): Answer {
  revalidatePath("/keys");
  return answer;
}
