// Conversations of any shape that OpenAI takes, written for each target and held against that target's published rules.

import fc from "fast-check";
import { expect, test } from "vitest";
import { buildAnthropicRequest } from "../anthropic/request";
import { buildGeminiRequest } from "../gemini/request";
import { buildOpenAIRequest } from "../openai/request";
import { buildResponsesRequest } from "../openai-responses/request";
import { builtInEntries } from "../provider-entry";
import { inputBoundForCall } from "../token-bound";
import type { ModelCall } from "../types";
import type { ImagePart } from "./images";
import { type ChatMessage, type Content, contentText, type ToolCall } from "./messages";
import { addedTokens, normaliseConversation } from "./normalise";
import { shapeRules } from "./shape-rules";

const text = fc.oneof(
  { arbitrary: fc.constantFrom("Hi", "Be brief.", "12 °C", "Go on. "), weight: 4 },
  fc.constantFrom("", " ", "\n\t", "\u001c", "\u0085"),
);
const content: fc.Arbitrary<Content> = fc.oneof(
  { arbitrary: text, weight: 3 },
  fc.array(
    text.map((one) => ({ type: "text", text: one }) as const),
    { maxLength: 3 },
  ),
);
const callId = fc.constantFrom("call_1", "a.b", "a_b", "a:b", "call 1", "x".repeat(70), "call_1__thought__AAAA", "call_1__thought__BBBB");
const call = fc.record<ToolCall>({
  id: callId,
  name: fc.constantFrom("get_weather", "3d.render", "-x", "n".repeat(90), `3${"d".repeat(70)}`),
  arguments: fc.constantFrom("{}", "{", '{"a":1}'),
});

/** A message, or a turn with calls and their results in any order, with a message between. */
const turn: fc.Arbitrary<ChatMessage[]> = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "user"), content }).map((message) => [message as ChatMessage]),
  content.map((one): ChatMessage[] => [{ role: "assistant", content: one }]),
  fc
    .tuple(
      content,
      fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
      fc.option(fc.constantFrom("system", "user"), { nil: undefined }),
      text,
    )
    .map(([said, toolCalls, between, result]): ChatMessage[] => {
      const results: ChatMessage[] = toolCalls.map(({ id }) => ({ role: "tool", toolCallId: id, content: result }));
      if (between) results.splice(1, 0, { role: between as "user", content: "Between." });
      return [{ role: "assistant", content: said, toolCalls }, ...results.reverse()];
    }),
);
const conversation = fc.array(turn, { minLength: 1, maxLength: 6 }).map((turns) => turns.flat());

const callOf = (messages: readonly ChatMessage[]): ModelCall => ({ messages, maxOutputTokens: 64, stream: false });
const runs = process.env.LONG === "1" ? 20_000 : 500;
const everyConversation = (check: (messages: readonly ChatMessage[]) => void) =>
  fc.assert(fc.property(conversation, check), { numRuns: runs });

interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  tool_use_id?: string;
}
interface Wire {
  role: string;
  content: string | Block[];
}

/** A character that Python's strip() does not remove. */
const separators = "\u001c\u001d\u001e\u001f\u0085";
const python = new RegExp(`[^\\s${separators}]`);
const blocksOf = ({ content: given }: Wire): Block[] => (typeof given === "string" ? [{ type: "text", text: given }] : given);
const idsOf = (message: Wire | undefined, type: string): (string | undefined)[] =>
  message ? blocksOf(message).flatMap((block) => (block.type === type ? [block.id ?? block.tool_use_id] : [])) : [];

function expectAnthropicShape(messages: Wire[], { laterSystem, prefill }: { laterSystem: boolean; prefill: boolean }): void {
  expect(messages[0]?.role).toBe("user");
  if (!prefill) expect(messages.at(-1)?.role).not.toBe("assistant");
  const last = messages.at(-1);
  if (last?.role === "assistant") expect(blocksOf(last).at(-1)?.text).toMatch(/\S$/);
  const ids = messages.flatMap((message) => idsOf(message, "tool_use"));
  expect(new Set(ids).size).toBe(ids.length);
  for (const [index, message] of messages.entries()) {
    const [before, after] = [messages[index - 1], messages[index + 1]];
    for (const block of blocksOf(message)) {
      if (block.type === "text") expect(block.text).toMatch(python);
      if (block.type === "tool_use") expect(block.name).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
      if (block.type === "tool_use") expect(block.id).toMatch(/^[a-zA-Z0-9_-]+$/);
    }
    expect(idsOf(after, "tool_result").sort()).toEqual(idsOf(message, "tool_use").sort());
    if (message.role !== "system") continue;
    expect(laterSystem).toBe(true);
    expect(before?.role).toBe("user");
    expect([undefined, "assistant"]).toContain(after?.role);
  }
}

