// The input of a response's request: a text, or items in the order in which they were said. The items of one turn of the assistant (reasoning,
// a message, calls) become one message.

import type { AccountId } from "@/lib/base/ids";
import type { Slices } from "@/lib/base/slices";
import type { ChatMessage, MessagePhase, ReasoningBlock, ToolCall } from "@/lib/providers/conversation/messages";
import type { ReasoningEffort } from "@/lib/providers/types";
import { isRecord } from "@/lib/providers/wire-value";
import { itemWithFewFaults } from "../http/few-faults";
import { type Issue, parseGiven, readIssues } from "../http/request";
import type { ImagePlace, ImageReader } from "../prompt/images";
import type { ClientTool, ToolNames } from "../prompt/tool-calls/names";
import { misplacedTrigger, openSummary, TRIGGER } from "./compaction";
import { agentText, MAX_FAULTS, readContent, refusedFiles, textOf } from "./item-contents";
import { type InputItem, inputItem } from "./item-schemas";
import { openThought, unreadableText } from "./sealed-thought";
import type { TextFormat } from "./text-format";
import { foundToolsText } from "./tools";

export interface ItemReading {
  messages: ChatMessage[];
  /** Types of items that hosted tools left, which are passed over. */
  dropped: string[];
  /** A summary is asked for in place of an answer. */
  compacts: boolean;
  /** The request's settings that items changed, the last of each. */
  updated: { effort?: ReasoningEffort; format?: TextFormat };
  issues: Issue[];
  /** Encrypted contents that another service or account wrote, or that were changed. */
  unreadable: Issue[];
}

/** Each may be a seal to check. */
const ITEMS_PER_STEP = 16;

export interface ItemContext {
  accountId: AccountId;
  images: ImageReader;
  /** Of the request's tools. */
  names: ToolNames;
}

/** Reads the input; its faults name their item. */
export function* readItems(input: string | readonly unknown[], context: ItemContext): Slices<ItemReading> {
  if (typeof input === "string") {
    return { messages: [{ role: "user", content: input }], dropped: [], compacts: false, updated: {}, issues: [], unreadable: [] };
  }
  const turns = new Turns(context);
  const compacts = typeOf(input.at(-1)) === TRIGGER;
  // A request for a summary has no new turn: every item was sent before.
  const newest = compacts ? input.length : input.findLastIndex(isOfClient);
  const dropped: string[] = [];
  const issues: Issue[] = [];
  for (const [index, given] of input.entries()) {
    const path = `input.${index}`;
    const type = typeOf(given);
    if (isLeftByHostedTool(type, given)) dropped.push(type);
    else if (Object.hasOwn(refusedItems, type)) issues.push({ path: `${path}.type`, message: refusedItems[type] ?? "" });
    else if (type === TRIGGER) issues.push(...misplacedTrigger(path, { isLast: index === input.length - 1, isAlone: turns.isEmpty() }));
    else issues.push(...(yield* turns.read({ ...(given as object), type }, path, index >= newest)));
    if (issues.length + turns.unreadable.length >= MAX_FAULTS) break;
    if (index % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
  }
  if (issues.length === 0) issues.push(...turns.findUnanswered());
  const { messages, updated, unreadable } = turns;
  return { messages, dropped, compacts, updated, issues, unreadable };
}

/** Said by the user, or a call's output. */
const isOfClient = (given: unknown): boolean =>
  isRecord(given) && (given.role === "user" || (typeof given.type === "string" && given.type.endsWith("_output")));

/** A message may leave its type out. */
function typeOf(given: unknown): string {
  if (!isRecord(given)) return "";
  return typeof given.type === "string" ? given.type : given.type === undefined && "role" in given ? "message" : "";
}

const isLeftByHostedTool = (type: string, given: unknown): boolean =>
  leftByHostedTools.has(type) || (toolSearchItems.has(type) && isRecord(given) && given.execution !== "client");

/** Left by a hosted tool, too, unless the client ran the search. */
const toolSearchItems = new Set(["tool_search_call", "tool_search_output"]);

/** They hold no words for the model, and only OpenAI could have written them. */
const leftByHostedTools = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_list_tools",
  "mcp_call",
  "mcp_approval_request",
  "mcp_approval_response",
]);

