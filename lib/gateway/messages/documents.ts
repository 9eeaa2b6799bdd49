// Blocks that hold text in another form than a text block, or no text at all. Text is handed on as text. A document that no model here
// takes, like a PDF, is refused in the newest turn; in an older turn something stands in its place, since a client sends it again with
// every turn.

import { z } from "zod";
import type { ContentPart, TextPart } from "@/lib/providers/conversation/messages";
import { cacheMark, lifetimeOf, notShown } from "../prompt/parts";
import { image, textBlock } from "./simple-blocks";

const documentSource = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text"), data: z.string() }),
    z.object({
      type: z.literal("content"),
      content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textBlock, image]))]),
    }),
    z.object({ type: z.enum(["base64", "url", "file"]) }),
  ],
  "must be text or content. PDFs and other files are not supported",
);

/** Of a user, and of a tool's result. */
export const documentBlock = z.object({
  type: z.literal("document"),
  source: documentSource,
  title: z.string().nullish(),
  context: z.string().nullish(),
  cache_control: cacheMark,
});

export const searchResultBlock = z.object({
  type: z.literal("search_result"),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock),
  cache_control: cacheMark,
});

/** Claude Code's search for tools answers with such: the tools themselves are among the request's by then. */
export const toolReferenceBlock = z.object({ type: z.literal("tool_reference"), tool_name: z.string(), cache_control: cacheMark });

/** Files in a container, and pages of a browser, at Anthropic. */
export const fileBlock = z.object({ type: z.enum(["container_upload", "browser_state"]) });

export type TextualBlock = z.infer<typeof documentBlock | typeof searchResultBlock | typeof toolReferenceBlock | typeof fileBlock>;

export interface BlockReading {
  readImage: (block: z.infer<typeof image>, path: string, isResult?: boolean) => ContentPart[];
  /** Receives the fault of a block that is not taken; it counts in the newest turn. */
  refuse: (path: string, message: string) => void;
}

/** The parts of a block; `path` is its place in its message. */
export function readTextual(block: TextualBlock, path: string, reading: BlockReading): ContentPart[] {
  switch (block.type) {
    case "document":
      return withMark(readDocument(block, path, reading), block.cache_control);
    case "search_result": {
      const text = [`${block.title} (${block.source})`, ...block.content.map((part) => part.text)].join("\n");
      return withMark([{ type: "text", text }], block.cache_control);
    }
    case "tool_reference":
      return withMark([{ type: "text", text: `The tool ${block.tool_name} can be called now.` }], block.cache_control);
    default:
      reading.refuse(path, "refers to a container or browser at Anthropic, which is not available here. Remove it");
      return [notShown()];
  }
}

function readDocument({ source, title, context }: z.infer<typeof documentBlock>, path: string, reading: BlockReading): ContentPart[] {
  const head = [title, context].filter(Boolean).join("\n");
  const before: TextPart[] = head === "" ? [] : [{ type: "text", text: head }];
  if (source.type === "text") return [...before, { type: "text", text: source.data }];
  if (source.type === "content") {
    const { content } = source;
    if (typeof content === "string") return [...before, { type: "text", text: content }];
    const parts = content.flatMap((part, at): ContentPart[] =>
      part.type === "image" ? reading.readImage(part, `${path}.source.content.${at}`) : [{ type: "text", text: part.text }],
    );
    return [...before, ...parts];
  }
  reading.refuse(path, "is a PDF or another document, which is not supported. Send its text as a text block");
  return [notShown(title ? `A document, "${title}",` : "A document")];
}

/** The block's own mark is that of its last part. */
function withMark(parts: ContentPart[], mark: z.infer<typeof cacheMark>): ContentPart[] {
  const cache = lifetimeOf(mark);
  const last = parts.at(-1);
  return cache && last ? [...parts.slice(0, -1), { ...last, cache }] : parts;
}
