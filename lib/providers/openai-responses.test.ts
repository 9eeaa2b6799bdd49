import { describe, expect, test } from "vitest";
import { responsesFormat } from "./openai-responses";
import { failureOf, fixtureBytes, gather, inPieces, readFixture, readUntilFailure, refusalCases, usageOf } from "./testing/replay";
import type { ProviderEvent } from "./types";

const unicodeText = 'Grüße, 世界 👩🏽‍🚀🚀 e\u0301 שלום \u2028— "done"\n\t';
const lisbon = { id: "call_abc123", name: "get_weather", arguments: '{"city":"Lisbon"}' };
const time = { id: "call_def456", name: "get_time", arguments: '{"zone":"Ωμέγα 🚀"}' };
const patch = '*** Begin Patch\n*** Add File: "a\\b".txt\n+Grüße 🚀\n*** End Patch';
const refusalText = "I'm sorry, I can't help with that.";

/** Without its reasoning, which has a test of its own. */
const read = async (name: string, size?: number) => ({ ...(await readFixture(responsesFormat, name, size)), reasoning: undefined });

async function eventsOf(name: string, size?: number): Promise<ProviderEvent[]> {
  const bytes = fixtureBytes("openai-responses", name);
  if (name.endsWith(".json")) return responsesFormat.readReply(bytes.toString("utf8"));
  const events: ProviderEvent[] = [];
  for await (const event of responsesFormat.readStream(inPieces(bytes, size))) events.push(event);
  return events;
}

test("arguments as an object are those of the call", async () => {
  const item = { type: "function_call", call_id: "call_1", name: "f", arguments: { city: "Rome" } };
  const body = JSON.stringify({ status: "completed", output: [item] });
  expect(await gather(responsesFormat.readReply(body))).toMatchObject({
    toolCalls: [{ id: "call_1", name: "f", arguments: '{"city":"Rome"}' }],
  });
});

describe("answers", () => {
  test.each([
    ["plain.json", "A ledger keeps what was promised.", "stop", [19, 8, 0, 0]],
    ["plain.sse", "A ledger keeps what was promised.", "stop", [19, 8, 0, 0]],
    ["unicode.json", unicodeText, "stop", [11, 27, 0, 0]],
    ["unicode.sse", unicodeText, "stop", [11, 27, 0, 0]],
    ["cached.json", "Read from the cache.", "stop", [2006, 5, 1920, 0]],
    ["reasoning.json", "42", "stop", [75, 1186, 0, 1024]],
    ["reasoning.sse", "42", "stop", [75, 1186, 0, 1024]],
    ["reasoning-hidden.json", "42", "stop", [75, 1186, 0, 1024]],
    ["refusal.json", refusalText, "content_filter", [81, 11, 0, 0]],
    ["refusal.sse", refusalText, "content_filter", [81, 11, 0, 0]],
    ["content-filter.json", "The first half", "content_filter", [30, 3, 0, 0]],
    ["content-filter.sse", "The first half", "content_filter", [30, 3, 0, 0]],
    ["max-output-tokens.json", "Once upon a", "length", [12, 3, 0, 0]],
    ["max-output-tokens.sse", "Once upon a", "length", [12, 3, 0, 0]],
    ["only-reasoning.json", "", "length", [12, 64, 0, 64]],
    ["only-reasoning.sse", "", "length", [12, 64, 0, 64]],
    ["without-usage.json", "No count.", "stop", null],
    ["hosted-tool.json", "Found it.", "stop", [40, 9, 0, 0]],
  ] as const)("%s", async (name, text, reason, counts) => {
    for (const size of name.endsWith(".sse") ? [undefined, 1, 7] : [undefined]) {
      expect(await read(name, size)).toEqual({ text, reason, usage: counts && usageOf(counts) });
    }
  });

  test.each([
    ["tool-calls", "", [lisbon], [82, 17, 0, 10]],
    ["tool-calls-parallel", "I'll look both up.", [lisbon, time], [96, 51, 0, 0]],
    ["custom-tool-call", "", [{ id: "call_def456", name: "apply_patch", arguments: JSON.stringify({ input: patch }) }], [120, 60, 0, 20]],
  ] as const)("%s calls tools, whole and in pieces", async (name, text, toolCalls, counts) => {
    const expected = { text, toolCalls, reason: "tool_calls", usage: usageOf(counts) };
    expect(await read(`${name}.json`)).toEqual(expected);
    for (const size of [undefined, 1, 7]) expect(await read(`${name}.sse`, size)).toEqual(expected);
  });

  test("an item that comes whole, without its pieces, is read too", async () => {
    const expected = { text: "Whole.", toolCalls: [lisbon], reason: "tool_calls", usage: usageOf([9, 3, 0, 0]) };
    expect(await read("without-deltas.sse")).toEqual(expected);
  });

  test("reasoning comes with its summary, its id and its encrypted content, before the text", async () => {
    const text = "**Weighing it**\n\nForty-two it is.\n\n**Checking**";
    for (const name of ["reasoning.json", "reasoning.sse"]) {
      const thoughts = (await eventsOf(name)).flatMap((event) => (event.type === "reasoning" ? [event] : []));
      expect(thoughts.map((event) => event.text).join("")).toBe(text);
      expect(thoughts.at(-1)).toMatchObject({ kind: "encrypted", index: 0, id: "rs_68af4030", data: "gAAAAABpKxQk9V0h1PMh2u6dGmzQ4n" });
    }
  });

  test("a message keeps its phase", async () => {
    for (const name of ["tool-calls-parallel.json", "tool-calls-parallel.sse"]) {
      expect((await eventsOf(name))[0]).toMatchObject({ type: "text", phase: "commentary" });
    }
  });

  test("reading ends with the last event, even when the connection stays open", async () => {
    async function* neverEnding(): AsyncGenerator<Uint8Array> {
      yield* inPieces(fixtureBytes("openai-responses", "plain.sse"));
      await new Promise(() => undefined);
    }
    expect((await gather(responsesFormat.readStream(neverEnding()))).reason).toBe("stop");
  });
});

