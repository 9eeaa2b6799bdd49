// Text, images and the marks of a cache, as Anthropic's blocks hold them.

import { z } from "zod";
import type { CacheLifetime } from "@/lib/providers/conversation/messages";

export const cacheMark = z.object({ type: z.string(), ttl: z.string().nullish() }, 'must be {"type": "ephemeral"}').nullish();

export type CacheMark = z.infer<typeof cacheMark>;

/** Five minutes are Anthropic's default. */
export const lifetimeOf = (mark: CacheMark): CacheLifetime | undefined => (mark ? (mark.ttl === "1h" ? "1h" : "5m") : undefined);

export const image = z.object({
  type: z.literal("image"),
  source: z.discriminatedUnion(
    "type",
    [
      z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
      z.object({ type: z.literal("url"), url: z.string() }),
    ],
    "must be base64 with media_type and data, or url: files are not stored here",
  ),
  cache_control: cacheMark,
});

export const textBlock = z.object({ type: z.literal("text"), text: z.string(), cache_control: cacheMark });