test.each([
  ["claude-haiku-4-5", { laterSystem: false, prefill: true }],
  ["claude-opus-4-6", { laterSystem: false, prefill: false }],
  ["claude-opus-4-8", { laterSystem: true, prefill: false }],
  ["claude-sonnet-5", { laterSystem: false, prefill: false }],
  ["claude-opus-5-5", { laterSystem: true, prefill: false }],
])("%s gets what Anthropic's rules allow", (model, rules) => {
  everyConversation((messages) => {
    const body = JSON.parse(buildAnthropicRequest(callOf(messages), model, "key").body) as { system?: string | Block[]; messages: Wire[] };
    expectAnthropicShape(body.messages, rules);
    for (const block of blocksOf({ role: "system", content: body.system ?? [] })) expect(block.text).toMatch(python);
  });
});

interface GeminiPart {
  text?: string;
  functionCall?: { id: string; name: string };
  functionResponse?: { id: string; name: string };
}

test("Gemini gets calls after a turn of the user, as many results as calls, a last turn of the user, and no blank part", () => {
  everyConversation((messages) => {
    const { contents } = JSON.parse(buildGeminiRequest(callOf(messages), "gemini-3-pro", "key").body) as {
      contents: { role: string; parts: GeminiPart[] }[];
    };
    expect(contents[0]?.role).toBe("user");
    expect(contents.at(-1)?.role).toBe("user");
    const ids = contents.flatMap(({ parts }) => parts.flatMap(({ functionCall }) => functionCall?.id ?? []));
    expect(new Set(ids).size).toBe(ids.length);
    for (const [index, { role, parts }] of contents.entries()) {
      expect(parts.length).toBeGreaterThan(0);
      for (const part of parts) if (part.text !== undefined) expect(part.text).toMatch(python);
      const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
      const results = (contents[index + 1]?.parts ?? []).flatMap(({ functionResponse }) => (functionResponse ? [functionResponse] : []));
      expect(results.map(({ id, name }) => `${id} ${name}`).sort()).toEqual(calls.map(({ id, name }) => `${id} ${name}`).sort());
      for (const { name } of calls) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
      if (calls.length > 0) expect([role, contents[index - 1]?.role]).toEqual(["model", "user"]);
    }
  });
});

interface ChatWire {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string } }[];
  tool_call_id?: string;
}

