// The set-up and the unsent message, as they were left in this browser; and those of a link, which stand in place of the reader's own and
// never change them.

import * as z from "zod/mini";
import type { Setup } from "../chat/setup";
import { readKept, removeKept } from "./browser-store";

export interface Draft {
  setup: Setup;
  /** The message that is not sent yet. */
  text: string;
  /** The open conversation; null: a new one. */
  conversationId: string | null;
}

/** The draft that a link has begun. */
export interface LinkedDraft extends Draft {
  linkId: string;
}

export interface Drafts {
  own: Draft;
  /** Shown in place of the own one. */
  linked: LinkedDraft | null;
}

const text = z._default(z.string(), "");
const setup = z.object({ model: z.string(), system: text, maxTokens: text, temperature: text, effort: text, tools: text, schema: text });
const draft = z.object({ setup, text: z.string(), conversationId: z.nullable(z.string()) });
const linkedDraft = z.extend(draft, { linkId: z.string() });
/** Of the version without conversations. */
const oldDraft = z.object({ model: z.string(), system: text, prompt: z.string(), maxTokens: text, temperature: text });

export function readDraft(accountId: string): Draft | null {
  const kept = readKept(accountId, "draft");
  const known = draft.safeParse(kept).data;
  if (known) return known;
  const old = oldDraft.safeParse(kept).data;
  if (!old) return null;
  const { prompt, ...rest } = old;
  return { setup: { ...rest, effort: "", tools: "", schema: "" }, text: prompt, conversationId: null };
}

/** The draft that this link began; null where another link has begun one since. */
export function readLinked(accountId: string, linkId: string): LinkedDraft | null {
  const known = linkedDraft.safeParse(readKept(accountId, "linked")).data;
  return known?.linkId === linkId ? known : null;
}

/** Forgets the draft that this link began; another tab may have begun one with another link since. */
export function forgetLinked(accountId: string, linkId: string): void {
  if (readLinked(accountId, linkId)) removeKept(accountId, "linked");
}

export const shownDraft = ({ own, linked }: Drafts): Draft => linked ?? own;

/** With a link's set-up, in a conversation of its own. */
export const takeLinked = ({ own }: Drafts, linkId: string, linkedSetup: Setup): Drafts => ({
  own,
  linked: { linkId, setup: linkedSetup, text: "", conversationId: null },
});

/** With the reader's own draft again. */
export const endLinked = ({ own }: Drafts): Drafts => ({ own, linked: null });

/** With a change to the draft that is shown. */
export const changeDraft = ({ own, linked }: Drafts, part: Partial<Draft>): Drafts =>
  linked ? { own, linked: { ...linked, ...part } } : { own: { ...own, ...part }, linked };
