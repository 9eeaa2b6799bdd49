// Tool calls on the wire: the pieces in which each vendor sends them, and how the request's limit cuts them.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { VendorId } from "@/lib/providers/model-route";
import { startTestModels, type TestModels } from "./testing";
import { countTokens } from "./tokens";

let models: TestModels;
beforeAll(async () => {
  models = await startTestModels();
});
afterEach(() => models.clear());
afterAll(() => models?.stop());

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const names = ["weather", "time"];
const cityInput = '{"city":"example"}';

function body(provider: VendorId, { prompt, stream, more, model }: Ask): object {
  const messages = [{ role: "user", content: prompt }];
  switch (provider) {
    case "anthropic":
      return {
        model: "claude-sonnet-4-5",
        messages,
        stream,
        max_tokens: 100,
        tools: names.map((name) => ({ name, input_schema: parameters })),
        ...more,
      };
    case "gemini":
      return {
        contents: [{ role: "user", parts: [{ text: prompt }] }],
        tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: parameters })) }],
        ...more,
      };
    default: {
      const usage = stream && { stream_options: { include_usage: true } };
      const tools = names.map((name) => ({ type: "function", function: { name, parameters } }));
      return {
        model: model ?? { openai: "gpt-4o", xai: "grok-4", deepseek: "deepseek-chat" }[provider],
        messages,
        stream,
        ...usage,
        tools,
        ...more,
      };
    }
  }
}

interface Ask {
  prompt: string;
  stream?: boolean;
  model?: string;
  /** Additional fields of the request. */
  more?: object;
}

async function ask(provider: VendorId, given: Ask) {
  const method = given.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const path = { anthropic: "/v1/messages", gemini: `/v1beta/models/${given.model ?? "gemini-2.5-flash"}:${method}` };
  const response = await fetch(models.baseUrls[provider] + (provider in path ? path[provider as keyof typeof path] : "/chat/completions"), {
    method: "POST",
    headers: {
      authorization: `Bearer ${models.apiKey}`,
      "x-api-key": models.apiKey,
      "x-goog-api-key": models.apiKey,
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify(body(provider, given)),
  });
  return { status: response.status, text: await response.text() };
}

async function requestJson(provider: VendorId, given: Ask): Promise<unknown> {
  return JSON.parse((await ask(provider, given)).text);
}

/** The data of the stream's events, without the end marker. */
async function requestStream(provider: VendorId, given: Ask): Promise<unknown[]> {
  const { text } = await ask(provider, { ...given, stream: true });
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith("data: ") && line !== "data: [DONE]");
  return lines.map((line) => JSON.parse(line.slice(6)) as unknown);
}

interface ChatChunk {
  choices: { delta: { content?: string | null; tool_calls?: object[] }; finish_reason: string | null }[];
}

async function chatDeltas(provider: VendorId, prompt: string) {
  const chunks = (await requestStream(provider, { prompt })) as ChatChunk[];
  return {
    first: chunks[0]?.choices[0]?.delta,
    calls: chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []),
    finish: chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []),
  };
}

test("OpenAI and DeepSeek send id and name first, then the arguments in pieces; xAI sends each call whole", async () => {
  for (const provider of ["openai", "deepseek"] as const) {
    const { first, calls, finish } = await chatDeltas(provider, "x [[simulate: tool=weather,time]]");
    expect(first).toMatchObject({ role: "assistant", content: provider === "openai" ? null : "" });
    expect(calls.slice(0, 2)).toEqual([
      { index: 0, id: expect.stringMatching(/^call_/), type: "function", function: { name: "weather", arguments: "" } },
      { index: 0, function: { arguments: expect.any(String) } },
    ]);
    expect(calls).toHaveLength(2 + 2 * countTokens(cityInput));
    expect(calls.at(-1)).toMatchObject({ index: 1 });
    expect(finish).toEqual(["tool_calls"]);
  }
  expect((await chatDeltas("xai", "x [[simulate: tool=weather,time]]")).calls).toEqual(
    names.map((name, index) => ({
      index,
      id: expect.stringMatching(/^call_/),
      type: "function",
      function: { name, arguments: cityInput },
    })),
  );
});

test("Anthropic sends each call as its own block after the text, with partial JSON", async () => {
  const events = await requestStream("anthropic", { prompt: 'x [[simulate: tool text="Let"]]' });
  const rest = events.slice(events.findIndex((event) => JSON.stringify(event).includes("tool_use")));
  expect(rest.slice(0, 2)).toEqual([
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: expect.stringMatching(/^toolu_01/), name: "weather", input: {} },
    },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "" } },
  ]);
  expect(rest.slice(-3)).toMatchObject([
    { type: "content_block_stop", index: 1 },
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use", stop_sequence: null },
      usage: { output_tokens: 2 + countTokens(cityInput) },
    },
    { type: "message_stop" },
  ]);
  expect(await requestJson("anthropic", { prompt: "x [[simulate: tool]]" })).toMatchObject({
    content: [{ type: "tool_use", name: "weather", input: { city: "example" } }],
    stop_reason: "tool_use",
  });
});

