// The items of a response's output, as they grow: each piece of an answer extends an item or begins one, and says which events that makes.
// Whole answers are written from the same items.

import type { AccountId } from "@/lib/base/ids";
import type { MessagePhase, ReasoningBlock } from "@/lib/providers/conversation/messages";
import { readJsonObject } from "@/lib/providers/wire-value";
import type { OutputPiece } from "../prompt/completion";
import type { ClientTool, ToolNames } from "../prompt/tool-calls/names";
import { sealThought } from "./sealed-thought";

/** An event of the stream, without its sequence number. */
export interface ItemEvent {
  type: string;
  [field: string]: unknown;
}

export interface ItemOptions {
  accountId: AccountId;
  /** Of the request: items' ids are made of it. */
  id: string;
  /** Of the request's tools. */
  names: ToolNames;
  /** Reasoning leaves sealed, to come back. */
  wantsEncrypted: boolean;
  /** Reasoning is shown in words. */
  showsSummary: boolean;
}

interface Base {
  id: string;
  outputIndex: number;
}
interface MessageItem extends Base {
  type: "message";
  text: string;
  phase: MessagePhase | undefined;
}
interface ReasoningItem extends Base {
  type: "reasoning";
  index: number;
  block: Omit<ReasoningBlock, "madeBy"> & { madeBy?: ReasoningBlock["madeBy"] | undefined };
}
interface CallItem extends Base {
  type: "call";
  callId: string;
  tool: ClientTool;
  arguments: string;
}
type Item = MessageItem | ReasoningItem | CallItem;

type Piece<Type extends OutputPiece["type"]> = Extract<OutputPiece, { type: Type }>;
export type Status = "in_progress" | "completed" | "incomplete";

/** A response's output, while it grows. */
export interface ResponseOutput {
  /** Adds a piece. */
  add(piece: OutputPiece): ItemEvent[];
  /** The events of its end, after the last piece. */
  end(status: Status): ItemEvent[];
  /** The whole output. */
  written(status: Status): object[];
}

export class OutputItems implements ResponseOutput {
  readonly #options: ItemOptions;
  readonly #items: Item[] = [];
  /** The message or the reasoning that the next piece may extend. */
  #open: MessageItem | ReasoningItem | undefined;
  readonly #calls: CallItem[] = [];

  constructor(options: ItemOptions) {
    this.#options = options;
  }

  add(piece: OutputPiece): ItemEvent[] {
    switch (piece.type) {
      case "text":
        return this.#addText(piece);
      case "reasoning":
        return this.#addReasoning(piece);
      case "tool_call":
        return this.#addCall(piece);
    }
  }

