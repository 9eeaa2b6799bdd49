import { describe, expect, test } from "vitest";
import { geminiFormat } from "./gemini";
import { failureOf, fixtureBytes, gather, inPieces, readFixture, readUntilFailure, usageOf } from "./testing/replay";
import type { ModelCall } from "./types";

const unicodeText = 'Grüße, 世界 👩🏽‍🚀🚀 e\u0301 שלום \u2028— "done"\n\t';

describe("answers", () => {
  test.each([
    ["plain.json", "A ledger keeps what was promised.", "stop", [8, 9, 0, 0]],
    ["plain.sse", "A ledger keeps what was promised.", "stop", [8, 9, 0, 0]],
    ["unicode.json", unicodeText, "stop", [11, 27, 0, 0]],
    ["unicode.sse", unicodeText, "stop", [11, 27, 0, 0]],
    ["cached.json", "From the cache.", "stop", [4096, 4, 4000, 0]],
    ["thinking.json", "12,231", "stop", [14, 316, 0, 310]],
    ["thinking.sse", "12,231", "stop", [14, 316, 0, 310]],
    ["max-tokens.json", "Once upon a", "length", [12, 3, 0, 0]],
    ["max-tokens.sse", "Once upon a", "length", [12, 3, 0, 0]],
    ["max-tokens-in-thought.json", "", "length", [12, 61, 0, 61]],
    ["safety.json", "", "content_filter", [10, 0, 0, 0]],
    ["safety.sse", "The first step", "content_filter", [10, 3, 0, 0]],
    ["recitation.json", "Call me", "content_filter", [10, 2, 0, 0]],
    ["blocked-prompt.json", "", "content_filter", [10, 0, 0, 0]],
    ["blocked-prompt.sse", "", "content_filter", [10, 0, 0, 0]],
    ["tool-use.json", "It rains.", "stop", [170, 3, 0, 0]],
    ["without-usage.json", "No count.", "stop", null],
    ["usage-after-end.sse", "Late bill.", "stop", [5, 3, 0, 0]],
  ] as const)("%s", async (name, text, reason, counts) => {
    const expected = { text, reason, usage: counts && usageOf(counts) };
    for (const size of name.endsWith(".sse") ? [undefined, 1, 7] : [undefined]) {
      expect(await readFixture(geminiFormat, name, size)).toEqual(expected);
    }
  });

  test("a proxy's [DONE] after the last chunk is passed over", async () => {
    const bytes = Buffer.concat([fixtureBytes("gemini", "plain.sse"), Buffer.from("data: [DONE]\n\n")]);
    expect(await gather(geminiFormat.readStream(inPieces(bytes)))).toEqual(await readFixture(geminiFormat, "plain.sse"));
  });

  test("the stream fixtures still have the wire's CRLF", () => {
    expect(fixtureBytes("gemini", "plain.sse").toString()).toContain("\r\n\r\n");
  });
});

