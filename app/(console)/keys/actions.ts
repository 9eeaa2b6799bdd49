"use server";

// What an owner does to API keys. Each asks who is signed in, reads its input, and answers in words.

import { revalidatePath } from "next/cache";
import { curlPrompt, getExampleModel } from "@/app/examples";
import { readSite } from "@/app/site";
import { type Answer, readForm } from "@/lib/console/answer";
import { keyChoiceForm, keyLimitsForm, keyNameForm, newKeyForm } from "@/lib/console/key-form";
import { createOwnKey, renameOwnKey, setOwnKeyLimits, setOwnKeyState } from "@/lib/console/keys";
import { listModelPrices } from "@/lib/console/models";
import { requireOwner } from "../require-owner";

/** The key in clear, for the only time, and a line to try it with. The page is drawn anew only after both were stored. */
export async function createKey(input: unknown): Promise<Answer<{ key: string; curl: string }>> {
  const owner = await requireOwner();
  const read = readForm(newKeyForm, input);
  if (!read.ok) return read;
  const made = await createOwnKey(owner, read.form);
  if (!made.ok) return made;
  const site = readSite();
  const model = read.form.models?.[0] ?? getExampleModel(listModelPrices()).id;
  return { ...made, curl: curlPrompt(site, model).replace(`$${site.keyVariable}`, () => made.key) };
}

export async function renameKey(input: unknown): Promise<Answer> {
  const owner = await requireOwner();
  const read = readForm(keyNameForm, input);
  return read.ok ? showKeys(await renameOwnKey(owner, read.form)) : read;
}

export async function changeKeyLimits(input: unknown): Promise<Answer> {
  const owner = await requireOwner();
  const read = readForm(keyLimitsForm, input);
  return read.ok ? showKeys(await setOwnKeyLimits(owner, read.form)) : read;
}

export async function pauseKey(input: unknown): Promise<Answer> {
  return setState(input, "paused");
}

export async function resumeKey(input: unknown): Promise<Answer> {
  return setState(input, "active");
}

export async function revokeKey(input: unknown): Promise<Answer> {
  return setState(input, "revoked");
}

async function setState(input: unknown, state: "active" | "paused" | "revoked"): Promise<Answer> {
  const owner = await requireOwner();
  const read = readForm(keyChoiceForm, input);
  return read.ok ? showKeys(await setOwnKeyState(owner, read.form.keyId, state)) : read;
}

/** Draws the list anew with the answer: also after a refusal, which may mean that it is out of date. */
function showKeys(answer: Answer): Answer {
  revalidatePath("/keys");
  return answer;
}
