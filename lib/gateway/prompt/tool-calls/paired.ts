// Calls and their results in a conversation that a client sends: each call has one result before the next answer. Every provider refuses
// anything else, in words of its own; here it is refused before a call.

import type { ChatMessage } from "@/lib/providers/conversation/messages";

export interface Unpaired {
  /** Of the message at fault. */
  index: number;
  kind: "unanswered" | "unexpected";
  /** The client's id of the call. */
  id: string;
}

/** The first fault; undefined where all calls have their results. */
export function findUnpaired(messages: readonly ChatMessage[]): Unpaired | undefined {
  /** How many calls of each id have no result yet. */
  const open = new Map<string, number>();
  let calledAt = 0;
  const unanswered = (): Unpaired | undefined => {
    const [id] = open.keys();
    return id === undefined ? undefined : { index: calledAt, kind: "unanswered", id };
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const left = open.get(message.toolCallId);
      if (left === undefined) return { index, kind: "unexpected", id: message.toolCallId };
      if (left === 1) open.delete(message.toolCallId);
      else open.set(message.toolCallId, left - 1);
    } else if (message.role === "assistant") {
      if (open.size > 0) return unanswered();
      for (const { id } of message.toolCalls ?? []) open.set(id, (open.get(id) ?? 0) + 1);
      calledAt = index;
    }
  }
  return unanswered();
}

const MAX_SHOWN = 64;

/** An id as it may stand in an error. */
export const shownId = (id: string): string => id.slice(0, MAX_SHOWN);