describe("function calls", () => {
  // The signature that the fixtures give their first call, in the alphabet of ids.
  const signature = "Cs0BAdHtim-_8p3q_-8--_DOGw";
  const weather = { id: `fjq1n2wx__thought__${signature}`, name: "get_weather", arguments: '{"city":"Zürich","unit":"celsius"}' };
  const flights = { id: "k20zx81p", name: "check_flight", arguments: '{"flight":"LX 1234","stops":[]}' };
  const time = { id: "r7d0m3aa", name: "get_time", arguments: "{}" };
  const sizesFor = (name: string) => (name.endsWith(".sse") ? [undefined, 1, 7] : [undefined]);

  test.each([
    ["tool-call.json", "", [weather], [61, 63, 0, 45]],
    ["tool-call.sse", "", [weather], [61, 63, 0, 45]],
    ["parallel-tool-calls.json", "I look both up.", [weather, flights, time], [120, 96, 0, 52]],
    ["parallel-tool-calls.sse", "I look both up.", [weather, flights, time], [120, 96, 0, 52]],
  ] as const)("%s: each call has Gemini's id, and a signed call has its signature in the id", async (name, text, toolCalls, counts) => {
    const expected = { text, toolCalls, reason: "tool_calls", usage: usageOf(counts) };
    for (const size of sizesFor(name)) expect(await readFixture(geminiFormat, name, size)).toEqual(expected);
  });

  test.each(["json", "sse"])("in %s, calls without an id get one of ours, and a signature of an earlier model is dropped", async (kind) => {
    const id = expect.stringMatching(/^call_[0-9A-Za-z]{24}$/);
    for (const size of sizesFor(`.${kind}`)) {
      const answer = await readFixture(geminiFormat, `tool-calls-without-id.${kind}`, size);
      const toolCalls = [
        { id, name: "get_weather", arguments: '{"city":"Zürich"}' },
        { id, name: "get_time", arguments: "{}" },
      ];
      expect(answer).toEqual({ text: "", toolCalls, reason: "tool_calls", usage: usageOf([88, 20, 0, 0]) });
      expect(answer.toolCalls?.[0]?.id).not.toBe(answer.toolCalls?.[1]?.id);
    }
  });

  test("a malformed call is no end of an answer: it fails, after what it had counted, and its provider is well", async () => {
    const counted: unknown[] = [];
    const chunks = inPieces(fixtureBytes("gemini", "malformed-tool-call.sse"), 5);
    const { text, failure } = await readUntilFailure(geminiFormat.readStream(chunks, undefined, (usage) => counted.push(usage)));
    expect(text).toBe("Let me see.");
    expect(counted.at(-1)).toEqual(usageOf([61, 4, 0, 0]));
    const whole = failureOf(() => geminiFormat.readReply(fixtureBytes("gemini", "other-reason.json").toString()));
    for (const each of [failure, whole]) expect(each).toMatchObject({ kind: "malformed", accepted: true, byModel: true });
  });

  test.each([
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["UNEXPECTED_TOOL_CALL", "other"],
    ["TOO_MANY_TOOL_CALLS", "other"],
    ["MISSING_THOUGHT_SIGNATURE", "other"],
  ])("an answer with a call that ended with %s keeps that reason", (finishReason, reason) => {
    const content = { parts: [{ functionCall: { name: "get_time" } }] };
    expect(geminiFormat.readReply(JSON.stringify({ candidates: [{ content, finishReason }] }))).toMatchObject([
      { type: "tool_call", name: "get_time" },
      { type: "finish", reason },
    ]);
  });

  test.each([
    '{"args":{}}',
    '{"name":"","args":{}}',
    '{"name":"f","args":["secret"]}',
    '{"name":"f","args":"secret"}',
    '{"name":"f","id":4}',
  ])("an invalid call is malformed: %s", async (functionCall) => {
    const body = `{"candidates":[{"content":{"parts":[{"functionCall":${functionCall}}]},"finishReason":"STOP"}]}`;
    const failure = failureOf(() => geminiFormat.readReply(body));
    expect(failure).toMatchObject({ kind: "malformed", accepted: true });
    expect(failure.message).not.toContain("secret");
    expect((await readUntilFailure(geminiFormat.readStream(inPieces(Buffer.from(`data: ${body}\n\n`))))).failure.kind).toBe("malformed");
  });
});

describe("failures inside an answer", () => {
  test.each([
    ["truncated.sse", "It was the best of", "malformed"],
    ["error-in-stream.sse", "Half", "unavailable"],
    ["rubbish.txt", "", "malformed"],
  ])("the stream %s delivers what arrived and then fails", async (name, text, kind) => {
    const { failure, ...delivered } = await readUntilFailure(geminiFormat.readStream(inPieces(fixtureBytes("gemini", name))));
    expect(delivered.text).toBe(text);
    expect(failure).toMatchObject({ kind, accepted: true });
  });

  test.each([
    ['{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}', "rejected"],
    ['{"error":{"code":500,"message":"m","status":"INTERNAL"}}', "unavailable"],
    ['{"error":{"code":400,"message":"m","details":[{"reason":"API_KEY_INVALID"}]}}', "misconfigured"],
    ['{"error":{"message":"m"}}', "rejected"],
  ])("an error inside a 200 reply keeps its own kind: %s", (body, kind) => {
    expect(failureOf(() => geminiFormat.readReply(body))).toMatchObject({ kind, accepted: true });
  });

  test.each([
    "null",
    "[]",
    "{}",
    '{"candidates":[]}',
    '{"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"}}',
    '{"candidates":"secret"}',
    '{"candidates":[{"content":{"parts":[{"text":{"secret":1}}]}}]}',
    '{"candidates":[{"content":{"parts":"secret"}}]}',
    '{"candidates":[{"content":{"parts":[]},"finishReason":3}]}',
    '{"candidates":[{}],"usageMetadata":4}',
    '{"secret',
  ])("an invalid reply is malformed, and is not quoted: %s", (body) => {
    const failure = failureOf(() => geminiFormat.readReply(body));
    expect(failure.kind).toBe("malformed");
    expect(String(failure.message) + String(failure.cause)).not.toContain("secret");
  });
});

