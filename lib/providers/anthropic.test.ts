import { describe, expect, test } from "vitest";
import { anthropicFormat } from "./anthropic";
import { failureOf, fixtureBytes, inPieces, readFixture, readUntilFailure, usageOf } from "./testing/replay";
import type { ModelCall } from "./types";

const unicodeText = 'Grüße, 世界 👩🏽‍🚀🚀 e\u0301 שלום \u2028— "done"\n\t';

describe("answers", () => {
  test.each([
    ["plain.json", "A ledger keeps what was promised.", "stop", [25, 9, 0, 0]],
    ["plain.sse", "A ledger keeps what was promised.", "stop", [25, 9, 0, 0]],
    ["unicode.json", unicodeText, "stop", [11, 27, 0, 0]],
    ["unicode.sse", unicodeText, "stop", [11, 27, 0, 0]],
    ["cached.json", "From the cache.", "stop", [189_131, 5, 188_086, 0]],
    ["cached.sse", "From the cache.", "stop", [189_131, 5, 188_086, 0]],
    ["thinking.json", "27 * 453 = 12,231", "stop", [36, 312, 0, 290]],
    ["thinking.sse", "27 * 453 = 12,231", "stop", [36, 312, 0, 290]],
    ["refusal.json", "", "content_filter", [564, 0, 0, 0]],
    ["refusal.sse", "Hello..", "content_filter", [564, 22, 0, 0]],
    ["max-tokens.json", "Once upon a", "length", [12, 3, 0, 0]],
    ["max-tokens.sse", "Once upon a", "length", [12, 3, 0, 0]],
    ["context-window.json", "Full.", "length", [199_990, 10, 0, 0]],
    ["stop-sequence.json", "One, two", "stop", [12, 4, 0, 0]],
    ["pause-turn.json", "Let me look.", "other", [12, 4, 0, 0]],
    ["several-deltas.sse", "Counted twice.", "stop", [12, 7, 0, 0]],
    ["unknown-events.sse", "Carry on.", "stop", [12, 4, 0, 0]],
    ["without-message-stop.sse", "All said.", "stop", [12, 4, 0, 0]],
  ] as const)("%s", async (name, text, reason, counts) => {
    for (const size of name.endsWith(".sse") ? [undefined, 1, 7] : [undefined]) {
      expect(await readFixture(anthropicFormat, name, size)).toEqual({ text, reason, usage: usageOf(counts) });
    }
  });

  test("reading ends with message_stop, even when the connection stays open", async () => {
    async function* neverEnding(): AsyncGenerator<Uint8Array> {
      yield* inPieces(fixtureBytes("anthropic", "plain.sse"));
      await new Promise(() => undefined);
    }
    const types: string[] = [];
    for await (const event of anthropicFormat.readStream(neverEnding())) types.push(event.type);
    expect(types).toEqual(["text", "text", "finish"]);
  });
});

describe("failures inside an answer", () => {
  test.each([
    ["truncated.sse", "It was the best of", "malformed"],
    ["error-in-stream.sse", "Half", "unavailable"],
    ["rubbish.txt", "", "malformed"],
  ])("the stream %s delivers what came and then fails", async (name, text, kind) => {
    const { failure, ...delivered } = await readUntilFailure(anthropicFormat.readStream(inPieces(fixtureBytes("anthropic", name))));
    expect(delivered.text).toBe(text);
    expect(failure).toMatchObject({ kind, accepted: true });
  });

  test.each([
    ["invalid_request_error", "rejected"],
    ["authentication_error", "misconfigured"],
    ["billing_error", "misconfigured"],
    ["rate_limit_error", "unavailable"],
    ["api_error", "unavailable"],
    ["a_new_kind_of_error", "unavailable"],
  ])("an error event of type %s: %s", async (type, kind) => {
    const stream = Buffer.from(`event: error\ndata: {"type":"error","error":{"type":"${type}","message":"m"}}\n\n`);
    expect((await readUntilFailure(anthropicFormat.readStream(inPieces(stream)))).failure).toMatchObject({ kind, accepted: true });
  });

  test("an error inside a 200 reply is what it says", () => {
    const body = fixtureBytes("anthropic", "error-inside-200.json").toString();
    expect(failureOf(() => anthropicFormat.readReply(body))).toMatchObject({ kind: "rejected", accepted: true });
  });

  test.each([
    "null",
    "{}",
    '{"content":"secret"}',
    '{"content":[{"type":"text"}]}',
    '{"content":[{"type":"text","text":{"secret":1}}]}',
    '{"content":[{"text":"secret"}]}',
    '{"content":[],"stop_reason":5}',
    '{"content":[],"usage":7}',
    '{"secret',
  ])("a reply that is no message is malformed, and is not quoted: %s", (body) => {
    const failure = failureOf(() => anthropicFormat.readReply(body));
    expect(failure.kind).toBe("malformed");
    expect(String(failure.message) + String(failure.cause)).not.toContain("secret");
  });

  test.each([
    "7",
    "{}",
    '{"type":5}',
    '{"type":"content_block_delta","index":0}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}',
    '{"type":"message_start"}',
    '{"type":"message_delta","usage":{"output_tokens":1}}',
  ])("an event that breaks its own form is malformed: %s", async (data) => {
    expect((await readUntilFailure(anthropicFormat.readStream(inPieces(Buffer.from(`data: ${data}\n\n`))))).failure.kind).toBe("malformed");
  });
});