  /** Closes the open item. Calls end last: their pieces may have come in turns. */
  end(status: Status): ItemEvent[] {
    return [...this.#close(status), ...this.#calls.flatMap((call) => this.#callDone(call, status))];
  }

  written(status: Status): object[] {
    return this.#items.map((item) => this.#write(item, status));
  }

  #addText({ text, phase }: Piece<"text">): ItemEvent[] {
    const events: ItemEvent[] = [];
    let item = this.#open;
    if (item?.type !== "message" || item.phase !== phase) {
      events.push(...this.#close("completed"));
      item = this.#begin({ type: "message", text: "", phase, ...this.#next("msg") });
      this.#open = item;
      events.push({ type: "response.output_item.added", output_index: item.outputIndex, item: this.#write(item, "in_progress") });
      events.push({ type: "response.content_part.added", content_index: 0, part: textPart(""), ...at(item) });
    }
    item.text += text;
    events.push({ type: "response.output_text.delta", content_index: 0, delta: text, logprobs: [], ...at(item) });
    return events;
  }

  #addReasoning({ index, kind, text, data, id, madeBy }: Piece<"reasoning">): ItemEvent[] {
    const events: ItemEvent[] = [];
    let item = this.#open;
    if (item?.type !== "reasoning" || item.index !== index) {
      events.push(...this.#close("completed"));
      item = this.#begin({ type: "reasoning", ...this.#next("rs"), index, block: { kind, text: "", data: "", id, madeBy } });
      this.#open = item;
      const empty = { type: "reasoning", id: item.id, summary: [] };
      events.push({ type: "response.output_item.added", output_index: item.outputIndex, item: empty });
    }
    const { block } = item;
    const isFirst = block.text === "";
    block.text += text;
    block.data ||= data ?? "";
    block.id ??= id;
    block.madeBy ??= madeBy;
    if (text === "" || !this.#options.showsSummary) return events;
    const place = { ...at(item), summary_index: 0 };
    if (isFirst) events.push({ type: "response.reasoning_summary_part.added", ...place, part: summaryPart("") });
    events.push({ type: "response.reasoning_summary_text.delta", ...place, delta: text });
    return events;
  }

  #addCall({ index, id, name, arguments: text }: Piece<"tool_call">): ItemEvent[] {
    const events: ItemEvent[] = [];
    let call = this.#calls[index];
    if (!call) {
      events.push(...this.#close("completed"));
      const tool = this.#options.names.clientTool(name ?? "");
      call = this.#begin({ type: "call", ...this.#next(idPrefix[tool.kind]), callId: id ?? "", tool, arguments: "" });
      this.#calls[index] = call;
      events.push({ type: "response.output_item.added", output_index: call.outputIndex, item: this.#write(call, "in_progress") });
    }
    call.arguments += text;
    // The input of a custom tool and the arguments of a search are known once they are whole.
    if (text !== "" && call.tool.kind === "function")
      events.push({ type: "response.function_call_arguments.delta", ...at(call), delta: text });
    return events;
  }

  #begin<Begun extends Item>(item: Begun): Begun {
    this.#items.push(item);
    return item;
  }

  #next(prefix: string): Base {
    const outputIndex = this.#items.length;
    return { id: `${prefix}_${this.#options.id.replace(/^req_/, "")}_${outputIndex}`, outputIndex };
  }

  #close(status: Status): ItemEvent[] {
    const item = this.#open;
    this.#open = undefined;
    if (!item) return [];
    const done: ItemEvent = { type: "response.output_item.done", output_index: item.outputIndex, item: this.#write(item, status) };
    if (item.type === "message") {
      const place = { ...at(item), content_index: 0 };
      return [
        { type: "response.output_text.done", ...place, text: item.text, logprobs: [] },
        { type: "response.content_part.done", ...place, part: textPart(item.text) },
        done,
      ];
    }
    const { text } = item.block;
    if (text === "" || !this.#options.showsSummary) return [done];
    const place = { ...at(item), summary_index: 0 };
    return [
      { type: "response.reasoning_summary_text.done", ...place, text },
      { type: "response.reasoning_summary_part.done", ...place, part: summaryPart(text) },
      done,
    ];
  }

  #callDone(call: CallItem, status: Status): ItemEvent[] {
    const done: ItemEvent = { type: "response.output_item.done", output_index: call.outputIndex, item: this.#write(call, status) };
    if (call.tool.kind === "search") return [done];
    if (call.tool.kind === "function") {
      return [{ type: "response.function_call_arguments.done", ...at(call), arguments: call.arguments }, done];
    }
    const input = inputOf(call);
    return [
      { type: "response.custom_tool_call_input.delta", ...at(call), delta: input },
      { type: "response.custom_tool_call_input.done", ...at(call), input },
      done,
    ];
  }

  #write(item: Item, status: Status): object {
    switch (item.type) {
      case "message": {
        const content = status === "in_progress" ? [] : [textPart(item.text)];
        return { id: item.id, type: "message", status, role: "assistant", content, phase: item.phase };
      }
      case "reasoning":
        return this.#writeReasoning(item);
      case "call":
        return writeCall(item, status);
    }
  }

  #writeReasoning({ id, block }: ReasoningItem): object {
    const { accountId, wantsEncrypted, showsSummary } = this.#options;
    const { madeBy } = block;
    const summary = showsSummary && block.text !== "" ? [summaryPart(block.text)] : [];
    // Without a route and without data there is nothing that a model could read again.
    const isSealed = wantsEncrypted && madeBy !== undefined && block.data !== "";
    return { id, type: "reasoning", summary, encrypted_content: isSealed ? sealThought(accountId, { ...block, madeBy }) : undefined };
  }
}

const idPrefix = { function: "fc", custom: "ctc", search: "tsc" } as const;

function writeCall(item: CallItem, status: Status): object {
  const { id, callId, tool } = item;
  const isOpen = status === "in_progress";
  const called = { call_id: callId, namespace: tool.namespace, name: tool.name };
  switch (tool.kind) {
    case "function":
      return { id, type: "function_call", status, ...called, arguments: isOpen ? "" : item.arguments };
    case "custom":
      return { id, type: "custom_tool_call", status, ...called, input: isOpen ? "" : inputOf(item) };
    case "search": {
      const given = isOpen ? {} : (readJsonObject(item.arguments) ?? {});
      return { id, type: "tool_search_call", status, call_id: callId, execution: "client", arguments: given };
    }
  }
}

const at = ({ id, outputIndex }: Base) => ({ item_id: id, output_index: outputIndex });
const textPart = (text: string) => ({ type: "output_text", annotations: [], logprobs: [], text });
const summaryPart = (text: string) => ({ type: "summary_text", text });

/** The input of a custom tool: its one field, or else all of the model's text. */
function inputOf({ arguments: text }: CallItem): string {
  const input = readJsonObject(text)?.input;
  return typeof input === "string" ? input : text;
}
