// Whether a request is larger than the service takes, before it is sent.

import { countBytes } from "@/components/ui/text/byte-count";
import type { ChatBody } from "./chat/body";

export interface SizeProblem {
  bytes: number;
  limitBytes: number;
}

/** Null when it fits. */
export function findSizeProblem(body: ChatBody, limitBytes: number): SizeProblem | null {
  // Three bytes are the most that a UTF-16 unit becomes: most requests need not be written to know.
  const bytes = countUnits(body) * 3 <= limitBytes ? 0 : countBytes(JSON.stringify(body));
  return bytes > limitBytes ? { bytes, limitBytes } : null;
}

/** At least as many UTF-16 units as its JSON has: an escaped character takes six. */
function countUnits({ messages, tools, response_format }: ChatBody): number {
  const known = messages.reduce((sum, message) => {
    const { content } = message;
    const calls = message.role === "assistant" ? JSON.stringify(message.tool_calls ?? []).length : 0;
    if (typeof content === "string") return sum + calls + content.length;
    return (content ?? []).reduce((all, part) => all + ("text" in part ? part.text.length : part.image_url.url.length), sum + calls);
  }, 0);
  return (known + JSON.stringify([tools, response_format]).length) * 2 + messages.length * 200;
}

/** `1.2 MB`; rounded away from the limit, so that a size above it never reads as the limit. */
export function sizeText(bytes: number): string {
  const [unit, name] = bytes >= 1_000_000 ? [1_000_000, "MB"] : [1_000, "kB"];
  return `${(Math.ceil((bytes / unit) * 10) / 10).toFixed(1)} ${name}`;
}