describe("usage", () => {
  test.each([
    '{"promptTokenCount":-1}',
    '{"promptTokenCount":1.5}',
    '{"promptTokenCount":"one"}',
    '{"promptTokenCount":1,"candidatesTokenCount":1e999}',
    '{"promptTokenCount":1,"candidatesTokenCount":1000000000}',
    '{"promptTokenCount":1,"candidatesTokenCount":999999999,"thoughtsTokenCount":1}',
    '{"promptTokenCount":1,"cachedContentTokenCount":-1}',
  ])("absurd counts are malformed: %s", async (usage) => {
    const body = `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":${usage}}`;
    expect(failureOf(() => geminiFormat.readReply(body)).kind).toBe("malformed");
    expect((await readUntilFailure(geminiFormat.readStream(inPieces(Buffer.from(`data: ${body}\n\n`))))).failure.kind).toBe("malformed");
  });

  test("usage without a prompt count is null", () => {
    expect(geminiFormat.readReply('{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"candidatesTokenCount":4}}')).toEqual([
      { type: "finish", reason: "stop", usage: null },
    ]);
  });
});

describe("requests", () => {
  const call: ModelCall = {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "user", content: "Again" },
    ],
    maxOutputTokens: 64,
    temperature: 1.5,
    stream: false,
  };

  test("contain the call and nothing else; the key is in a header, never in the path", () => {
    const request = geminiFormat.buildRequest(call, "gemini-2.5-flash", "AIza-test", "gemini");
    expect(request.path).toBe("v1beta/models/gemini-2.5-flash:generateContent");
    expect(request.headers).toEqual({ "content-type": "application/json", "x-goog-api-key": "AIza-test" });
    expect(JSON.parse(request.body)).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hello" }] },
        { role: "user", parts: [{ text: "Again" }] },
      ],
      generationConfig: { maxOutputTokens: 64, temperature: 1.5 },
    });
  });

  test("a stream uses another method, and unset options are not sent", () => {
    const bare: ModelCall = { messages: [{ role: "user", content: "Hi" }], maxOutputTokens: 1, stream: true };
    const request = geminiFormat.buildRequest(bare, "a/../b", "AIza-test", "gemini");
    expect(request.path).toBe("v1beta/models/a%2F..%2Fb:streamGenerateContent?alt=sse");
    expect(JSON.parse(request.body)).toEqual({
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      generationConfig: { maxOutputTokens: 1 },
    });
  });

  test("results that follow each other are one turn, however many; a message of the user or the model begins another", () => {
    const calls = Array.from({ length: 5_001 }, (_, index) => ({ id: `c${index}`, name: "f", arguments: "{}" }));
    const results = calls.map(({ id }) => ({ role: "tool", toolCallId: id, content: '{"a":1}' }) as const);
    const messages: ModelCall["messages"] = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", toolCalls: calls },
      ...results.slice(1),
      { role: "system", content: "Be brief." },
      { role: "tool", toolCallId: "c0", content: "{no JSON" },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "user", content: "Hi" },
    ];
    const { body } = geminiFormat.buildRequest({ messages, maxOutputTokens: 1, stream: false }, "gemini-2.5-flash", "AIza-test", "gemini");
    const { contents } = JSON.parse(body) as { contents: { role: string; parts: { functionResponse?: { response: object } }[] }[] };
    expect(contents.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["model", 5_001],
      ["user", 5_001],
      ["user", 1],
      ["user", 1],
      ["model", 1],
      ["user", 1],
    ]);
    expect(contents.at(2)?.parts.at(0)?.functionResponse?.response).toEqual({ a: 1 });
    expect(contents.at(2)?.parts.at(-1)?.functionResponse?.response).toEqual({ output: "{no JSON" });
  });
});