test("Anthropic reports the stop sequence that ended an answer", async () => {
  const more = { stop_sequences: [" b"] };
  expect(await requestJson("anthropic", { prompt: 'x [[simulate: text="a b c"]]', more })).toMatchObject({
    content: [{ type: "text", text: "a" }],
    stop_reason: "stop_sequence",
    stop_sequence: " b",
  });
});

test("Gemini sends a call as a whole part, from Gemini 3 on with an id and the first one signed, and ends with STOP", async () => {
  const functionCall = (name: string) => ({ name, args: { city: "example" } });
  const old = await requestStream("gemini", { prompt: "x [[simulate: tool=weather,time]]" });
  expect(old).toMatchObject([
    { candidates: [{ content: { parts: [{ functionCall: functionCall("weather") }] } }] },
    { candidates: [{ content: { parts: [{ functionCall: functionCall("time") }] }, finishReason: "STOP" }] },
  ]);
  expect(JSON.stringify(old)).not.toMatch(/thoughtSignature|"id"/);

  const parts = [
    { functionCall: { ...functionCall("weather"), id: expect.any(String) }, thoughtSignature: expect.any(String) },
    { functionCall: { ...functionCall("time"), id: expect.any(String) } },
  ];
  const today = await requestJson("gemini", { prompt: "x [[simulate: tool=weather,time]]", model: "gemini-3-pro" });
  expect(today).toMatchObject({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
});

test("only one call is made when parallel calls are not allowed", async () => {
  const prompt = "x [[simulate: tool=weather,time]]";
  expect(await requestJson("openai", { prompt, more: { parallel_tool_calls: false } })).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { name: "weather" } }] } }],
  });
  const more = { tool_choice: { type: "auto", disable_parallel_tool_use: true } };
  expect(await requestJson("anthropic", { prompt, more })).toMatchObject({ content: { length: 1 } });
});

test("Gemini calls one of the allowed functions", async () => {
  const more = { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["time"] } } };
  expect(await requestJson("gemini", { prompt: "x", more })).toMatchObject({
    candidates: [{ content: { parts: [{ functionCall: { name: "time" } }] } }],
  });
});

test("the request's limit cuts off a call's arguments, and everything sent is billed", async () => {
  const prompt = "x [[simulate: tool]]";
  expect(await requestJson("openai", { prompt, more: { max_tokens: 3 } })).toMatchObject({
    choices: [{ message: { tool_calls: [{ function: { arguments: '{"city' } }] }, finish_reason: "length" }],
    usage: { completion_tokens: 3 },
  });
  expect(await requestJson("anthropic", { prompt, more: { max_tokens: 3 } })).toMatchObject({
    content: [{ input: {} }],
    stop_reason: "max_tokens",
    usage: { output_tokens: 3 },
  });
  const cut = await requestJson("gemini", { prompt, more: { generationConfig: { maxOutputTokens: 3 } } });
  expect(cut).toMatchObject({ candidates: [{ finishReason: "MAX_TOKENS" }], usageMetadata: { candidatesTokenCount: 3 } });
  expect(JSON.stringify(cut)).not.toContain("functionCall");
});

test("a `tool` directive for a missing tool is explained in the answer", async () => {
  expect((await ask("openai", { prompt: "x [[simulate: tool=other]]" })).text).toContain(
    "`tool` names other, which the request does not have",
  );
  expect((await ask("openai", { prompt: "x [[simulate: tool]]", more: { tools: undefined } })).text).toContain(
    "`tool` needs a request with tools",
  );
});

test("a stream with a call can break off midway too", async () => {
  for (const provider of ["openai", "anthropic"] as const) {
    const { text } = await ask(provider, { prompt: "x [[simulate: tool error-midway]]", stream: true });
    expect(text).toContain("city");
    expect(text).not.toContain("example");
    expect(text).toContain('"error"');
  }
});

test("a JSON format without a schema wraps the answer, one with a schema fits it", async () => {
  const content = async (response_format: object) => {
    const reply = await requestJson("openai", { prompt: "Say it as JSON.", more: { response_format } });
    return (reply as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? "";
  };
  expect(JSON.parse(await content({ type: "json_object" }))).toEqual({ answer: expect.stringMatching(/^Simulated answer/) });
  expect(await content({ type: "json_schema", json_schema: { name: "place", schema: parameters } })).toBe(cityInput);
});

// Claude Code 2.1 puts its reminders behind the user's words, as a message of their own or as one of the system.
test.each(["user", "system"])("a reminder behind the user's words, of the role %s, hides no directive", async (role) => {
  const prompt = "Weather? [[simulate: tool=weather]]";
  const messages = [
    { role: "user", content: prompt },
    { role, content: "The task list is empty." },
  ];
  const { text } = await ask("anthropic", { prompt, more: { messages } });
  expect(text).toContain('"name":"weather"');
  const again = [...messages, { role: "user", content: "Time? [[simulate: tool=time]]" }];
  const { text: other } = await ask("anthropic", { prompt, more: { messages: again } });
  expect(other).toContain('"name":"time"');
  expect(other).not.toContain('"name":"weather"');
});
