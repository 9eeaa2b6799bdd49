// Reasoning as it leaves over Responses, and comes back: the whole block under our seal, in the field that OpenAI has for its own.

import { z } from "zod";
import type { AccountId } from "@/lib/base/ids";
import type { ReasoningBlock } from "@/lib/providers/conversation/messages";
import { openReasoning, sealReasoning } from "../prompt/reasoning-seal";

const thoughtSchema = z.object({
  kind: z.enum(["thinking", "redacted", "encrypted"]),
  text: z.string(),
  data: z.string(),
  id: z.string().optional(),
});

/** A signature covers the words of a thought, so both go along; an encrypted thought needs its data only. */
export function sealThought(accountId: AccountId, { kind, madeBy, text, data, id }: ReasoningBlock): string {
  return sealReasoning(accountId, madeBy, JSON.stringify({ kind, text: kind === "encrypted" ? "" : text, data, id }));
}

/** Null when it is not of our making for this account. */
export function openThought(accountId: AccountId, sealed: string): ReasoningBlock | null {
  const opened = openReasoning(accountId, sealed);
  if (!opened) return null;
  // The seal proves that we wrote it; a block that another endpoint sealed has another form.
  const thought = thoughtSchema.safeParse(parsedOrNull(opened.data));
  return thought.success ? { ...thought.data, madeBy: opened.madeBy } : null;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * "The encrypted content gAAA...Rg== could not be verified.": OpenAI's words (github.com/openai/codex/issues/8132). The
 * cure is ours: Codex shows them, and heals nothing by itself.
 */
export function unreadableText(content: string, cure: string): string {
  const shown = `${content.slice(0, 4)}...${content.slice(-4)}`.replace(/[^\w+/=.-]/g, "?");
  const reason = "it was not made by this service for this account, or was changed since";
  return `The encrypted content ${shown} could not be verified. Reason: ${reason}. ${cure}`;
}
