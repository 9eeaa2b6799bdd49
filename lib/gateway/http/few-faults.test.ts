// Bodies full of faults are cut after the first ones, wherever those stand; what is valid stays as it is, and so do the places of faults.

import { expect, test } from "vitest";
import { z } from "zod";
import { runAtOnce } from "@/lib/base/slices";
import { chatBodySchema } from "../chat/body";
import { messagesBodySchema } from "../messages/body";
import { promptBodySchema } from "../prompt/prompt-body";
import { responsesBodySchema } from "../responses/body";
import { inputItem } from "../responses/item-schemas";
import { ownTool } from "../responses/tools";
import { withFewFaults } from "./few-faults";
import { parseGiven, readIssues } from "./request";

const many = <Entry>(entry: Entry, times = 100_000): Entry[] => Array(times).fill(entry);
const cut = (schema: z.ZodType, value: unknown): unknown => runAtOnce(withFewFaults(schema, value));
const names = Object.fromEntries(many(0).map((value, at) => [`name${at}`, value]));
const part = { type: "text", text: "a" };
const question = { role: "user", content: "a" };

/** The length of the longest list or record in a value. */
function widest(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner: unknown[] = Object.values(value);
  return Math.max(inner.length, ...inner.map(widest));
}

test.each<[what: string, schema: z.ZodType, body: object, path: string]>([
  ["a chat's messages", chatBodySchema, { model: "m", messages: many({}) }, "messages.0.role"],
  [
    "the parts of a message",
    chatBodySchema,
    { model: "m", messages: [{ role: "user", content: many({ type: "text" }) }] },
    "messages.0.content",
  ],
  [
    "tool calls",
    chatBodySchema,
    { model: "m", messages: [question, { role: "assistant", tool_calls: many(0) }] },
    "messages.1.tool_calls.0",
  ],
  [
    "blocks",
    messagesBodySchema,
    { model: "m", max_tokens: 1, messages: [{ role: "user", content: many({ type: "document" }) }] },
    "messages.0.content",
  ],
  [
    "the parts of a tool's result",
    messagesBodySchema,
    { model: "m", max_tokens: 1, messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: many(0) }] }] },
    "messages.0.content",
  ],
  ["a system prompt", messagesBodySchema, { model: "m", max_tokens: 1, messages: [question], system: many(0) }, "system"],
  ["stop sequences", messagesBodySchema, { model: "m", max_tokens: 1, messages: [question], stop_sequences: many(0) }, "stop_sequences.0"],
  ["what a response shall include", responsesBodySchema, { model: "m", input: "a", include: many(0) }, "include.0"],
  ["the parts of an item", inputItem, { type: "message", role: "user", content: many(0) }, "content"],
  ["a summary", inputItem, { type: "reasoning", summary: many(0) }, "summary.0"],
  ["an agent's message", inputItem, { type: "agent_message", content: many({ type: "encrypted_content" }) }, "content.0"],
  ["a namespace's tools", ownTool, { type: "namespace", name: "n", tools: many(0, 1_000) }, "tools.0"],
  ["unknown names", promptBodySchema, { model: "m", prompt: "a", ...names }, "name0"],
  ["a record", z.object({ labels: z.record(z.string(), z.string()) }), { labels: names }, "labels.name0"],
  ["names of a record", z.object({ labels: z.record(z.string().max(4), z.number()) }), { labels: names }, "labels.name0"],
])("a hundred thousand faults of %s: the first are reported, and the rest is not looked at", (_what, schema, body, path) => {
  const shown = cut(schema, body);
  expect(widest(shown)).toBeLessThanOrEqual(32);
  const parsed = parseGiven(schema, shown);
  expect(parsed.success).toBe(false);
  expect(readIssues(parsed.error ?? new z.ZodError([]), [])[0]?.path).toBe(path);
});

test("a union's option is cut although another option takes the value", () => {
  const body = { model: "m", input: "a", tool_choice: { type: "allowed_tools", mode: "auto", tools: many({ type: "?" }) } };
  const shown = cut(responsesBodySchema, body);
  expect(widest(shown)).toBe(20);
  expect(parseGiven(responsesBodySchema, shown).data).toEqual({ ...body, tool_choice: { type: "allowed_tools" } });
});

test("a list that two options of a union could take stays whole", () => {
  const schema = z.union([z.array(z.string()), z.array(z.number())]);
  const numbers = many(0, 1_000);
  expect(cut(schema, numbers)).toBe(numbers);
});

test("faults among good entries keep their places", () => {
  const body = {
    model: "m",
    messages: [...many(question, 2_000), { role: "user" }, question, { role: "wizard" }, ...many({}, 30), question],
  };
  const shown = cut(chatBodySchema, body);
  expect((shown as typeof body).messages).toHaveLength(2_021);
  const parsed = parseGiven(chatBodySchema, shown);
  const paths = readIssues(parsed.error ?? new z.ZodError([]), []).map(({ path }) => path);
  expect(paths.slice(0, 3)).toEqual(["messages.2000.content", "messages.2002.role", "messages.2003.role"]);
  expect(paths).toHaveLength(20);
});

test.each<[what: string, schema: z.ZodType, value: unknown]>([
  ["many good messages", chatBodySchema, { model: "m", messages: many(question, 1_000), anything: many(0, 1_000) }],
  ["many good parts", chatBodySchema, { model: "m", messages: [{ role: "user", content: many(part, 1_000) }] }],
  ["many good names", z.record(z.string(), z.number()), names],
  ["names that a loose object does not know", chatBodySchema, { model: "m", messages: [question], ...names }],
  ["a few faults", chatBodySchema, { model: 7, messages: many({}, 3), stop: [1, 2, 3, 4, 5] }],
  ["lists that are refused by their length", chatBodySchema, { model: "m", messages: [question], tools: many(0), stop: many(0) }],
  ["a value of another type", chatBodySchema, many(0, 1_000)],
  ["nothing", chatBodySchema, null],
])("%s: the very same value", (_what, schema, value) => {
  expect(cut(schema, value)).toBe(value);
});
