import { readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { VendorId, WireFormatId } from "./model-route";
import { openaiFormat } from "./openai";
import { formats, type OracleId, runOracle } from "./testing/oracle";
import { type Answer, fixtureBytes, gather, inPieces, usageOf } from "./testing/replay";
import { isProviderFailure, type WireFormat } from "./types";

/** Our reading of the bytes of a 200 answer; null when it fails, like the oracle's. */
async function ours(format: WireFormat, bytes: Uint8Array, how: { stream: boolean; size?: number }): Promise<Answer | null> {
  try {
    const answer = await gather(
      how.stream ? format.readStream(inPieces(bytes, how.size)) : format.readReply(Buffer.from(bytes).toString("utf8")),
    );
    // The package splits OpenAI's reasoning by the parts of its summary; openai-responses.test.ts reads it. Thoughts of chat completions have
    // no data in the packages; openai.test.ts reads them.
    return format.id === "openai-responses" || format.id === "openai" ? { ...answer, reasoning: undefined } : answer;
  } catch (error) {
    if (isProviderFailure(error)) return null;
    throw error;
  }
}

/** Ids as on the wire: ours also carry Gemini's call signature, and a call without an id got one of ours. */
function withWireIds(answer: Answer | null, bytes: Buffer): Answer | null {
  if (!answer?.toolCalls) return answer;
  const toolCalls = answer.toolCalls.map((call) => {
    const [id = ""] = call.id.split("__thought__");
    return { ...call, id: bytes.includes(`"${id}"`) ? id : "its own" };
  });
  return { ...answer, toolCalls };
}

/** Where the AI SDK reads a fixture differently from its documentation, and what it reads; null is an error. */
const differences: Record<string, { because: string; sdk: Partial<Answer> | null }> = {
  "openai/truncated.sse": {
    because: "a stream without finish_reason and [DONE] broke off; the SDK passes the torn answer off as finished",
    sdk: { text: "It was the best of", reason: "other", usage: null },
  },
  "openai/truncated-mid-event.sse": {
    because: "as truncated.sse",
    sdk: { text: "It was the best of", reason: "other", usage: null },
  },
  "openai/without-finish-reason.sse": {
    because: "as truncated.sse: [DONE] alone does not say that the answer is whole",
    sdk: { text: "Enough said.", reason: "other", usage: null },
  },
  "openai/rubbish.txt as a stream": {
    because: "a body that is no event stream is no answer; the SDK reads it as an empty one",
    sdk: { text: "", reason: "other", usage: null },
  },
  "openai/usage-with-null-choices.sse": {
    because: "vLLM closes with `choices: null`, which OpenAI never sends; the SDK refuses the chunk and loses the usage",
    sdk: null,
  },
  "openai/deepseek-out-of-resources.json": {
    because: "DeepSeek documents insufficient_system_resource as an interrupted answer; the SDK returns what there is of it",
    sdk: { text: "The first part of", reason: "other" },
  },
  "openai/tool-calls-without-index.sse": {
    because: "compatible servers leave `index` out, which OpenAI never does; its package refuses the chunk",
    sdk: null,
  },
  "openai/tool-calls-custom.json": {
    because: "a call of another type than `function` is none of ours; the SDK refuses the whole answer",
    sdk: null,
  },
  "openai/tool-calls-custom.sse": {
    because: "as tool-calls-custom.json",
    sdk: null,
  },
  "openai-responses/custom-tool-call.json": {
    because: "a custom tool's input is a text to the SDK, and a field of an object here, as other models call it",
    sdk: { text: "", reason: "tool_calls" },
  },
  "openai-responses/custom-tool-call.sse": {
    because: "as custom-tool-call.json",
    sdk: { text: "", reason: "tool_calls" },
  },
  "openai-responses/hosted-tool.json": {
    because: "we ask for no hosted tool; the SDK shows its call beside the text",
    sdk: { text: "Found it.", reason: "stop" },
  },
  "openai-responses/truncated.sse": {
    because: "a stream without its last event broke off; the SDK passes the torn answer off as finished",
    sdk: { text: "It was the best of", reason: "other", usage: null },
  },
  "openai-responses/rubbish.txt as a stream": {
    because: "a body that is no event stream is no answer; the SDK reads it as an empty one",
    sdk: { text: "", reason: "other", usage: null },
  },
  "openai-responses/without-deltas.sse": {
    because: "a message without its pieces is read from its end; the SDK loses its text",
    sdk: { text: "", reason: "tool_calls" },
  },
  "anthropic/pause-turn.json": {
    because: "Anthropic documents pause_turn as a turn to be continued, which is no natural end",
    sdk: { reason: "stop" },
  },
  "anthropic/unknown-events.sse": {
    because: "Anthropic's versioning asks to pass over unknown events; the SDK reports an error",
    sdk: null,
  },
  "anthropic/without-message-stop.sse": {
    because: "stop reason and usage have come, so the answer is whole; the SDK finishes only on message_stop",
    sdk: null,
  },
  "gemini/truncated.sse": {
    because: "a stream without finishReason broke off; the SDK passes the torn answer off as finished",
    sdk: { text: "It was the best of", reason: "other", usage: usageOf([8, 5, 0, 0]) },
  },
  "gemini/rubbish.txt as a stream": {
    because: "a body that is no event stream is no answer; the SDK reads it as an empty one",
    sdk: { text: "", reason: "other", usage: null },
  },
  "gemini/malformed-tool-call.sse": {
    because: "a call that cannot be read is no end that a client could go on from: it asks again; the SDK's `error` is `other` here",
    sdk: { text: "Let me see.", reason: "other", usage: usageOf([61, 4, 0, 0]) },
  },
  "gemini/other-reason.json": {
    because: "as malformed-tool-call.sse",
    sdk: { text: "", reason: "other", usage: usageOf([20, 0, 0, 0]) },
  },
  "gemini/error-inside-200.json": {
    because: "a body that holds an error is no answer; the SDK looks for it in streams only",
    sdk: { text: "", reason: "other", usage: null },
  },
  "gemini/tool-use.json": {
    because: "toolUsePromptTokenCount is input and part of totalTokenCount; the SDK leaves it out",
    sdk: { usage: usageOf([20, 3, 0, 0]) },
  },
};

function vendorOf(folder: WireFormatId, name: string): OracleId {
  if (name.startsWith("xai-")) return "xai";
  return name.startsWith("deepseek-") ? "deepseek" : folder;
}

/** Every fixture and how it is read; rubbish is tried both ways. */
const fixtures = (["openai", "openai-responses", "anthropic", "gemini"] as const).flatMap((folder) =>
  readdirSync(new URL(`./${folder}/fixtures/`, import.meta.url))
    .filter((name) => /\.(?:json|sse|txt)$/.test(name) && name !== "errors.json")
    .flatMap((name) => {
      const whole = { folder, name, key: `${folder}/${name}`, stream: name.endsWith(".sse") };
      return name.endsWith(".txt") ? [whole, { ...whole, key: `${whole.key} as a stream`, stream: true }] : [whole];
    }),
);

describe("the same bytes give the same answer as the AI SDK's packages", () => {
  test.each(fixtures)("$key", async ({ folder, name, key, stream }) => {
    const bytes = fixtureBytes(folder, name);
    const vendor = vendorOf(folder, name);
    const own = withWireIds(await ours(formats[vendor], bytes, { stream }), bytes);
    const sdk = withWireIds(await runOracle(vendor, bytes, { stream }), bytes);
    const difference = differences[key];
    if (difference === undefined) {
      expect(own).toEqual(sdk);
    } else {
      expect(own, "the listed difference is gone").not.toEqual(sdk);
      if (difference.sdk === null) expect(sdk).toBeNull();
      else expect(sdk).toMatchObject(difference.sdk);
    }
  });

  test("every listed difference has its fixture", () => {
    expect(fixtures.map(({ key }) => key)).toEqual(expect.arrayContaining(Object.keys(differences)));
  });
});

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

function chatCompletionStream(deltas: string[]): string {
  const chunks = deltas.map((content) => data({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
  const usage = { prompt_tokens: 3, completion_tokens: deltas.length, total_tokens: 3 + deltas.length };
  return [
    ...chunks,
    data({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    data({ choices: [], usage }),
    "data: [DONE]\n\n",
  ].join("");
}

function messageStream(deltas: string[]): string {
  const start = {
    type: "message_start",
    message: { id: "m", type: "message", role: "assistant", content: [], usage: { input_tokens: 3, output_tokens: 1 } },
  };
  const events = [
    start,
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...deltas.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: deltas.length } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\n${data(event)}`).join("");
}

function generateContentStream(deltas: string[]): string {
  const chunks = deltas.map((text) => data({ candidates: [{ content: { role: "model", parts: [{ text }] } }] }));
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: deltas.length };
  return [...chunks, data({ candidates: [{ finishReason: "STOP" }], usageMetadata })].join("").replaceAll("\n", "\r\n");
}

const streams: [VendorId, (deltas: string[]) => string][] = [
  ["openai", chatCompletionStream],
  ["xai", chatCompletionStream],
  ["deepseek", chatCompletionStream],
  ["anthropic", messageStream],
  ["gemini", generateContentStream],
];

test.each(streams)("%s: any text, in any deltas, split anywhere, is read the same", async (provider, streamOf) => {
  const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), fc.stringMatching(/^[\r\n\t "\\:{}[\]]*$/));
  const cases = fc.record({ deltas: fc.array(text, { minLength: 1, maxLength: 8 }), size: fc.integer({ min: 1, max: 300 }) });
  await fc.assert(
    fc.asyncProperty(cases, async ({ deltas, size }) => {
      const bytes = Buffer.from(streamOf(deltas));
      const expected = { text: deltas.join(""), reason: "stop", usage: usageOf([3, deltas.length, 0, 0]) };
      expect(await ours(formats[provider], bytes, { stream: true, size })).toEqual(expected);
      expect(await runOracle(provider, bytes, { stream: true, size })).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test("tool calls with any arguments, in any pieces, split anywhere, are read the same", async () => {
  const call = fc.record({ name: fc.stringMatching(/^\w{1,20}$/), value: fc.jsonValue(), size: fc.integer({ min: 1, max: 40 }) });
  const cases = fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 4 }), cut: fc.integer({ min: 1, max: 300 }) });
  await fc.assert(
    fc.asyncProperty(cases, async ({ calls, cut }) => {
      const toolCalls = calls.map(({ name, value }, index) => ({ id: `call_${index}`, name, arguments: JSON.stringify({ value }) }));
      const pieces = calls.flatMap(({ size }, index) => {
        const { id, name, arguments: text = "" } = toolCalls[index] ?? {};
        const first = { index, id, type: "function", function: { name, arguments: text.slice(0, size) } };
        const starts = Array.from({ length: Math.ceil(text.length / size) }, (_, nth) => nth * size).slice(1);
        return [first, ...starts.map((start) => ({ index, function: { arguments: text.slice(start, start + size) } }))];
      });
      const chunks = pieces.map((piece) => data({ choices: [{ index: 0, delta: { tool_calls: [piece] }, finish_reason: null }] }));
      const end = data({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
      const bytes = Buffer.from([...chunks, end, "data: [DONE]\n\n"].join(""));
      const expected = { text: "", toolCalls, reason: "tool_calls", usage: null };
      expect(await ours(openaiFormat, bytes, { stream: true, size: cut })).toEqual(expected);
      expect(await runOracle("openai", bytes, { stream: true, size: cut })).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
