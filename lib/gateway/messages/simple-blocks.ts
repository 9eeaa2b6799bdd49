// Text and images as Anthropic's blocks hold them.

import { z } from "zod";
import type { Content, ContentPart } from "@/lib/providers/conversation/messages";
import { cacheMark } from "../prompt/parts";

export const image = z.object({
  type: z.literal("image"),
  source: z.discriminatedUnion(
    "type",
    [
      z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
      z.object({ type: z.literal("url"), url: z.string() }),
    ],
    "must be base64 with media_type and data, or url. Uploaded files are not supported",
  ),
  cache_control: cacheMark,
});

export const textBlock = z.object({ type: z.literal("text"), text: z.string(), cache_control: cacheMark });

/** A single part without a mark is the same as its text. */
export function contentOf(parts: readonly ContentPart[]): Content {
  const [only, more] = parts;
  if (only === undefined) return "";
  return more === undefined && only.type === "text" && only.cache === undefined ? only.text : parts;
}
