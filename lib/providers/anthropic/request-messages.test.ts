import { describe, expect, test } from "vitest";
import type { ChatMessage } from "../conversation/messages";
import { anthropicMessages, anthropicSystem } from "./messages";
import { buildAnthropicRequest } from "./request";

/** The messages of a whole request. */
const writtenBy = (messages: readonly ChatMessage[]): { role: string; content: unknown }[] =>
  JSON.parse(buildAnthropicRequest({ messages, maxOutputTokens: 64, stream: false }, "claude-sonnet-4-5", "sk-ant-test").body).messages;

const call = (id: string, args: string) => ({ id, name: "get_weather", arguments: args });

test("calls are blocks of the assistant's message, all their results blocks of one user message", () => {
  const messages = anthropicMessages([
    { role: "user", content: "Paris and Rome?" },
    { role: "assistant", content: "Let me look.", toolCalls: [call("a", '{"city": "Paris"}'), call("b", '{"city":"Rome"}')] },
    { role: "tool", toolCallId: "a", content: "12 °C" },
    { role: "tool", toolCallId: "b", content: "19 °C" },
  ]);
  expect(messages).toEqual([
    { role: "user", content: "Paris and Rome?" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "a", name: "get_weather", input: { city: "Paris" } },
        { type: "tool_use", id: "b", name: "get_weather", input: { city: "Rome" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "12 °C" },
        { type: "tool_result", tool_use_id: "b", content: "19 °C" },
      ],
    },
  ]);
});

test("user text after results follows them in the same message, and so do instructions from between", () => {
  const messages = writtenBy([
    { role: "user", content: "How warm is it?" },
    { role: "assistant", content: "", toolCalls: [call("a", "{}")] },
    { role: "system", content: "Be brief." },
    { role: "tool", toolCallId: "a", content: "12 °C" },
    { role: "system", content: "In French." },
    { role: "user", content: "And in °F?" },
    { role: "user", content: " " },
    { role: "assistant", content: "53.6 °F" },
    { role: "user", content: "Thanks" },
  ]);
  expect(messages.slice(2)).toEqual([
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "12 °C" },
        { type: "text", text: "Be brief." },
        { type: "text", text: "In French." },
        { type: "text", text: "And in °F?" },
        { type: "text", text: "(no text)" },
      ],
    },
    { role: "assistant", content: "53.6 °F" },
    { role: "user", content: "Thanks" },
  ]);
});

test("results of two rounds stay two messages", () => {
  const messages = anthropicMessages([
    { role: "assistant", content: "", toolCalls: [call("a", "{}")] },
    { role: "tool", toolCallId: "a", content: "1" },
    { role: "assistant", content: "", toolCalls: [call("b", "{}")] },
    { role: "tool", toolCallId: "b", content: "2" },
  ]);
  expect(messages.map(({ role }) => role)).toEqual(["assistant", "user", "assistant", "user"]);
  expect(messages[3]?.content).toEqual([{ type: "tool_result", tool_use_id: "b", content: "2" }]);
});

test("blank text beside calls and empty results are left out: no block may hold them", () => {
  const messages = anthropicMessages([
    { role: "assistant", content: "\n", toolCalls: [call("a", "{}")] },
    { role: "tool", toolCallId: "a", content: "" },
  ]);
  expect(JSON.parse(JSON.stringify(messages))).toEqual([
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "get_weather", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
  ]);
});

test("a missing or empty list of calls leaves a plain message", () => {
  expect(anthropicMessages([{ role: "assistant", content: "Hi", toolCalls: [] }])).toEqual([{ role: "assistant", content: "Hi" }]);
});

test("another provider's id is mapped to Anthropic's alphabet, the same in call and result", () => {
  const [, calling, answered] = writtenBy([
    { role: "user", content: "Hi" },
    { role: "assistant", content: "", toolCalls: [call("functions.get:0", "{}")] },
    { role: "tool", toolCallId: "functions.get:0", content: "1" },
  ]);
  expect(calling?.content).toMatchObject([{ id: "functions_get_0" }]);
  expect(answered?.content).toMatchObject([{ tool_use_id: "functions_get_0" }]);
});

test.each(["", "{", "null", "7", '"x"', "[1]", "undefined", `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`])(
  "arguments that are not a JSON object, or nest too deep to stringify, become {}: %.20s",
  (text) => {
    expect(anthropicMessages([{ role: "assistant", content: "", toolCalls: [call("a", text)] }])[0]?.content).toMatchObject([
      { input: {} },
    ]);
  },
);

