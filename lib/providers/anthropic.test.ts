import { describe, expect, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { anthropicFormat } from "./anthropic";
import { failureOf, fixtureBytes, gather, inPieces, readFixture, readUntilFailure, usageOf } from "./testing/replay";
import type { ProviderEvent } from "./types";

const unicodeText = 'Grüße, 世界 👩🏽‍🚀🚀 e\u0301 שלום \u2028— "done"\n\t';

describe("answers", () => {
  test.each([
    ["plain.json", "A ledger keeps what was promised.", "stop", [25, 9, 0, 0]],
    ["plain.sse", "A ledger keeps what was promised.", "stop", [25, 9, 0, 0]],
    ["unicode.json", unicodeText, "stop", [11, 27, 0, 0]],
    ["unicode.sse", unicodeText, "stop", [11, 27, 0, 0]],
    ["cached.json", "From the cache.", "stop", [189_131, 5, 188_086, 0, 1_024]],
    ["cached.sse", "From the cache.", "stop", [189_131, 5, 188_086, 0, 1_024]],
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
      expect(withoutReasoning(await readFixture(anthropicFormat, name, size))).toEqual({ text, reason, usage: usageOf(counts) });
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

test("an answer of another service tier is an alarm once, however often its stream counts", async () => {
  const alarms = async () => (await metrics().otherServiceTiers.get()).values.reduce((sum, { value }) => sum + value, 0);
  const stream = fixtureBytes("anthropic", "several-deltas.sse").toString();
  const priority = stream.replace('"service_tier":"standard"', '"service_tier":"priority"');
  expect(priority).not.toBe(stream);
  const before = await alarms();
  await gather(anthropicFormat.readStream(inPieces(Buffer.from(priority))));
  expect(await alarms()).toBe(before + 1);
});

const withoutReasoning = ({ reasoning: _, ...rest }: Awaited<ReturnType<typeof readFixture>>) => rest;

test.each(["thinking.json", "thinking.sse"])("%s: thoughts keep their signatures, redacted ones their data", async (name) => {
  for (const size of name.endsWith(".sse") ? [undefined, 1, 7] : [undefined]) {
    expect((await readFixture(anthropicFormat, name, size)).reasoning).toEqual([
      { kind: "thinking", text: "Multiply first.", data: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" },
      { kind: "redacted", text: "", data: "EmwKAhgBEgy3va3pzix" },
    ]);
  }
});

describe("tool calls", () => {
  const weatherOf = (args: string) => ({ id: "toolu_01T1x1fJ34qAmk2tNTrN7Up6", name: "get_weather", arguments: args });
  const timeOf = (args: string) => ({ id: "toolu_01A09q90qw90lq917835lq9", name: "get_time", arguments: args });
  const trips = { id: "toolu_01XFDUDYJgAACzvnptvVbrkx", name: "list_trips", arguments: "{}" };
  const question = "Okay, let's check the weather.";
  const between = "And the time there.";

  // A reply's input is an object, so we write its text; a stream's text is the model's own, spaces included.
  test.each([
    ["tool-call.json", question, [weatherOf('{"location":"San Francisco, CA","unit":"fahrenheit"}')], [472, 89, 0, 0]],
    ["tool-call.sse", question, [weatherOf('{"location": "San Francisco, CA", "unit": "fahrenheit"}')], [472, 89, 0, 0]],
    [
      "tool-calls-parallel.json",
      between,
      [weatherOf('{"location":"Zürich"}'), timeOf('{"zone":"Europe/Zurich"}'), trips],
      [612, 104, 0, 0],
    ],
    [
      "tool-calls-parallel.sse",
      between,
      [weatherOf('{"location": "Zürich"}'), timeOf('{"zone": "Europe/Zurich"}'), trips],
      [612, 104, 0, 0],
    ],
    ["tool-call-without-input.json", "", [trips], [380, 37, 0, 0]],
    ["tool-call-without-input.sse", "", [trips], [380, 37, 0, 0]],
    ["tool-call-after-thinking.json", "", [weatherOf('{"location":"Paris"}')], [438, 120, 0, 61]],
    ["tool-call-after-thinking.sse", "", [weatherOf('{"location": "Paris"}')], [438, 120, 0, 61]],
  ] as const)("%s", async (name, text, toolCalls, counts) => {
    for (const size of name.endsWith(".sse") ? [undefined, 1, 7, 64] : [undefined]) {
      const answer = withoutReasoning(await readFixture(anthropicFormat, name, size));
      expect(answer).toEqual({ text, toolCalls, reason: "tool_calls", usage: usageOf(counts) });
    }
  });

  test("a call that the output limit cut off keeps its partial arguments", async () => {
    expect(await readFixture(anthropicFormat, "tool-call-cut.sse")).toMatchObject({
      reason: "length",
      toolCalls: [weatherOf('{"location": "San')],
    });
  });

  test.each(["tool-calls-parallel.json", "tool-calls-parallel.sse"])("%s: text and calls keep their order", async (name) => {
    const bytes = fixtureBytes("anthropic", name);
    const events = name.endsWith(".sse") ? anthropicFormat.readStream(inPieces(bytes)) : anthropicFormat.readReply(bytes.toString());
    const order: string[] = [];
    for await (const event of events) {
      const part = event.type === "tool_call" ? `call ${event.index}` : event.type;
      if (order.at(-1) !== part) order.push(part);
    }
    expect(order).toEqual(["call 0", "text", "call 1", "call 2", "finish"]);
  });

  test("input already present in a block's start is part of the arguments", async () => {
    const start = { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } } };
    const events: ProviderEvent[] = [];
    const data = [start, { type: "content_block_stop", index: 0 }, { type: "message_stop" }].map(
      (event) => `data: ${JSON.stringify(event)}\n\n`,
    );
    for await (const event of anthropicFormat.readStream(inPieces(Buffer.from(data.join(""))))) events.push(event);
    expect(events.slice(0, -1)).toEqual([{ type: "tool_call", index: 0, id: "toolu_1", name: "f", arguments: '{"a":1}' }]);
  });

  test("server-side tool blocks are not calls of the customer's functions", async () => {
    const block = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } };
    const reply = anthropicFormat.readReply(JSON.stringify({ content: [block], stop_reason: "end_turn" }));
    expect(reply).toEqual([{ type: "finish", reason: "stop", usage: null }]);
    const data = [
      { type: "content_block_start", index: 0, content_block: { ...block, input: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_stop" },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const types: string[] = [];
    for await (const event of anthropicFormat.readStream(inPieces(Buffer.from(data.join(""))))) types.push(event.type);
    expect(types).toEqual(["finish"]);
  });
});

test.each([null, "", "{}", {}])("a call without input is an empty object, however a server writes it: %j", async (input) => {
  const block = { type: "tool_use", id: "toolu_1", name: "f", input };
  const body = JSON.stringify({ content: [block], stop_reason: "tool_use" });
  const events = [
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
    { type: "message_stop" },
  ];
  const stream = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  for (const answer of [await gather(anthropicFormat.readReply(body)), await gather(anthropicFormat.readStream(inPieces(stream)))]) {
    expect(answer.toolCalls).toEqual([{ id: "toolu_1", name: "f", arguments: "{}" }]);
  }
});

test.each([
  ["END_TURN", "stop"],
  ["model_context_window_exceeded", "length"],
  ["sensitive", "content_filter"],
])("a stop reason of a compatible server: %s means %s", async (stop_reason, reason) => {
  const body = JSON.stringify({ content: [{ type: "text", text: "Hi" }], stop_reason });
  expect(await gather(anthropicFormat.readReply(body))).toMatchObject({ text: "Hi", reason });
});

describe("failures inside an answer", () => {
  test("a stop reason that says it broke off is none", () => {
    const body = JSON.stringify({ content: [{ type: "text", text: "Half" }], stop_reason: "error" });
    expect(failureOf(() => anthropicFormat.readReply(body))).toMatchObject({ kind: "unavailable", accepted: true });
  });

  test.each([
    ["truncated.sse", "It was the best of", "malformed"],
    ["error-in-stream.sse", "Half", "unavailable"],
    ["rubbish.txt", "", "malformed"],
  ])("the stream %s delivers what arrived and then fails", async (name, text, kind) => {
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

  test("an error inside a 200 reply keeps its own kind", () => {
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
    '{"content":[{"type":"tool_use","name":"secret","input":{}}]}',
    '{"content":[{"type":"tool_use","id":"secret","input":{}}]}',
    '{"content":[{"type":"tool_use","id":"a","name":"b","input":"secret"}]}',
    '{"content":[{"type":"tool_use","id":"a","name":"b"}]}',
    '{"content":[],"stop_reason":5}',
    '{"content":[],"usage":7}',
    '{"secret',
  ])("a reply that is not a message is malformed, and is not quoted: %s", (body) => {
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
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":{}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b","input":[]}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"b"}}\\n\\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta"}}',
    '{"type":"message_start"}',
    '{"type":"message_delta","usage":{"output_tokens":1}}',
  ])("an event with an invalid shape is malformed: %s", async (data) => {
    expect((await readUntilFailure(anthropicFormat.readStream(inPieces(Buffer.from(`data: ${data}\n\n`))))).failure.kind).toBe("malformed");
  });
});

test("a tool input nested thousands of levels deep is malformed, not a crash", () => {
  const input = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const body = `{"content":[{"type":"tool_use","id":"a","name":"b","input":${input}}],"stop_reason":"tool_use"}`;
  expect(failureOf(() => anthropicFormat.readReply(body)).kind).toBe("malformed");
});

describe("usage", () => {
  test.each([
    '{"input_tokens":-1,"output_tokens":1}',
    '{"input_tokens":1,"output_tokens":0.5}',
    '{"input_tokens":"one","output_tokens":1}',
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

  // Providers of Anthropic's format leave the input out of message_delta, repeat it, or send zero there.
  test.each<[what: string, start: object, delta: object, counts: [number, number]]>([
    ["zeros", { input_tokens: 900, cache_read_input_tokens: 100 }, { input_tokens: 0, cache_read_input_tokens: 0 }, [1_000, 100]],
    ["nothing", { input_tokens: 900, cache_read_input_tokens: 100 }, {}, [1_000, 100]],
    ["the same", { input_tokens: 900 }, { input_tokens: 900 }, [900, 0]],
    ["more", { input_tokens: 900 }, { input_tokens: 2_000 }, [2_000, 0]],
    ["all of it", {}, { input_tokens: 900 }, [900, 0]],
  ])("a message_delta with %s as its input: the largest count of each kind", async (_what, start, delta, counts) => {
    const events = [
      { type: "message_start", message: { id: "msg_1", usage: { ...start, output_tokens: 1 } } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { ...delta, output_tokens: 7 } },
      { type: "message_stop" },
    ];
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    const { usage } = await gather(anthropicFormat.readStream(inPieces(bytes)));
    expect([usage?.inputTokens, usage?.cachedInputTokens, usage?.outputTokens]).toEqual([...counts, 7]);
  });

  test("usage without either count is null", () => {
    expect(anthropicFormat.readReply('{"content":[],"stop_reason":"end_turn","usage":{"output_tokens":4}}')).toEqual([
      { type: "finish", reason: "stop", usage: null },
    ]);
  });
});
