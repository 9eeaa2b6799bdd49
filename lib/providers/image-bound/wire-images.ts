// Images on their way out: their URL, and a body whose large ones are sent from where they arrived.

import { expandLargeTexts } from "@/lib/base/large-text";
import type { ImagePart } from "../conversation/images";
import type { ChatMessage, Content } from "../conversation/messages";
import type { WireRequest } from "../types";
import { imagesOf } from "./bound";

/** True for content that is more than text. */
export const hasImages = (content: Content): content is Exclude<Content, string> =>
  typeof content !== "string" && content.some((part) => part.type === "image");

/** The URL of an image, or a data URL of its bytes. */
export const imageUrl = ({ source }: ImagePart): string =>
  source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.base64}`;

/** The body of a request, in pieces where its messages have large images. */
export function wireBody(body: string, messages: readonly ChatMessage[]): Pick<WireRequest, "body" | "chunks"> {
  const large = imagesOf(messages).flatMap(({ source }) =>
    source.kind === "bytes" && typeof source.base64 !== "string" ? [source.base64] : [],
  );
  const chunks = expandLargeTexts(body, large);
  return chunks ? { body, chunks } : { body };
}

export const IMAGES_FOLLOW = "The images of the results above:";

/** For formats whose results hold text only: the images of results follow in a message of the user, after the last result of the turn. */
export function withToolImages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(({ role, content }) => role === "tool" && hasImages(content))) return messages;
  const written: ChatMessage[] = [];
  let images: ImagePart[] = [];
  for (const message of [...messages, null]) {
    if (message?.role !== "tool" && images.length > 0) {
      written.push({ role: "user", content: [{ type: "text", text: IMAGES_FOLLOW }, ...images] });
      images = [];
    }
    if (message?.role === "tool") images.push(...imagesOf([message]));
    if (message) written.push(message);
  }
  return written;
}
