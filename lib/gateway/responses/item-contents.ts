// The contents of the items of a response's input: texts, images and files.

import type { z } from "zod";
import type { Content, ContentPart } from "@/lib/providers/conversation/messages";
import type { Issue } from "../http/request";
import type { ImagePlace, ImageReader } from "../prompt/images";
import { notShown } from "../prompt/parts";
import type { InputItem, inputContent, outputContent } from "./item-schemas";

export const MAX_FAULTS = 20;

/** Parts keep their borders, as the client sent them. */
export function readContent(content: z.infer<typeof inputContent>, place: ImagePlace, images: ImageReader): Content {
  if (typeof content === "string") return content;
  return content.flatMap((part, at): ContentPart[] => {
    if (part.type === "input_image") {
      return images.fromUrl({ ...place, path: `${place.path}.${at}.image_url` }, part.image_url, part.detail) ?? [];
    }
    return ["text" in part ? { type: "text", text: part.text } : notShown()];
  });
}

export const textOf = (content: z.infer<typeof outputContent>): string =>
  typeof content === "string" ? content : content.map((part) => (part.type === "refusal" ? part.refusal : part.text)).join("");

export const agentText = ({ content }: Extract<InputItem, { type: "agent_message" }>): string =>
  content.map((part) => (part.type === "encrypted_content" ? "" : part.text)).join("\n");

/** The faults of files among an item's parts. */
export function refusedFiles(item: InputItem): Issue[] {
  const [field, content] = item.type === "message" ? ["content", item.content] : "output" in item ? ["output", item.output] : [];
  if (!Array.isArray(content)) return [];
  const message = "is audio, a PDF or another file, which is not supported. Send only input_text and input_image parts";
  return content
    .flatMap(({ type }, at) => (type === "input_file" || type === "input_audio" ? [{ path: `${field}.${at}`, message }] : []))
    .slice(0, MAX_FAULTS);
}
