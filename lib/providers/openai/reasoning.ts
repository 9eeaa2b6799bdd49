// Thoughts of compatible servers: read as blocks of reasoning, and written back to the model that made them, in the form in which it wrote
// them. The block's data says which form that is; OpenRouter's details, which hold signatures, are the data themselves.
//
// DeepSeek and Moonshot AI want them with tool calls (api-docs.deepseek.com/guides/thinking_mode: "the reasoning_content must be fully passed
// back to the API in all subsequent requests", else 400; platform.kimi.ai/docs/guide/use-thinking-models). Groq and Cerebras take `reasoning`
// and refuse `reasoning_content`; Mistral takes its own parts.

import { type ChatMessage, contentText, type ReasoningBlock } from "../conversation/messages";
import { isSameRoute, type ModelRoute } from "../model-route";
import type { ReasoningEvent } from "../types";
import { isRecord } from "../wire-value";
import type { MessagePiece, ReasoningDetail, ThoughtForm } from "./message";

type Thought = Extract<MessagePiece, { type: "thought" }>;

/** The thoughts of one answer, as blocks. */
export class Thoughts {
  #count = 0;
  #form: ThoughtForm | undefined;
  #details: ReasoningDetail[] = [];

  /** Continues the block, or begins one. */
  add({ form, text, details }: Thought): ReasoningEvent[] {
    // Beside details, a chunk may have its text alone.
    const isContinued = form === this.#form || (form === "reasoning" && this.#form === "reasoning_details");
    const events = isContinued ? [] : this.close();
    for (const detail of details) this.#addDetail(detail);
    // Details are complete at the end only.
    const data = isContinued || form === "reasoning_details" ? undefined : form;
    if (!isContinued) {
      this.#form = form;
      this.#count += 1;
    }
    if (text !== "") events.push({ ...this.#event(text), data });
    return events;
  }

  /** Ends the block, before anything else of the answer. */
  close(): ReasoningEvent[] {
    const events = this.#details.length === 0 ? [] : [{ ...this.#event(""), data: JSON.stringify(this.#details) }];
    this.#form = undefined;
    this.#details = [];
    return events;
  }

  readonly #event = (text: string): ReasoningEvent => ({ type: "reasoning", kind: "thinking", index: this.#count - 1, text });

  /** Streams send a detail in pieces of the same type and index; other fields, like the signature, come with any of them. */
  #addDetail(detail: ReasoningDetail): void {
    const last = this.#details.at(-1);
    if (!last || last.type !== detail.type || last.index !== detail.index || detail.type === "reasoning.encrypted") {
      this.#details.push({ ...detail });
      return;
    }
    for (const [field, value] of Object.entries(detail)) {
      const known = last[field];
      const isJoined = field === "text" || field === "summary";
      if (isJoined && typeof known === "string" && typeof value === "string") last[field] = known + value;
      else if (value !== null && value !== undefined) last[field] = value;
    }
  }
}

type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>;

interface ThoughtFields {
  content?: object[];
  reasoning_content?: string;
  reasoning?: string;
  reasoning_details?: ReasoningDetail[];
}

/** Fields of an assistant's message with the thoughts that this model made; `needsReasoningContent` where it refuses messages without. */
export function thoughtFields(message: AssistantMessage, route: ModelRoute, needsReasoningContent: boolean): ThoughtFields {
  const missing: ThoughtFields = needsReasoningContent ? { reasoning_content: "" } : {};
  if (!message.reasoning) return missing;
  const own = message.reasoning.filter(({ kind, madeBy }) => kind === "thinking" && isSameRoute(madeBy, route));
  const textOf = (form: ThoughtForm) => own.flatMap(({ data, text }) => (data === form ? [text] : [])).join("");
  const details = own.flatMap(({ data }) => readDetails(data));
  const [reasoningContent, reasoning] = [textOf("reasoning_content"), textOf("reasoning")];
  return {
    ...missing,
    ...(reasoningContent !== "" && { reasoning_content: reasoningContent }),
    ...(reasoning !== "" && { reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(own.some(({ data }) => data === "thinking") && { content: contentWithThoughts(message, own) }),
  };
}

/** Our own text: its seal proves that. */
function readDetails(data: string): ReasoningDetail[] {
  const details: unknown = data.startsWith("[") ? JSON.parse(data) : [];
  return Array.isArray(details) ? details.filter(isRecord) : [];
}

/** Mistral's parts, each thought where it stood. */
function contentWithThoughts({ content }: AssistantMessage, thoughts: readonly ReasoningBlock[]): object[] {
  const text = contentText(content);
  const parts: object[] = [];
  let written = 0;
  const writeUntil = (end: number) => {
    if (end > written) parts.push({ type: "text", text: text.slice(written, end) });
    written = Math.max(written, end);
  };
  for (const { data, text: thought, after } of thoughts) {
    if (data !== "thinking") continue;
    writeUntil(Math.min(after?.characters ?? 0, text.length));
    parts.push({ type: "thinking", thinking: [{ type: "text", text: thought }], closed: true });
  }
  writeUntil(text.length);
  return parts;
}