describe("failures inside an answer", () => {
  test.each([
    ["truncated.sse", "It was the best of", "malformed"],
    ["error-in-stream.sse", "It was the best of", "unavailable"],
    ["failed-midway.sse", "It was the best of", "unavailable"],
    ["failed.sse", "", "unavailable"],
    ["rubbish.txt", "", "malformed"],
  ])("the stream %s delivers what arrived and then fails", async (name, text, kind) => {
    const bytes = fixtureBytes("openai-responses", name);
    const { failure, ...delivered } = await readUntilFailure(responsesFormat.readStream(inPieces(bytes)));
    expect(delivered.text).toBe(text);
    expect(failure).toMatchObject({ kind, accepted: true });
  });

  test.each([
    ["failed.json", "unavailable"],
    ["failed-prompt.json", "rejected"],
    ["rubbish.txt", "malformed"],
  ])("the reply %s: %s", (name, kind) => {
    const readReply = () => responsesFormat.readReply(fixtureBytes("openai-responses", name).toString());
    expect(failureOf(readReply)).toMatchObject({ kind, accepted: true });
  });

  test.each([
    "null",
    "[]",
    "{}",
    '{"output":[]}',
    '{"status":"in_progress","output":[]}',
    '{"status":"completed","output":[null]}',
    '{"status":"completed","output":[{"type":"message","content":"secret"}]}',
    '{"status":"completed","output":[{"type":"function_call","call_id":"secret","arguments":"{}"}]}',
    '{"status":"completed","output":[{"type":"function_call","name":"secret","arguments":"{}"}]}',
    '{"status":"completed","output":[],"usage":{"input_tokens":-1,"output_tokens":1}}',
    '{"status":"completed","output":[],"usage":{"input_tokens":1,"output_tokens":1000000000}}',
    '{"secret',
  ])("a reply that is not a response is malformed, and is not quoted: %s", (body) => {
    const failure = failureOf(() => responsesFormat.readReply(body));
    expect(failure.kind).toBe("malformed");
    expect(String(failure.message) + String(failure.cause)).not.toContain("secret");
  });
});

test.each(refusalCases("openai-responses"))("a refusal: $name", ({ status, headers, body, kind, retryAfterMs }) => {
  expect(responsesFormat.readError(status, headers, JSON.stringify(body))).toMatchObject({ kind, httpStatus: status, retryAfterMs });
});
