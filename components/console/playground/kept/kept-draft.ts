// The set-up and the unsent message, as they were left in this browser.

import * as z from "zod/mini";
import type { Setup } from "../chat/setup";
import { readKept } from "./browser-store";

export interface Draft {
  setup: Setup;
  /** The message that is not sent yet. */
  text: string;
  /** The open conversation; null: a new one. */
  conversationId: string | null;
}

const text = z._default(z.string(), "");
const setup = z.object({ model: z.string(), system: text, maxTokens: text, temperature: text, effort: text, tools: text, schema: text });
const draft = z.object({ setup, text: z.string(), conversationId: z.nullable(z.string()) });
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
