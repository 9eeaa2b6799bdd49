import { describe, expect, test } from "vitest";
import { openaiFormat } from "./openai";
import { failureOf, fixtureBytes, inPieces, readFixture, readUntilFailure, usageOf } from "./testing/replay";
import type { ModelCall, ProviderId } from "./types";

const unicodeText = 'Grüße, 世界 👩🏽‍🚀🚀 e\u0301 שלום \u2028— "done"\n\t';
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
    ["tool-calls.json", "", "other", [82, 17, 0, 0]],
    ["empty.json", "", "length", [12, 64, 0, 64]],
    ["without-usage.json", "No count.", "stop", null],
    ["without-done.sse", "Enough said.", "stop", null],
    ["without-finish-reason.sse", "Enough said.", "other", null],
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
      expect(await readFixture(openaiFormat, name, size)).toEqual(expected);
    }
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
    ["error-in-stream.sse", "Half", "unavailable"],
    ["rubbish.txt", "", "malformed"],
  ])("the stream %s delivers what came and then fails", async (name, text, kind) => {
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
    ['{"error":{"message":"bad","type":"invalid_request_error"}}', "rejected"],
    ['{"error":{"message":"bad"}}', "rejected"],
    ['{"error":{"message":"bad","code":502}}', "unavailable"],
    ['{"error":{"message":"bad","code":"429"}}', "unavailable"],
    ['{"error":{"message":"bad","code":"insufficient_quota"}}', "misconfigured"],
    ['{"error":{"message":"bad","type":"authentication_error"}}', "misconfigured"],
    ['{"error":true}', "rejected"],
  ])("an error inside a 200 says what it is: %s", (body, kind) => {
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
    '{"choices":[{"message":{"content":[{"type":"text","text":"secret"}]}}]}',
    '{"choices":[{"message":{"content":"secret"},"finish_reason":{}}]}',
    '{"choices":[{"message":{"content":"secret"}}],"usage":"much"}',
    '{"secret',
  ])("a reply that is no chat completion is malformed, and is not quoted: %s", (body) => {
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
    '{"prompt_tokens":"5","completion_tokens":1}',
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
    "without both counts there is none: %j",
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

  test("a cached part larger than the prompt is cut to it, unless the total counts both", () => {
    const cached = { prompt_tokens_details: { cached_tokens: 9 } };
    expect(usageFrom({ prompt_tokens: 5, completion_tokens: 1, total_tokens: 6, ...cached })).toMatchObject({
      usage: usageOf([5, 1, 5, 0]),
    });
    expect(usageFrom({ prompt_tokens: 5, completion_tokens: 1, total_tokens: 15, ...cached })).toMatchObject({
      usage: usageOf([14, 1, 9, 0]),
    });
  });
});

describe("requests", () => {
  const call: ModelCall = {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ],
    maxOutputTokens: 64,
    temperature: 0.5,
    stream: false,
  };
  const bodyOf = (wireName: string, provider: ProviderId, changes: Partial<ModelCall> = {}) =>
    JSON.parse(openaiFormat.buildRequest({ ...call, ...changes }, wireName, "sk-test", provider).body);

  test("hold the call and nothing else", () => {
    const request = openaiFormat.buildRequest(call, "gpt-4o-mini", "sk-test", "openai");
    expect(request).toMatchObject({
      path: "chat/completions",
      headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
    });
    expect(JSON.parse(request.body)).toEqual({
      model: "gpt-4o-mini",
      messages: call.messages,
      max_completion_tokens: 64,
      temperature: 0.5,
    });
  });

  test("a stream asks for its usage", () => {
    expect(bodyOf("gpt-4o-mini", "openai", { stream: true })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test.each(["xai", "deepseek"] as const)("%s gets the older name of the limit", (provider) => {
    const body = bodyOf("some-model", provider);
    expect(body.max_tokens).toBe(64);
    expect(body).not.toHaveProperty("max_completion_tokens");
  });

  test.each([
    [
      "o1",
      "o3-mini",
      "o4-mini-2025-04-16",
      "gpt-5",
      "gpt-5-mini",
      "gpt-5.1",
      "gpt-5.1-chat-latest",
      "openai/gpt-5",
      "gpt-4o-search-preview",
    ],
  ])("models that refuse a temperature get none", (...names) => {
    for (const name of names) expect(bodyOf(name, "openai"), name).not.toHaveProperty("temperature");
  });

  test.each([
    ["gpt-4o", "gpt-4.1-mini", "gpt-3.5-turbo", "gpt-5-chat-latest", "gpt-4o-mini", "grok-4", "deepseek-reasoner", "olmo-2", "gpt-50x"],
  ])("all others get theirs", (...names) => {
    for (const name of names) expect(bodyOf(name, "openai"), name).toHaveProperty("temperature", 0.5);
  });

  test("no temperature is sent when the call has none", () => {
    expect(bodyOf("gpt-4o", "openai", { temperature: undefined })).not.toHaveProperty("temperature");
    expect(bodyOf("gpt-4o", "openai", { temperature: 0 })).toHaveProperty("temperature", 0);
  });
});
