// What servers that call themselves compatible with OpenAI send, as their references and public bug reports show it: Mistral, Groq, Together,
// OpenRouter, vLLM, SGLang, Ollama, LM Studio, Fireworks, Z.ai and Gemini's own chat completions: how their answers end, fail and are counted.

import { describe, expect, test } from "vitest";
import { openaiFormat } from "../openai";
import { chunk, counted, DONE, deltas, end, event, streamOf, usage, whole } from "../testing/compatible";
import { failureOf, gather, inPieces, readUntilFailure } from "../testing/replay";

describe("finish reasons", () => {
  test.each([
    ["STOP", "stop"],
    ["eos", "stop"],
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["COMPLETE", "stop"],
    ["max_tokens", "length"],
    ["MAX_TOKENS", "length"],
    ["model_length", "length"],
    ["tool_use", "tool_calls"],
    ["content_filtered", "content_filter"],
    ["content_filter: SAFETY", "content_filter"],
    ["sensitive", "content_filter"],
    ["quite new", "other"],
    [null, "other"],
  ])("%s means %s", async (word, reason) => {
    expect(await gather(whole({ content: "Hi" }, word))).toMatchObject({ text: "Hi", reason });
    if (word !== null) expect(await gather(deltas([{ content: "Hi" }], word))).toMatchObject({ text: "Hi", reason });
  });

  // Mistral and OpenRouter, vLLM and SGLang, Z.ai (github.com/earendil-works/pi/pull/1509), DeepSeek
  test.each(["error", "abort", "aborted", "network_error", "cancelled", "insufficient_system_resource"])(
    "%s: half an answer is a failure, and not an end",
    async (word) => {
      expect(failureOf(() => whole({ content: "Half" }, word))).toMatchObject({ kind: "unavailable", accepted: true, byModel: false });
      const { text, failure } = await readUntilFailure(deltas([{ content: "Half" }], word));
      expect([text, failure.kind]).toEqual(["Half", "unavailable"]);
    },
  );

  test("Gemini's chat completions tell a call that cannot be read", () => {
    expect(failureOf(() => whole({ content: "" }, "function_call_filter: MALFORMED_FUNCTION_CALL"))).toMatchObject({
      kind: "malformed",
      byModel: true,
    });
  });

  test("[DONE] without any finish reason is a broken stream", async () => {
    for (const word of [null, "", "null"]) {
      const { text, failure } = await readUntilFailure(streamOf(event(chunk({ content: "Half" }, word)) + DONE));
      expect([text, failure.kind]).toEqual(["Half", "malformed"]);
    }
  });
});

describe("errors in place of a chunk or an answer", () => {
  test.each<[body: object, kind: string]>([
    [{ error: "overloaded" }, "unavailable"],
    [{ object: "error", message: "The engine is overloaded", type: "InternalServerError", code: 503 }, "unavailable"],
    [{ type: "error", error: { message: "m", code: 429 } }, "unavailable"],
    [{ detail: "Internal Server Error: overloaded" }, "unavailable"],
    [{ message: "service unavailable", request_id: "r" }, "unavailable"],
    [{ error: { message: "m", code: "insufficient_quota" } }, "misconfigured"],
    [
      { choices: [{ delta: { content: "" }, message: { content: "" }, finish_reason: "error", error: { code: 502, message: "m" } }] },
      "unavailable",
    ],
  ])("%j", async (body, kind) => {
    const { text, failure } = await readUntilFailure(
      streamOf(event(chunk({ content: "Half" })) + event(JSON.stringify(body)) + end() + DONE),
    );
    expect([text, failure.kind]).toEqual(["Half", kind]);
    expect(failureOf(() => openaiFormat.readReply(JSON.stringify(body))).kind).toBe(kind);
  });

  test("`error: null` beside an answer is none", async () => {
    expect(await gather(whole({ content: "Hi" }, "stop", { error: null, usage: counted }))).toMatchObject({ text: "Hi" });
  });
});

describe("usage", () => {
  const estimated = { text: "Hi", reason: "stop", usage: null };

  test.each<[what: string, usage: unknown]>([
    ["empty", {}],
    ["null", null],
    ["a text", "unknown"],
    ["of unknown fields", { tokens: 5 }],
  ])("%s is none", async (_what, given) => {
    expect(await gather(whole({ content: "Hi" }, "stop", { usage: given }))).toEqual(estimated);
    const stream = event(chunk({ content: "Hi" })) + event(chunk({}, "stop", { usage: given })) + DONE;
    expect(await gather(streamOf(stream))).toEqual(estimated);
  });

  test("counts as texts are counts", async () => {
    const texts = {
      prompt_tokens: "10",
      completion_tokens: "4",
      total_tokens: "14",
      prompt_tokens_details: [],
      completion_tokens_details: "none",
    };
    expect(await gather(whole({ content: "Hi" }, "stop", { usage: texts }))).toEqual({ ...estimated, usage });
  });

  test("a count is not forgotten for an empty one after it, and one in the middle is not that of the whole", async () => {
    const empty = event(chunk({}, "stop", { usage: {} }));
    expect(await gather(streamOf(event(chunk({ content: "Hi" }, null, { usage: counted })) + empty + DONE))).toEqual({
      ...estimated,
      usage,
    });
    const told: unknown[] = [];
    const middle = event(chunk({ content: "H" }, null, { usage: counted })) + event(chunk({ content: "i" })) + empty + DONE;
    const read = openaiFormat.readStream(inPieces(Buffer.from(middle)), undefined, (usage) => told.push(usage));
    expect(await gather(read)).toEqual(estimated);
    // What was counted on the way is the least that is charged.
    expect(told).toEqual([usage]);
  });
});

describe("the lines of a stream", () => {
  const hi = chunk({ content: "Hi" });
  const last = chunk({}, "stop", { usage: counted });
  test.each<[what: string, stream: string]>([
    ["comments and names of events", `: OPENROUTER PROCESSING\n\nevent: message\nid: 1\n${event(hi)}: ping\n\n${event(last)}${DONE}`],
    ["CRLF", (event(hi) + event(last) + DONE).replaceAll("\n", "\r\n")],
    ["no space after the colon", `data:${hi}\n\ndata:${last}\n\ndata:[DONE]\n\n`],
    ["[DONE] with spaces", `${event(hi)}${event(last)}data:   [DONE]  \n\n`],
    ["no line after the last chunk", `${event(hi)}data: ${last}`],
    ["no empty line after [DONE]", `${event(hi)}${event(last)}data: [DONE]`],
    ["no empty lines at all", `data: ${hi}\ndata: ${last}\ndata: [DONE]\n\n`],
    ["two objects in one line", `data: ${hi}${last}\n\ndata: [DONE]\n\n`],
    [
      "choices null, empty and missing",
      `${event('{"choices":null}')}${event('{"choices":[]}')}${event('{"id":"x"}')}${event(hi)}${event(last)}${DONE}`,
    ],
    ["a delta that is null", `${event(chunk(null))}${event(hi)}${event(last)}${DONE}`],
  ])("%s", async (_what, stream) => {
    expect(await gather(streamOf(stream))).toEqual({ text: "Hi", reason: "stop", usage });
  });

  test.each([`${event(hi)}${event(last).slice(0, 40)}`, `${event(hi)}data: ${hi}{"choi`, `${event(hi)}data: ${hi} and so on\n\n`])(
    "what was cut is no end: %#",
    async (stream) => {
      const { text, failure } = await readUntilFailure(streamOf(stream));
      expect([text.startsWith("Hi"), failure.kind]).toEqual([true, "malformed"]);
    },
  );
});
