// The ids and names of calls on the wire: in the letters that a target takes, and each id once. Clients repeat ids (a counter that begins
// again with each turn), and two ids may become one in a smaller alphabet.

import { createHash } from "node:crypto";
import type { ChatMessage, ToolCall } from "./messages";
import type { ShapeRules } from "./shape-rules";

/** The id of a call on the wire. `copy` is 1; if another call has the id already, it goes up until the id is unused. */
export interface WireCallId {
  (id: string, copy: number): string;
  /** The part of it that the provider gets as the call's id, where the id carries something else as well. */
  sent?: (wire: string) => string;
}

/** An id, or a copy of it. */
export const numbered: WireCallId = (id, copy) => (copy === 1 ? id : `${id}_${copy}`);

/** OpenAI answers 400 to a longer id, as in a conversation that began at Gemini: there the id carries a signature. */
export const callIdUpTo =
  (maxLength: number): WireCallId =>
  (id, copy) => {
    const own = numbered(id, copy);
    return own.length <= maxLength ? own : `call_${hashOf(own).slice(0, 32)}`;
  };

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Each result refers to the first call before it that has its id and no result yet. */
export function uniqueCalls(
  messages: readonly ChatMessage[],
  callName: ShapeRules["callName"],
  wireId: WireCallId,
): readonly ChatMessage[] {
  const ids = new CallIds(wireId);
  return messages.map((message): ChatMessage => {
    if (message.role === "tool") return { ...message, toolCallId: ids.resultOf(message.toolCallId) };
    if (message.role !== "assistant" || !message.toolCalls) return message;
    const toolCalls = message.toolCalls.map((call): ToolCall => ({ ...call, id: ids.next(call.id), name: nameOn(call.name, callName) }));
    return { ...message, toolCalls };
  });
}

/** A model may have called a function that does not exist, by any name. */
const nameOn = (name: string, { others, most }: ShapeRules["callName"]): string => name.replace(others, "_").slice(0, most);

class CallIds {
  readonly #wireId: WireCallId;
  readonly #used = new Set<string>();
  /** The next copy, by the first one's wire id: ids that become one share their count, else each would try all that went before. */
  readonly #copies = new Map<string, number>();
  /** Wire ids of calls by the client's id, in their order; those from `at` on have no result. */
  readonly #open = new Map<string, { ids: string[]; at: number }>();

  constructor(wireId: WireCallId) {
    this.#wireId = wireId;
  }

  next(id: string): string {
    const sent = this.#wireId.sent ?? ((whole: string) => whole);
    let wire = this.#wireId(id, 1);
    const first = sent(wire);
    let copy = this.#copies.get(first) ?? 1;
    if (copy > 1) wire = this.#wireId(id, copy);
    while (this.#used.has(sent(wire))) {
      copy += 1;
      wire = this.#wireId(id, copy);
    }
    this.#used.add(sent(wire));
    this.#copies.set(first, copy + 1);
    const open = this.#open.get(id);
    if (open) open.ids.push(wire);
    else this.#open.set(id, { ids: [wire], at: 0 });
    return wire;
  }

  /** A result without a call keeps its id. */
  resultOf(id: string): string {
    const open = this.#open.get(id);
    return open?.ids[open.at++] ?? this.#wireId(id, 1);
  }
}
