// A page's actions work only for the session that the page was rendered for: a sign-in in another tab replaces the cookie of every
// tab.

import type { ZodType } from "zod";
import { readForm, refuse } from "@/lib/console/answer";
import { countChange } from "@/lib/console/change-limit";
import type { Owner } from "@/lib/console/owner";
import { confirmationForm, type Proof } from "@/lib/console/step-up";
import type { Answer } from "@/lib/console/views/answer";
import { requireOwner } from "./require-owner";

type Bound<Action> = Action extends (sessionId: unknown, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** The actions as a page passes them on: each is bound to the session that the page was rendered for. */
export function forSession<Actions extends Record<string, (sessionId: unknown, ...rest: never[]) => unknown>>(
  { sessionId }: Owner,
  actions: Actions,
) {
  const bound = Object.entries(actions).map(([name, action]) => [name, action.bind(null, sessionId)]);
  return Object.fromEntries(bound) as { [Name in keyof Actions]: Bound<Actions[Name]> };
}

/**
 * The owner, if the page's session `sessionId` is still the browser's and has not acted too often; without a session it redirects to
 * sign-in.
 */
export async function requireOwnerOf(sessionId: unknown): Promise<Answer<{ owner: Owner }>> {
  const owner = await requireOwner();
  if (owner.sessionId !== sessionId) return refuse("You are signed in with another wallet in another tab. Load this page again.");
  return (await countChange(owner)) ?? { ok: true, owner };
}

/** The same, with the parsed form. */
export async function readWish<Form>(
  sessionId: unknown,
  form: ZodType<Form>,
  input: unknown,
): Promise<Answer<{ owner: Owner; form: Form }>> {
  const authorized = await requireOwnerOf(sessionId);
  if (!authorized.ok) return authorized;
  const read = readForm(form, input);
  return read.ok ? { ...authorized, form: read.form } : read;
}

/** The same, with the signature that confirms it, if the page sent one. */
export async function readConfirmedWish<Form>(
  sessionId: unknown,
  form: ZodType<Form>,
  input: unknown,
  proof: unknown,
): Promise<Answer<{ owner: Owner; form: Form; proof: Proof | null }>> {
  const wish = await readWish(sessionId, form, input);
  if (!wish.ok) return wish;
  const confirmed = readForm(confirmationForm, proof);
  return confirmed.ok ? { ...wish, proof: confirmed.form } : confirmed;
}
