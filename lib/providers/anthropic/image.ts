// An image as a block of Anthropic's: https://platform.claude.com/docs/en/build-with-claude/vision. It has no detail: Claude always looks
// as closely as it can.

import type { ImagePart } from "../image-types";

export interface ImageBlock {
  type: "image";
  source: { type: "base64"; media_type: string; data: string } | { type: "url"; url: string };
  cache_control?: { type: "ephemeral"; ttl?: "1h" | undefined } | undefined;
}

export function imageBlock({ source }: ImagePart): ImageBlock {
  if (source.kind === "url") return { type: "image", source: { type: "url", url: source.url } };
  return { type: "image", source: { type: "base64", media_type: source.mediaType, data: `${source.base64}` } };
}
