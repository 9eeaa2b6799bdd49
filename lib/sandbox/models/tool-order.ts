// Tool calls and their results belong together: every vendor refuses one without the other.

import type { SimulatedMessage } from "./vendor";

/**
 * The fault; null when every call has its result.
 * @param mayWait whether other messages may stand before a result
 */
export function findToolProblem(messages: readonly SimulatedMessage[], { mayWait = false } = {}): string | null {
  const open = new Set<string>();
  const unanswered = () => `Tool calls must be followed by their results. These have none: ${[...open].join(", ")}`;
  for (const { role, toolCalls = [], callId = "" } of messages) {
    if (role === "tool" && !open.delete(callId)) return `No tool call found for the result with the id ${callId}.`;
    if (role !== "tool" && open.size > 0 && !mayWait) return unanswered();
    for (const { id } of toolCalls) open.add(id);
  }
  return open.size > 0 ? unanswered() : null;
}