const hostedShell = "belongs to a tool that only OpenAI's models have. Send function or custom tools, and their calls and outputs";
const refusedItems: Record<string, string> = {
  item_reference: "must not be item_reference, because items are not stored. Send the item itself",
  local_shell_call: hostedShell,
  local_shell_call_output: hostedShell,
  shell_call: hostedShell,
  shell_call_output: hostedShell,
  apply_patch_call: hostedShell,
  apply_patch_call_output: hostedShell,
  computer_call: hostedShell,
  computer_call_output: hostedShell,
};

type Assistant = { role: "assistant"; content: string; toolCalls: ToolCall[]; reasoning: ReasoningBlock[]; phase?: MessagePhase };

type CallItem = Extract<InputItem, { type: "function_call" | "custom_tool_call" | "tool_search_call" }>;
type OutputItem = Extract<InputItem, { type: "function_call_output" | "custom_tool_call_output" | "tool_search_output" }>;

/** The call that each output answers. */
const callOf = {
  function_call_output: "function_call",
  custom_tool_call_output: "custom_tool_call",
  tool_search_output: "tool_search_call",
} as const;

class Turns {
  readonly messages: ChatMessage[] = [];
  readonly updated: ItemReading["updated"] = {};
  readonly unreadable: Issue[] = [];
  readonly #context: ItemContext;
  /** The assistant's turn that the next item may belong to. */
  #turn: Assistant | undefined;
  /** The calls without a result so far, of each kind and id: where the last stands, and how many there are. */
  readonly #open = new Map<string, { path: string; id: string; count: number }>();

  constructor(context: ItemContext) {
    this.#context = context;
  }

  /**
   * An item that is not taken is refused in the newest turn; in older turns something stands in its place, since clients send them again.
   */
  *read(given: object, path: string, isNewest: boolean): Slices<Issue[]> {
    const parsed = parseGiven(inputItem, itemWithFewFaults(inputItem, given));
    if (!parsed.success) return readIssues(parsed.error, []).map((issue) => within(path, issue));
    const refused = isNewest ? refusedFiles(parsed.data).map((issue) => within(path, issue)) : [];
    return [...refused, ...(yield* this.#add(parsed.data, { path, isKept: !isNewest }))];
  }

  /** True while no item said anything; a setting, or an item that a hosted tool left, says nothing. */
  isEmpty(): boolean {
    return this.messages.length + this.unreadable.length === 0;
  }

  /** Providers refuse a conversation in which a call has no result. */
  findUnanswered(): Issue[] {
    return [...this.#open.values()].map(({ path, id }) => ({
      path,
      message: `the call ${id.slice(0, 64)} has no output. Send its output after the call`,
    }));
  }

