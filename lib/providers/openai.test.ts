import { describe, expect, test } from "vitest";
import { openaiFormat } from "./openai";
import { failureOf, fixtureBytes, gather, inPieces, readFixture, readUntilFailure, usageOf } from "./testing/replay";
import type { ProviderEvent } from "./types";

const unicodeText = 'Grüße, 世界 👩🏽‍🚀🚀 e\u0301 שלום \u2028— "done"\n\t';
const lisbon = '{"city":"Lisbon"}';
const weather = (id: string, text: string) => ({ id, name: "get_weather", arguments: text });
const both = [weather("call_abc123", lisbon), { id: "call_def456", name: "get_time", arguments: '{"zone":"Ωμέγα 🚀"}' }];
const refusalText = "I'm sorry, I can't help with that.";

describe("answers", () => {
  test.each([
    ["plain.json", "A ledger keeps what was promised.", "stop", [19, 8, 0, 0]],
    ["plain.sse", "A ledger keeps what was promised.", "stop", [19, 8, 0, 0]],
    ["unicode.json", unicodeText, "stop", [11, 27, 0, 0]],
    ["unicode.sse", unicodeText, "stop", [11, 27, 0, 0]],
    ["unicode-escaped.sse", unicodeText, "stop", [11, 27, 0, 0]],
    ["cached.json", "Read from the cache.", "stop", [2006, 5, 1920, 0]],
    ["reasoning.json", "42", "stop", [75, 1186, 0, 1024]],
    ["reasoning.sse", "42", "stop", [75, 1186, 0, 1024]],
    ["refusal.json", refusalText, "content_filter", [81, 11, 0, 0]],
    ["refusal.sse", refusalText, "content_filter", [81, 11, 0, 0]],
    ["content-filter.json", "The first half", "content_filter", [30, 3, 0, 0]],
    ["max-tokens.json", "Once upon a", "length", [12, 3, 0, 0]],
    ["max-tokens.sse", "Once upon a", "length", [12, 3, 0, 0]],
    ["empty.json", "", "length", [12, 64, 0, 64]],
    ["without-usage.json", "No count.", "stop", null],
    ["without-done.sse", "Enough said.", "stop", null],
    ["usage-with-null-choices.sse", "Hello.", "stop", [9, 3, 0, 0]],
    ["deepseek-cached.json", "Cached on disk.", "stop", [530, 6, 512, 0]],
    ["deepseek-keep-alive.json", "Worth the wait.", "stop", [8, 5, 0, 0]],
    ["deepseek-reasoning.json", "9.11 is smaller.", "stop", [15, 212, 0, 200]],
    ["deepseek-reasoning.sse", "9.11 is smaller.", "stop", [15, 212, 0, 200]],
    ["xai-reasoning.json", "101 times 3 is 303.", "stop", [32, 103, 6, 94]],
    ["xai-reasoning.sse", "101 times 3 is 303.", "stop", [32, 103, 6, 94]],
    ["xai-cached-beside.json", "Warm.", "stop", [140, 2, 128, 0]],
  ] as const)("%s", async (name, text, reason, counts) => {
    const expected = { text, reason, usage: counts && usageOf(counts) };
    for (const size of name.endsWith(".sse") ? [undefined, 1, 7] : [undefined]) {
      const { reasoning: _, ...answer } = await readFixture(openaiFormat, name, size);
      expect(answer).toEqual(expected);
    }
  });

  test.each([
    ["deepseek-reasoning.json"],
    ["deepseek-reasoning.sse"],
    ["deepseek-tool-calls.json"],
    ["deepseek-tool-calls.sse"],
    ["xai-reasoning.json"],
    ["xai-reasoning.sse"],
  ])("%s has its thoughts in words, and says in which field", async (name) => {
    const bytes = fixtureBytes("openai", name).toString();
    const written = [...bytes.matchAll(/"reasoning_content": ?"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => JSON.parse(`"${text}"`)).join("");
    expect(written).not.toBe("");
    expect((await readFixture(openaiFormat, name)).reasoning).toEqual([{ kind: "thinking", text: written, data: "reasoning_content" }]);
  });

  test.each([
    ["tool-calls.json", "", [weather("call_abc123", "{}")], "tool_calls", [82, 17, 0, 0]],
    ["tool-calls.sse", "", [weather("call_abc123", lisbon)], "tool_calls", [82, 17, 0, 0]],
    ["tool-calls-parallel.json", "I'll look both up.", both, "tool_calls", [96, 51, 0, 0]],
    ["tool-calls-parallel.sse", "I'll look both up.", both, "tool_calls", [96, 51, 0, 0]],
    ["tool-calls-forced.json", "", [weather("call_abc123", lisbon)], "stop", [90, 9, 0, 0]],
    ["tool-calls-whole.sse", "", both, "tool_calls", [96, 51, 0, 0]],
    ["tool-calls-without-index.sse", "", both, "tool_calls", null],
    ["tool-calls-repeated-names.sse", "", both, "tool_calls", null],
    ["tool-calls-one-index.sse", "", both, "stop", null],
    ["tool-calls-custom.json", "", [weather("call_abc123", lisbon)], "tool_calls", [82, 17, 0, 0]],
    ["tool-calls-custom.sse", "", [weather("call_abc123", lisbon)], "tool_calls", [82, 17, 0, 0]],
    ["deepseek-tool-calls.json", "", [weather("call_00_abc123", lisbon)], "tool_calls", [180, 71, 128, 40]],
    ["deepseek-tool-calls.sse", "", [weather("call_00_abc123", lisbon)], "tool_calls", [180, 71, 128, 40]],
    ["xai-tool-calls.sse", "", both, "tool_calls", [380, 115, 0, 80]],
  ] as const)("%s calls functions", async (name, text, toolCalls, reason, counts) => {
    const expected = { text, toolCalls, reason, usage: counts && usageOf(counts) };
    for (const size of name.endsWith(".sse") ? [undefined, 1, 7] : [undefined]) {
      const { reasoning: _, ...answer } = await readFixture(openaiFormat, name, size);
      expect(answer).toEqual(expected);
    }
  });

  test("the pieces of a call are handed on as they arrive, its id and name only with the first", async () => {
    const events: ProviderEvent[] = [];
    for await (const event of openaiFormat.readStream(inPieces(fixtureBytes("openai", "tool-calls.sse")))) events.push(event);
    expect(events.slice(0, -1)).toEqual([
      { type: "tool_call", index: 0, id: "call_abc123", name: "get_weather", arguments: "" },
      ...['{"', "city", '":"', "Lisbon", '"}'].map((piece) => ({ type: "tool_call", index: 0, arguments: piece })),
    ]);
  });

  test("a call without an id gets one of ours", async () => {
    const call = { type: "function", function: { name: "get_weather", arguments: "{}" } };
    const reply = JSON.stringify({ choices: [{ message: { tool_calls: [call, { ...call, id: "" }] }, finish_reason: "tool_calls" }] });
    const stream = `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ ...call, index: 3 }] }, finish_reason: "function_call" }] })}\n\n`;
    const answers = [await gather(openaiFormat.readReply(reply)), await gather(openaiFormat.readStream(inPieces(Buffer.from(stream))))];
    const ids = answers.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
    expect(ids).toEqual([expect.stringMatching(/^call_\w{24}$/), expect.any(String), expect.any(String)]);
    expect(new Set(ids).size).toBe(3);
    expect(answers.map(({ reason }) => reason)).toEqual(["tool_calls", "tool_calls"]);
  });

  test("reading ends with [DONE], even when the connection stays open", async () => {
    async function* neverEnding(): AsyncGenerator<Uint8Array> {
      yield* inPieces(fixtureBytes("openai", "plain.sse"));
      await new Promise(() => undefined);
    }
    const types: string[] = [];
    for await (const event of openaiFormat.readStream(neverEnding())) types.push(event.type);
    expect(types.at(-1)).toBe("finish");
  });
});

describe("failures inside an answer", () => {
  test.each([
    ["truncated.sse", "It was the best of", "malformed"],
    ["truncated-mid-event.sse", "It was the best of", "malformed"],
    ["without-finish-reason.sse", "Enough said.", "malformed"],
    ["error-in-stream.sse", "Half", "unavailable"],
    ["rubbish.txt", "", "malformed"],
  ])("the stream %s delivers what arrived and then fails", async (name, text, kind) => {
    const { failure, ...delivered } = await readUntilFailure(openaiFormat.readStream(inPieces(fixtureBytes("openai", name))));
    expect(delivered.text).toBe(text);
    expect(failure).toMatchObject({ kind, accepted: true });
  });

  test.each([
    ["xai-error-inside-200.json", "unavailable"],
    ["deepseek-out-of-resources.json", "unavailable"],
    ["rubbish.txt", "malformed"],
    ["plain.sse", "malformed"],
  ])("the reply %s: %s", (name, kind) => {
    expect(failureOf(() => openaiFormat.readReply(fixtureBytes("openai", name).toString()))).toMatchObject({ kind, accepted: true });
  });

  test.each([
    [{ index: 0, id: "call_1" }],
    [{ index: 0, id: "call_1", function: { arguments: "{}" } }],
    [{ function: { arguments: "{}" } }],
    [
      { index: 0, id: "call_1", function: { name: "f" } },
      { index: 1, function: { arguments: "{}" } },
    ],
  ])("a stream in which a call begins without a name is malformed: %j", async (...pieces) => {
    const stream = `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: pieces } }] })}\n\n`;
    const { failure } = await readUntilFailure(openaiFormat.readStream(inPieces(Buffer.from(stream))));
    expect(failure).toMatchObject({ kind: "malformed", accepted: true });
  });

  test.each([
    ['{"error":{"message":"bad","type":"invalid_request_error"}}', "rejected"],
    ['{"error":{"message":"bad"}}', "rejected"],
    ['{"error":{"message":"bad","code":502}}', "unavailable"],
    ['{"error":{"message":"bad","code":"429"}}', "unavailable"],
    ['{"error":{"message":"bad","code":"insufficient_quota"}}', "misconfigured"],
    ['{"error":{"message":"bad","type":"authentication_error"}}', "misconfigured"],
    ['{"error":true}', "rejected"],
  ])("an error inside a 200 keeps its own kind: %s", (body, kind) => {
    expect(failureOf(() => openaiFormat.readReply(body))).toMatchObject({ kind, accepted: true });
  });

  test.each([
    "null",
    "[]",
    "{}",
    '{"choices":[]}',
    '{"choices":[null]}',
    '{"choices":[{"message":null}]}',
    '{"choices":[{"message":{"content":7}}]}',
    '{"choices":[{"message":{"content":"secret"},"finish_reason":{}}]}',
    '{"choices":[{"message":{"tool_calls":"secret"}}]}',
    '{"choices":[{"message":{"tool_calls":[{"id":"secret"}]}}]}',
    '{"choices":[{"message":{"tool_calls":[{"id":"secret","function":{"arguments":"{}"}}]}}]}',
    '{"choices":[{"message":{"tool_calls":[{"id":"secret","function":{"name":"","arguments":"{}"}}]}}]}',
    '{"choices":[{"message":{"tool_calls":[{"id":"secret","function":{"name":"f","arguments":["secret"]}}]}}]}',
    '{"secret',
  ])("a reply that is not a chat completion is malformed, and is not quoted: %s", (body) => {
    const failure = failureOf(() => openaiFormat.readReply(body));
    expect(failure.kind).toBe("malformed");
    expect(String(failure.message) + String(failure.cause)).not.toContain("secret");
  });
});

describe("usage", () => {
  const replyWith = (usage: string) => `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":${usage}}`;
  const usageFrom = (usage: object) => openaiFormat.readReply(replyWith(JSON.stringify(usage))).at(-1);

  test.each([
    '{"prompt_tokens":-1,"completion_tokens":1}',
    '{"prompt_tokens":1.5,"completion_tokens":1}',
    '{"prompt_tokens":"five","completion_tokens":1}',
    '{"prompt_tokens":NaN,"completion_tokens":1}',
    '{"prompt_tokens":1e999,"completion_tokens":1}',
    '{"prompt_tokens":1,"completion_tokens":1000000000}',
    '{"prompt_tokens":1,"completion_tokens":9007199254740993}',
    '{"prompt_tokens":1,"completion_tokens":1,"total_tokens":-2}',
    '{"prompt_tokens":1,"completion_tokens":600000000,"completion_tokens_details":{"reasoning_tokens":700000000}}',
    '{"prompt_tokens":1,"completion_tokens":1,"completion_tokens_details":{"reasoning_tokens":-1}}',
    '{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":0.1}}',
  ])("absurd counts are malformed: %s", async (usage) => {
    expect(failureOf(() => openaiFormat.readReply(replyWith(usage))).kind).toBe("malformed");
    const stream = Buffer.from(
      `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`,
    );
    expect((await readUntilFailure(openaiFormat.readStream(inPieces(stream)))).failure.kind).toBe("malformed");
  });

  test.each([{}, { prompt_tokens: 5 }, { completion_tokens: 5 }, { prompt_tokens: null, completion_tokens: 5 }])(
    "usage without either count is null: %j",
    (usage) => {
      expect(usageFrom(usage)).toMatchObject({ usage: null });
    },
  );

  const reasoning = (tokens: number) => ({ completion_tokens_details: { reasoning_tokens: tokens } });
  test.each([
    ["inside, the total says so", { prompt_tokens: 10, completion_tokens: 50, total_tokens: 60, ...reasoning(40) }, 50],
    ["beside, the total says so", { prompt_tokens: 10, completion_tokens: 50, total_tokens: 100, ...reasoning(40) }, 90],
    ["inside, when there is no total", { prompt_tokens: 10, completion_tokens: 50, ...reasoning(40) }, 50],
    ["beside, since it is more than all there was", { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, ...reasoning(40) }, 42],
    ["beside, and nothing else was said", { prompt_tokens: 10, completion_tokens: 0, total_tokens: 50, ...reasoning(40) }, 40],
  ])("reasoning counts once: %s", (_, usage, outputTokens) => {
    expect(usageFrom(usage)).toMatchObject({ usage: { inputTokens: 10, outputTokens, reasoningTokens: 40 } });
  });

  test("a cached count larger than the prompt is capped at it, unless the total counts both", () => {
    const cached = { prompt_tokens_details: { cached_tokens: 9 } };
    expect(usageFrom({ prompt_tokens: 5, completion_tokens: 1, total_tokens: 6, ...cached })).toMatchObject({
      usage: usageOf([5, 1, 5, 0]),
    });
    expect(usageFrom({ prompt_tokens: 5, completion_tokens: 1, total_tokens: 15, ...cached })).toMatchObject({
      usage: usageOf([14, 1, 9, 0]),
    });
  });
});
