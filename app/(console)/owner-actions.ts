// What a page lets its owner do, it does for the session that the page was drawn for and for no other: a sign-in in another tab
// replaces the cookie of every tab.

import type { ZodType } from "zod";
import { readForm, refuse } from "@/lib/console/answer";
import type { Owner } from "@/lib/console/owner";
import type { Answer } from "@/lib/console/views/answer";
import { requireOwner } from "./require-owner";

type Bound<Action> = Action extends (sessionId: unknown, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;

/** The actions as a page hands them out: each says by itself which session the page was drawn for. */
export function forSession<Actions extends Record<string, (sessionId: unknown, ...rest: never[]) => unknown>>(
  { sessionId }: Owner,
  actions: Actions,
) {
  const bound = Object.entries(actions).map(([name, action]) => [name, action.bind(null, sessionId)]);
  return Object.fromEntries(bound) as { [Name in keyof Actions]: Bound<Actions[Name]> };
}

/** Who is signed in, when that is the session `sessionId` of the page that asks; without any, they go to where one signs in. */
export async function requireOwnerOf(sessionId: unknown): Promise<Answer<{ owner: Owner }>> {
  const owner = await requireOwner();
  if (owner.sessionId === sessionId) return { ok: true, owner };
  return refuse("You are signed in with another wallet in another tab. Load this page again.");
}

/** The same, with what they wrote. */
export async function readWish<Form>(
  sessionId: unknown,
  form: ZodType<Form>,
  input: unknown,
): Promise<Answer<{ owner: Owner; form: Form }>> {
  const asked = await requireOwnerOf(sessionId);
  if (!asked.ok) return asked;
  const read = readForm(form, input);
  return read.ok ? { ...asked, form: read.form } : read;
}
