// Conversations and schemas that are written to make their normalising slow, or larger than its bound.

import { expect, test } from "vitest";
import { withinCpuMs } from "@/lib/gateway/contract/testing/cpu";
import { anthropicCallId, anthropicMessages } from "../anthropic/messages";
import type { ChatMessage } from "./messages";
import { normaliseConversation } from "./normalise";
import { shapeRules } from "./shape-rules";
import { objectSchema } from "./tool-schema";

/** Quadratic work takes some seconds at these sizes. */
const MOST_MS = 1_000;

/** CPU, the least of three tries: a busy machine is slow, and not wrong. */
const msOf = async (work: () => unknown): Promise<number> => (await withinCpuMs(MOST_MS, async () => work())).cpuMs;

test("ids that become one in a target's letters do not make each other slow", async () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => String.fromCharCode(0x4e00 + index));
  const messages: ChatMessage[] = [
    { role: "assistant", content: "", toolCalls: ids.map((id) => ({ id, name: "f", arguments: "{}" })) },
    ...ids.map((toolCallId): ChatMessage => ({ role: "tool", content: "", toolCallId })),
  ];
  let normal: readonly ChatMessage[] = [];
  expect(await msOf(() => (normal = normaliseConversation(messages, shapeRules.anthropic, anthropicCallId)))).toBeLessThan(MOST_MS);
  expect(new Set(normal.map((message) => (message.role === "tool" ? message.toolCallId : ""))).size).toBe(ids.length + 1);
});

test("many messages of the user beside an image are joined in linear time", async () => {
  const image = { type: "image", detail: "low", source: { kind: "url", url: "https://a.example/a.png" } } as const;
  const messages = Array.from(
    { length: 30_000 },
    (_, index): ChatMessage => ({ role: "user", content: index === 0 ? [image as never] : "x" }),
  );
  let normal: readonly ChatMessage[] = [];
  expect(await msOf(() => (normal = normaliseConversation(messages, shapeRules.template, (id) => id)))).toBeLessThan(MOST_MS);
  expect(normal).toHaveLength(1);
  expect(normal[0]?.content).toHaveLength(messages.length);
});

test("many variants that name one definition are resolved once", async () => {
  const properties = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, {}]));
  const schema = { anyOf: Array.from({ length: 40_000 }, () => ({ $ref: "#/$defs/A" })), $defs: { A: { properties } } };
  expect(await msOf(() => objectSchema(schema))).toBeLessThan(MOST_MS);
});

test("an answer of many texts is written in linear time", async () => {
  const content = Array.from({ length: 100_000 }, () => ({ type: "text", text: "x" }) as const);
  const answer: ChatMessage = { role: "assistant", content, toolCalls: [{ id: "a", name: "f", arguments: "{}" }] };
  let written: ReturnType<typeof anthropicMessages> = [];
  expect(await msOf(() => (written = anthropicMessages([answer])))).toBeLessThan(MOST_MS);
  expect(written[0]?.content).toHaveLength(content.length + 1);
});
