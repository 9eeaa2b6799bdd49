// What servers that call themselves compatible with OpenAI send, as their references and public bug reports show it: Mistral, Groq, Together,
// OpenRouter, vLLM, SGLang, Ollama, LM Studio, Fireworks, Z.ai and Gemini's own chat completions.

import { describe, expect, test } from "vitest";
import { deltas, usage, whole } from "../testing/compatible";
import { gather, readUntilFailure } from "../testing/replay";
import type { ProviderEvent } from "../types";

const thought = (text: string, data: string) => ({ kind: "thinking", text, data });

describe("content in parts", () => {
  // https://docs.mistral.ai/api: ThinkChunk, TextChunk, ReferenceChunk; github.com/BerriAI/litellm/issues/16272 has a recorded stream.
  const thinking = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
  const reference = { type: "reference", reference_ids: [1, 2] };
  const answer = { text: "Paris, it is.", reasoning: [thought("Okay, a capital.", "thinking")], reason: "stop", usage };

  test("of Mistral, whole", async () => {
    const content = [thinking("Okay, a capital."), { type: "text", text: "Paris" }, reference, { type: "text", text: ", it is." }];
    expect(await gather(whole({ content, tool_calls: null }))).toEqual(answer);
  });

  test("of Mistral, streamed, with the text as texts", async () => {
    const given = [
      { content: [thinking("Okay, ")] },
      { content: [thinking("a capital.")] },
      { content: "Paris" },
      { content: [reference] },
    ];
    expect(await gather(deltas([...given, { content: [{ type: "text", text: ", it is." }] }]))).toEqual(answer);
  });

  test("thoughts between texts keep their order", () => {
    const content = [thinking("One."), { type: "text", text: "A" }, thinking("Two."), { type: "text", text: "B" }];
    const order = whole({ content }).map((one) =>
      one.type === "reasoning" ? `${one.index} ${one.text}` : one.type === "text" && one.text,
    );
    expect(order).toEqual(["0 One.", "A", "1 Two.", "B", false]);
  });

  test.each<[what: string, content: unknown, text: string]>([
    ["one part instead of a list", { type: "text", text: "Hi" }, "Hi"],
    ["a list of texts", ["H", "i"], "Hi"],
    ["a refusal", [{ type: "refusal", refusal: "No." }], "No."],
    ["output_text, as Responses call it", [{ type: "output_text", text: "Hi" }], "Hi"],
    ["an empty list", [], ""],
  ])("%s", async (_what, content, text) => {
    expect(await gather(whole({ content }))).toMatchObject({ text });
  });
});

describe("thoughts beside the content", () => {
  test.each<[field: string, message: object]>([
    ["reasoning_content", { content: "Hi", reasoning_content: "Hm." }],
    ["reasoning_content", { content: "Hi", reasoning_content: "Hm.", reasoning: "Hm." }],
    ["reasoning", { content: "Hi", reasoning: "Hm.", reasoning_content: null }],
  ])("in %s", async (field, message) => {
    const expected = { text: "Hi", reasoning: [thought("Hm.", field)], reason: "stop", usage };
    expect(await gather(whole(message))).toEqual(expected);
    const { content, ...thoughts } = message as { content: string };
    expect(await gather(deltas([{ role: "assistant", content: "" }, thoughts, { content }]))).toEqual(expected);
  });

  test("thoughts without content, whose message has null there", async () => {
    expect(await gather(whole({ content: null, reasoning_content: "Hm." }, "length"))).toMatchObject({ text: "", reason: "length" });
  });

  test("of no known form are passed over", async () => {
    const message = { content: "Hi", reasoning: { effort: "high" }, reasoning_content: 7, reasoning_details: "none" };
    expect(await gather(whole(message))).toEqual({ text: "Hi", reason: "stop", usage });
  });

  // https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
  test("OpenRouter's details are joined and kept, signatures among them, also those that come with the call", async () => {
    const detail = (fields: object) => ({ type: "reasoning.text", format: "anthropic-claude-v1", index: 0, ...fields });
    const encrypted = { type: "reasoning.encrypted", data: "c2VjcmV0", format: "google-gemini-v1", index: 0 };
    const call = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
    const given = [
      { reasoning: "Let ", reasoning_details: [detail({ text: "Let " })] },
      { reasoning: "me see.", reasoning_details: [detail({ text: "me see." })] },
      { reasoning: null, reasoning_details: [detail({ signature: "sig" })] },
      { content: "So: " },
      { tool_calls: [call], reasoning_details: [encrypted] },
    ];
    const { reasoning, toolCalls } = await gather(deltas(given, "tool_calls"));
    expect(toolCalls).toMatchObject([{ id: "call_1", name: "f", arguments: "{}" }]);
    expect(reasoning).toEqual([
      thought("Let me see.", JSON.stringify([{ ...detail({ text: "Let me see." }), signature: "sig" }])),
      thought("", JSON.stringify([encrypted])),
    ]);
  });
});