describe("thoughts", () => {
  const madeBy = { provider: "anthropic", wireName: "claude-opus-5-5" } as const;
  const thought = (text: string, after?: { characters: number; calls: number }) =>
    ({ kind: "thinking", madeBy, text, data: `signed ${text}`, after }) as const;
  const written = (text: string) => ({ type: "thinking", thinking: text, signature: `signed ${text}` });
  const message = {
    role: "assistant",
    content: "Let me look. Now the rest.",
    toolCalls: [call("a", "{}"), call("b", "{}")],
    reasoning: [
      thought("first"),
      { kind: "redacted", madeBy, text: "", data: "sealed" },
      thought("second", { characters: 12, calls: 0 }),
      thought("third", { characters: 26, calls: 1 }),
    ],
  } as const;

  test("go back to the model that made them, each where it stood", () => {
    expect(anthropicMessages([message], madeBy)[0]?.content).toEqual([
      written("first"),
      { type: "redacted_thinking", data: "sealed" },
      { type: "text", text: "Let me look." },
      written("second"),
      { type: "text", text: " Now the rest." },
      { type: "tool_use", id: "a", name: "get_weather", input: {} },
      written("third"),
      { type: "tool_use", id: "b", name: "get_weather", input: {} },
    ]);
  });

  test("never end a message: an answer that broke off in the middle of a thought ends before it", () => {
    const broken = {
      ...message,
      toolCalls: [],
      reasoning: [...message.reasoning.slice(0, 3), thought("cut", { characters: 26, calls: 0 })],
    };
    const [first] = anthropicMessages([broken, { role: "user", content: "Go on." }], madeBy);
    expect(first?.content).toEqual([
      written("first"),
      { type: "redacted_thinking", data: "sealed" },
      { type: "text", text: "Let me look." },
      written("second"),
      { type: "text", text: " Now the rest." },
    ]);
  });

  test("are left out of an answer to be continued, which is continued without thinking", () => {
    const route = { provider: "anthropic", wireName: "claude-sonnet-4-5" } as const;
    const own = { ...thought("first"), madeBy: route };
    const messages: ChatMessage[] = [
      { role: "user", content: "Count." },
      { role: "assistant", content: "One, ", reasoning: [own, { ...own, after: { characters: 5, calls: 0 } }] },
    ];
    expect(writtenBy(messages).at(-1)).toEqual({ role: "assistant", content: "One," });
    expect(writtenBy([...messages, { role: "user", content: "Go on." }])[1]).toEqual({
      role: "assistant",
      content: [written("first"), { type: "text", text: "One, " }],
    });
  });

  test.each([
    { provider: "anthropic", wireName: "claude-sonnet-5-5" },
    { provider: "openai", wireName: "claude-opus-5-5" },
  ] as const)("are dropped for another route: %j", (route) => {
    expect(JSON.stringify(anthropicMessages([message], route))).not.toMatch(/thinking|sealed|signed/);
  });
});

describe("marks of a prefix to be cached", () => {
  const mark = { cache_control: { type: "ephemeral" } };

  test("stand on the blocks of system, messages, calls and results", () => {
    const messages = [
      {
        role: "system",
        content: [
          { type: "text", text: "Be brief." },
          { type: "text", text: "Rules", cache: "1h" },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Add", cache: "5m" }] },
      { role: "assistant", content: "", toolCalls: [{ ...call("a", "{}"), cache: "5m" }] },
      { role: "tool", toolCallId: "a", content: [{ type: "text", text: "42", cache: "5m" }], isError: true },
    ] as const;
    expect(anthropicSystem(messages, [undefined, "Answer in JSON."])).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "Rules", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "Answer in JSON." },
    ]);
    expect(anthropicMessages(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "Add", ...mark }] },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "get_weather", input: {}, ...mark }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "42" }], is_error: true, ...mark }],
      },
    ]);
  });

  test("are absent where none was asked for: the request is what it was without them", () => {
    expect(anthropicSystem([{ role: "system", content: "Be brief." }], ["In JSON."])).toBe("Be brief.\n\nIn JSON.");
    expect(anthropicSystem([], [])).toBeUndefined();
  });

  test("a blank block is left out, which Anthropic would refuse", () => {
    const blank = [{ type: "text", text: " " }] as const;
    expect(anthropicMessages([{ role: "tool", toolCallId: "a", content: [{ type: "text", text: "", cache: "5m" }] }])[0]?.content).toEqual([
      { type: "tool_result", tool_use_id: "a", ...mark },
    ]);
    expect(anthropicSystem([{ role: "system", content: blank }], [])).toBeUndefined();
    expect(anthropicMessages([{ role: "user", content: blank }])).toEqual([{ role: "user", content: " " }]);
  });
});