describe("usage", () => {
  test.each([
    '{"input_tokens":-1,"output_tokens":1}',
    '{"input_tokens":1,"output_tokens":0.5}',
    '{"input_tokens":"1","output_tokens":1}',
    '{"input_tokens":1,"output_tokens":1e999}',
    '{"input_tokens":1,"output_tokens":1000000000}',
    '{"input_tokens":999999999,"output_tokens":1,"cache_read_input_tokens":1}',
  ])("absurd counts are malformed: %s", async (usage) => {
    expect(failureOf(() => anthropicFormat.readReply(`{"content":[],"stop_reason":"end_turn","usage":${usage}}`)).kind).toBe("malformed");
    const stream = Buffer.from(
      `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":${usage}}\n\ndata: {"type":"message_stop"}\n\n`,
    );
    expect((await readUntilFailure(anthropicFormat.readStream(inPieces(stream)))).failure.kind).toBe("malformed");
  });

  test("without both counts there is none", () => {
    expect(anthropicFormat.readReply('{"content":[],"stop_reason":"end_turn","usage":{"output_tokens":4}}')).toEqual([
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
      { role: "system", content: "In French." },
      { role: "user", content: "Again" },
    ],
    maxOutputTokens: 64,
    temperature: 0.5,
    stream: false,
  };
  const bodyOf = (changes: Partial<ModelCall>, wireName = "claude-sonnet-4-5-20250929") =>
    JSON.parse(anthropicFormat.buildRequest({ ...call, ...changes }, wireName, "sk-ant-test", "anthropic").body);

  test("hold the call and nothing else, every system message in front", () => {
    const request = anthropicFormat.buildRequest(call, "claude-haiku-4-5-20251001", "sk-ant-test", "anthropic");
    expect(request.path).toBe("v1/messages");
    expect(request.headers).toEqual({ "content-type": "application/json", "x-api-key": "sk-ant-test", "anthropic-version": "2023-06-01" });
    expect(JSON.parse(request.body)).toEqual({
      model: "claude-haiku-4-5-20251001",
      max_tokens: 64,
      system: "Be brief.\n\nIn French.",
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
        { role: "user", content: "Again" },
      ],
      temperature: 0.5,
    });
  });

  test("a stream is asked for, and no system is sent where there is none", () => {
    const body = bodyOf({ stream: true, messages: [{ role: "user", content: "Hi" }] });
    expect(body.stream).toBe(true);
    expect(body).not.toHaveProperty("system");
  });

  test("a temperature is cut at 1 and otherwise kept", () => {
    expect([0, 0.7, 1, 1.5, 2].map((temperature) => bodyOf({ temperature }).temperature)).toEqual([0, 0.7, 1, 1, 1]);
    expect(bodyOf({ temperature: undefined })).not.toHaveProperty("temperature");
  });

  test("models from Claude Opus 4.7 on get no temperature, which they refuse", () => {
    for (const name of ["claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5-5-20260901", "claude-fable-5"]) {
      expect(bodyOf({}, name), name).not.toHaveProperty("temperature");
    }
    for (const name of [
      "claude-3-5-haiku-20241022",
      "claude-opus-4-20250514",
      "claude-opus-4-1-20250805",
      "claude-sonnet-4-6",
      "my-own-model",
    ]) {
      expect(bodyOf({}, name), name).toHaveProperty("temperature", 0.5);
    }
  });
});