describe("tool calls", () => {
  const call = (fields: object, called: object = { name: "get_weather", arguments: '{"city":"Rome"}' }) => ({
    type: "function",
    function: called,
    ...fields,
  });
  const weather = { id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' };

  test.each<[what: string, given: object[], calls: object[]]>([
    ["arguments as an object", [call({ id: "call_1" }, { name: "get_weather", arguments: { city: "Rome" } })], [weather]],
    ["arguments null", [call({ id: "call_1" }, { name: "f", arguments: null })], [{ id: "call_1", name: "f", arguments: "{}" }]],
    ["arguments empty", [call({ id: "call_1" }, { name: "f", arguments: "" })], [{ id: "call_1", name: "f", arguments: "{}" }]],
    ["an id that is a number", [call({ id: 7 })], [{ ...weather, id: "7" }]],
    ["an index that is null", [call({ id: "call_1", index: null })], [weather]],
    ["an index that is a text", [call({ id: "call_1", index: "0" })], [weather]],
  ])("%s", async (_what, tool_calls, toolCalls) => {
    const expected = { text: "", toolCalls, reason: "tool_calls", usage };
    expect(await gather(whole({ content: null, tool_calls }, "tool_calls"))).toEqual(expected);
    expect(await gather(deltas([{ content: null, tool_calls }], "tool_calls"))).toEqual(expected);
  });

  test.each<[what: string, tool_calls: unknown]>([
    ["null", null],
    ["an empty list", []],
  ])("%s in place of calls", async (_what, tool_calls) => {
    expect(await gather(whole({ content: "Hi", tool_calls }))).toEqual({ text: "Hi", reason: "stop", usage });
    expect(await gather(deltas([{ content: "Hi", tool_calls }]))).toEqual({ text: "Hi", reason: "stop", usage });
  });

  const args = (index: number | undefined, text: string) => ({ index, function: { arguments: text } });
  test.each<[what: string, pieces: object[]]>([
    [
      "an id first, the name later",
      [{ index: 0, id: "call_1" }, { index: 0, function: { name: "get_weather" } }, args(0, weather.arguments)],
    ],
    ["the same without an index", [{ id: "call_1" }, { function: { name: "get_weather" } }, args(undefined, weather.arguments)]],
    [
      "a name in pieces",
      [call({ index: 0, id: "call_1" }, { name: "get_" }), { index: 0, function: { name: "weather" } }, args(0, weather.arguments)],
    ],
    [
      "arguments before the name",
      [
        { index: 0, id: "call_1", function: { arguments: '{"city":' } },
        { index: 0, function: { name: "get_weather", arguments: '"Rome"}' } },
      ],
    ],
    [
      "a name repeated in each piece",
      [call({ index: 0, id: "call_1" }, { name: "get_weather", arguments: "" }), call({ index: 0, id: "call_1" })],
    ],
  ])("a stream with %s", async (_what, pieces) => {
    const answer = await gather(
      deltas(
        pieces.map((piece) => ({ tool_calls: [piece] })),
        "tool_calls",
      ),
    );
    expect(answer.toolCalls).toEqual([weather]);
  });

  test("two calls whose ids come alone, without an index", async () => {
    const pieces = [
      { id: "a" },
      { function: { name: "f" } },
      args(undefined, "{}"),
      { id: "b" },
      { function: { name: "g" } },
      args(undefined, "[]"),
    ];
    const { toolCalls } = await gather(deltas(pieces.map((piece) => ({ tool_calls: [piece] }))));
    expect(toolCalls).toEqual([
      { id: "a", name: "f", arguments: "{}" },
      { id: "b", name: "g", arguments: "[]" },
    ]);
  });

  test("two calls that share the index 0, and have no ids", async () => {
    const calls = ["f", "g"].map((name) => ({ tool_calls: [{ index: 0, function: { name, arguments: "{}" } }] }));
    const { toolCalls } = await gather(deltas(calls, "tool_calls"));
    expect(toolCalls?.map(({ name, arguments: given }) => [name, given])).toEqual([
      ["f", "{}"],
      ["g", "{}"],
    ]);
  });

  test("a call that the output limit cut stays cut", async () => {
    const cut = [{ tool_calls: [call({ index: 0, id: "call_1" }, { name: "f", arguments: "" })] }];
    expect(await gather(deltas(cut, "length"))).toMatchObject({ toolCalls: [{ arguments: "" }], reason: "length" });
    expect(await gather(whole({ tool_calls: [call({ id: "a" }, { name: "f", arguments: '{"ci' })] }, "length"))).toMatchObject({
      toolCalls: [{ arguments: '{"ci' }],
      reason: "length",
    });
  });

  test("a call that never names its function is malformed", async () => {
    const { failure } = await readUntilFailure(deltas([{ tool_calls: [args(0, "{}")] }], "tool_calls"));
    expect(failure).toMatchObject({ kind: "malformed", accepted: true });
  });
});

test("the thoughts of an answer are handed on before its text, and its calls after", async () => {
  const events: ProviderEvent[] = [];
  const call = { index: 0, id: "a", function: { name: "f", arguments: "{}" } };
  for await (const one of deltas([{ reasoning_content: "Hm." }, { content: "Hi" }, { tool_calls: [call] }])) events.push(one);
  expect(events.map(({ type }) => type)).toEqual(["reasoning", "text", "tool_call", "tool_call", "finish"]);
});
