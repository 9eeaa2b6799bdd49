// Parts of messages that several dialects read alike: text with the mark of a cache, and the note in place of a file.

import { z } from "zod";
import type { CacheLifetime, TextPart } from "@/lib/providers/conversation/messages";

/** Anthropic's mark; OpenRouter, LiteLLM and the AI SDK send it in OpenAI's form as well. */
export const cacheMark = z.object({ type: z.string(), ttl: z.string().nullish() }, 'must be {"type": "ephemeral"}').nullish();

export type CacheMark = z.infer<typeof cacheMark>;

/** Five minutes are Anthropic's default. */
export const lifetimeOf = (mark: CacheMark): CacheLifetime | undefined => (mark ? (mark.ttl === "1h" ? "1h" : "5m") : undefined);

export function partOf({ text, cache_control }: { text: string; cache_control?: CacheMark }): TextPart {
  const cache = lifetimeOf(cache_control);
  return cache ? { type: "text", text, cache } : { type: "text", text };
}

/** The note in place of a file or an image that is not taken, where it may be left out. */
export const notShown = (what = "A file"): TextPart => ({ type: "text", text: `(${what} stood here. It is not shown.)` });