  *#add(item: InputItem, place: ImagePlace): Slices<Issue[]> {
    const { path } = place;
    switch (item.type) {
      case "message":
        return this.#addMessage(item, place);
      case "reasoning":
        this.#addReasoning(item, path);
        return [];
      case "compaction":
      case "compaction_summary":
        this.#addSummary(item.encrypted_content, path);
        return [];
      case "function_call":
      case "custom_tool_call":
      case "tool_search_call":
        this.#addCall(item, path);
        return [];
      case "agent_message":
        return this.#addMessage({ type: "message", role: "user", content: agentText(item) }, place);
      case "configuration_update":
        if (item.reasoning?.effort) this.updated.effort = item.reasoning.effort;
        if (item.text) this.updated.format = item.text.format;
        return [];
      case "additional_tools":
      case "compaction_trigger":
        return [];
      default:
        return yield* this.#addOutput(item, path);
    }
  }

  #addMessage(item: Extract<InputItem, { type: "message" }>, place: ImagePlace): Issue[] {
    const { path } = place;
    if (item.role !== "assistant") {
      this.#turn = undefined;
      const content = readContent(item.content, { ...place, path: `${path}.content` }, this.#context.images);
      this.messages.push({ role: item.role === "user" ? "user" : "system", content });
      const isMisplaced = item.role !== "user" && typeof content !== "string" && content.some(({ type }) => type === "image");
      return isMisplaced ? [{ path: `${path}.content`, message: "must not contain images. Send them in a user message" }] : [];
    }
    const text = textOf(item.content);
    // A second message begins a turn of its own, unless calls of this one still wait for their outputs.
    if (this.#turn && this.#turn.content !== "" && this.#turn.toolCalls.length === 0) this.#turn = undefined;
    const turn = this.#currentTurn();
    turn.content += text;
    if (item.phase && turn.content === text) turn.phase = item.phase;
    return [];
  }

  #addReasoning({ encrypted_content, id, summary }: Extract<InputItem, { type: "reasoning" }>, path: string): void {
    // Without it there is nothing that a model could read again.
    if (!encrypted_content) return;
    const thought = openThought(this.#context.accountId, encrypted_content);
    if (thought === null) {
      this.#refuseContent(encrypted_content, path, "Remove the reasoning items that another service made");
      return;
    }
    const turn = this.#currentTurn();
    const { content, toolCalls } = turn;
    const after = content === "" && toolCalls.length === 0 ? undefined : { characters: content.length, calls: toolCalls.length };
    const text = thought.kind === "encrypted" ? (summary ?? []).map((part) => part.text).join("\n\n") : thought.text;
    turn.reasoning.push({ ...thought, text, id: thought.id ?? id ?? undefined, after });
  }

  #addSummary(sealed: string, path: string): void {
    const summary = openSummary(this.#context.accountId, sealed);
    this.#turn = undefined;
    if (summary) this.messages.push(summary);
    else this.#refuseContent(sealed, path, "Instead of the compaction item, send the items it replaces, or a summary of them as a message");
  }

  #refuseContent(content: string, path: string, cure: string): void {
    this.unreadable.push({ path: `${path}.encrypted_content`, message: unreadableText(content, cure) });
  }

  #addCall(item: CallItem, path: string): void {
    const { call_id: id, type } = item;
    const count = (this.#open.get(`${type} ${id}`)?.count ?? 0) + 1;
    this.#open.set(`${type} ${id}`, { path, id, count });
    const name = this.#context.names.nameOf(calledBy(item));
    this.#currentTurn().toolCalls.push(
      type === "custom_tool_call" ? { id, name, arguments: argumentsOf(item), custom: true } : { id, name, arguments: argumentsOf(item) },
    );
  }

  *#addOutput(item: OutputItem, path: string): Slices<Issue[]> {
    const { call_id: id, type } = item;
    const open = this.#open.get(`${callOf[type]} ${id}`);
    if (!open) return [{ path: `${path}.call_id`, message: `does not match an earlier ${callOf[type]} without an output` }];
    open.count -= 1;
    if (open.count === 0) this.#open.delete(`${callOf[type]} ${id}`);
    this.#turn = undefined;
    const { images, names } = this.#context;
    const content =
      item.type === "tool_search_output"
        ? yield* foundToolsText(item.tools, names)
        : readContent(item.output, { path: `${path}.output`, isKept: true }, images);
    this.messages.push({ role: "tool", content, toolCallId: id });
    return [];
  }

  #currentTurn(): Assistant {
    if (!this.#turn) {
      this.#turn = { role: "assistant", content: "", toolCalls: [], reasoning: [] };
      this.messages.push(this.#turn);
    }
    return this.#turn;
  }
}

function calledBy(item: CallItem): ClientTool {
  if (item.type === "tool_search_call") return { kind: "search", name: "tool_search" };
  return { kind: item.type === "custom_tool_call" ? "custom" : "function", name: item.name, namespace: item.namespace ?? undefined };
}

function argumentsOf(item: CallItem): string {
  if (item.type === "custom_tool_call") return JSON.stringify({ input: item.input });
  if (item.type === "function_call") return item.arguments;
  return typeof item.arguments === "string" ? item.arguments : JSON.stringify(item.arguments ?? {});
}

const within = (path: string, { path: inner, message }: Issue): Issue => ({ path: inner === "" ? path : `${path}.${inner}`, message });
