import { describe, expect, test } from "vitest";
import { failureOf, usageOf } from "../testing/replay";
import type { FinishReason, ProviderEvent } from "../types";
import { HeldOutput } from "./finish";

const usage = usageOf([3, 2, 0, 0]);
const text: ProviderEvent = { type: "text", text: "Hi" };
const call: ProviderEvent = { type: "tool_call", index: 0, id: "a", name: "f", arguments: "{}" };
const thought: ProviderEvent = { type: "reasoning", kind: "thinking", index: 0, text: "Hm." };

function closed(events: ProviderEvent[], reason: FinishReason, more: { stopSequence?: string } = {}) {
  const held = new HeldOutput();
  for (const event of events) held.note(event);
  return held.close({ type: "finish", reason, usage, ...more });
}

describe("what an answer holds decides whether it calls tools", () => {
  test.each<[what: string, events: ProviderEvent[], said: FinishReason, means: FinishReason]>([
    ["a call that ended with stop", [call], "stop", "tool_calls"],
    ["a call after text that ended with stop", [text, call], "stop", "tool_calls"],
    ["a call that ended with a word that nobody knows", [call], "other", "tool_calls"],
    ["a call that the limit cut", [call], "length", "length"],
    ["a call that a filter ended", [call], "content_filter", "content_filter"],
    ["tool_calls without any", [text], "tool_calls", "stop"],
    ["text", [text], "stop", "stop"],
    ["text that ended with a word that nobody knows", [text], "other", "other"],
    ["nothing, said to be complete", [], "stop", "stop"],
    ["nothing but thoughts within the limit", [thought], "length", "length"],
  ])("%s", (_what, events, said, means) => {
    expect(closed(events, said)).toEqual({ type: "finish", reason: means, usage });
  });

  test("a stop sequence stays what ended an answer", () => {
    expect(closed([call], "stop", { stopSequence: "END" })).toMatchObject({ reason: "stop", stopSequence: "END" });
  });

  test.each<FinishReason>(["tool_calls", "other"])("an empty answer that ended with %s is a failure of the model", (reason) => {
    for (const events of [[], [thought]]) {
      expect(failureOf(() => closed(events, reason))).toMatchObject({ kind: "malformed", accepted: true, byModel: true });
    }
  });
});