/** "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'." */
function expectPairs(messages: ChatWire[]): void {
  const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  for (const [index, { tool_calls = [] }] of messages.entries()) {
    const results = messages.slice(index + 1, index + 1 + tool_calls.length).map(({ tool_call_id }) => tool_call_id);
    expect(results.sort()).toEqual(tool_calls.map(({ id }) => id).sort());
    for (const { id, function: called } of tool_calls) {
      expect(id.length).toBeLessThanOrEqual(40);
      expect(called.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }
  }
}

test("OpenAI gets every message in its place, and each call with its results", () => {
  everyConversation((messages) => {
    const body = JSON.parse(buildOpenAIRequest(callOf(messages), "gpt-4o", "key", "openai").body) as { messages: ChatWire[] };
    expectPairs(body.messages);
    expect(body.messages.map(({ role }) => role).sort()).toEqual(messages.map(({ role }) => role).sort());
  });
});

interface Item {
  type?: string;
  call_id?: string;
}

test("Responses gets each call once, with an output after it", () => {
  everyConversation((messages) => {
    const { input } = JSON.parse(buildResponsesRequest(callOf(messages), "gpt-5.4", "key", "openai").body) as { input: Item[] };
    const calls = input.flatMap(({ type, call_id }, index) => (type === "function_call" ? [{ index, call_id }] : []));
    expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(calls.length);
    for (const { index, call_id } of calls) {
      expect(input.slice(index + 1).filter((item) => item.type === "function_call_output" && item.call_id === call_id)).toHaveLength(1);
    }
  });
});

/** mistral-common, validator.py: `_validate_message_order`, `_validate_last_message`. */
const mayFollow: Record<string, string[]> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

test.each(builtInEntries.map(({ id, dialect, format }) => [id, { dialect, format, stopsWhenCut: false }] as const))(
  "%s gets what chat templates take",
  (id, entry) => {
    everyConversation((messages) => {
      const body = JSON.parse(buildOpenAIRequest(callOf(messages), "a-model", "key", id, entry).body) as { messages: ChatWire[] };
      expectPairs(body.messages);
      const turns = body.messages.filter(
        ({ role }, index) => role !== "system" || body.messages.slice(0, index).some((one) => one.role !== "system"),
      );
      expect(turns.map(({ role }) => role)).not.toContain("system");
      expect(turns[0]?.role).toBe("user");
      expect(["user", "tool"]).toContain(turns.at(-1)?.role);
      for (const [index, { role, content: said }] of turns.entries()) {
        if (role === "user") expect(said).toMatch(python);
        if (role !== "tool") expect(turns[index - 1]?.role).not.toBe(role);
        const before = turns[index - 1]?.role;
        if (id === "mistral" && before) expect(mayFollow[before]).toContain(role);
      }
    });
  },
);

const image: ImagePart = {
  type: "image",
  detail: "low",
  source: { kind: "bytes", mediaType: "image/png", base64: "AAAA", width: 1, height: 1 },
};
const withImages = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map((message) =>
    message.role === "tool" ? { ...message, content: [{ type: "text", text: contentText(message.content) }, image] } : message,
  );

test.each([
  ["", (messages: readonly ChatMessage[]) => messages],
  [", images of results among it", withImages],
])("the bound of a conversation covers what any target's rules add to it%s", (_what, given) => {
  everyConversation((conversation) => {
    const messages = given(conversation);
    const bound = inputBoundForCall({ messages }, "claude");
    for (const rules of Object.values(shapeRules)) {
      const written = normaliseConversation(
        messages,
        { ...rules, endsWithUser: rules.opensWithUser },
        (id, copy) => String.fromCharCode(96 + copy) + id.slice(1),
      );
      // What is written already is not added again.
      expect(inputBoundForCall({ messages: written }, "o200k") - addedTokens(written)).toBeLessThanOrEqual(bound);
    }
  });
});

test("a conversation that has its target's shape comes back as it is", () => {
  const messages: ChatMessage[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Hi", cache: "5m" }] },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "Go on." },
  ];
  for (const rules of Object.values(shapeRules)) expect(normaliseConversation(messages, rules, (id) => id)).toBe(messages);
});

test("instructions in the middle leave what came before them as it was, its cache marks included", () => {
  const before: ChatMessage[] = [
    { role: "system", content: [{ type: "text", text: "You review code.", cache: "1h" }] },
    { role: "user", content: [{ type: "text", text: "Look at this.", cache: "5m" }] },
  ];
  const later: ChatMessage[] = [...before, { role: "system", content: "Answer in French." }];
  for (const model of ["claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5"]) {
    const [short, long] = [before, later].map((messages) => JSON.parse(buildAnthropicRequest(callOf(messages), model, "key").body));
    expect(long.system).toEqual(short.system);
    expect(long.messages.slice(0, 1)).toEqual(short.messages);
    expect(long.messages[1]).toEqual({ role: model === "claude-opus-4-8" ? "system" : "user", content: "Answer in French." });
  }
});

test("results that come after a later answer, as Responses allows, go behind their own calls", () => {
  const callsOf = (id: string): ChatMessage => ({ role: "assistant", content: "", toolCalls: [{ id, name: "f", arguments: "{}" }] });
  const [user, a, b] = [{ role: "user", content: "Wait." }, "call_a", "call_b"] as [ChatMessage, string, string];
  const result = (toolCallId: string): ChatMessage => ({ role: "tool", content: "1", toolCallId });
  const messages = [user, callsOf(a), user, callsOf(b), result(b), result(a)];
  const normal = normaliseConversation(messages, shapeRules.openai, (id) => id);
  expect(normal).toEqual([user, callsOf(a), result(a), user, callsOf(b), result(b)]);
});
