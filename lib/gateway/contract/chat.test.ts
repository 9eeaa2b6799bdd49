// POST /api/v1/chat/completions in every detail, through both HTTP servers: OpenAI's shapes whole and streamed, the same money path as
// /prompt, errors in OpenAI's format, and fields that OpenAI would accept.

import { describe, expect, test } from "vitest";
import type { ErrorCode } from "@/lib/base/errors";
import { findModel } from "@/lib/providers/catalogue";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { ask, expectCommonHeaders, QUESTION } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();

const path = "/api/v1/chat/completions";
const models = ["gpt-4o-mini", "claude-haiku-4-5", "gemini-2.5-flash-lite", "grok", "deepseek-chat"];
const chatOf = (fields: object = {}): object => ({ model: "gpt-4o-mini", messages: [{ role: "user", content: QUESTION }], ...fields });
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city", "days"] },
  },
};

interface Message {
  role: string;
  content: string | null;
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
}

interface Completion {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; message: Message; finish_reason: string }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number; cost: number };
}

interface Chunk {
  id: string;
  object: string;
  choices: { index: number; delta: Partial<Message> & { tool_calls?: ToolDelta[] }; finish_reason: string | null }[];
  usage?: Completion["usage"];
}

interface ToolDelta {
  index: number;
  id?: string;
  type?: string;
  function: { name?: string; arguments: string };
}

interface ChatError {
  error: { message: string; type: string; param: string | null; code: ErrorCode; details: { docs: string }; requestId: string };
}

const readCompletion = (text: string): Completion => JSON.parse(text) as Completion;

/** The chunks of a stream, which must end with [DONE]. */
function readChunks(text: string): Chunk[] {
  const events = text.split("\n\n").filter((block) => block !== "" && !block.startsWith(":"));
  expect(events.at(-1)).toBe("data: [DONE]");
  return events.slice(0, -1).map((event) => {
    expect(event).toMatch(/^data: [^\n]*$/);
    return JSON.parse(event.slice(6)) as Chunk;
  });
}

/** The message assembled from a stream's chunks. */
function messageOf(chunks: readonly Chunk[]): Message {
  const message: Message = { role: "", content: "" };
  for (const { choices } of chunks) {
    const { role, content, tool_calls: calls } = choices[0]?.delta ?? {};
    message.role += role ?? "";
    message.content += content ?? "";
    for (const { index, id, type, function: part } of calls ?? []) {
      message.tool_calls ??= [];
      message.tool_calls[index] ??= { id: id ?? "", type: type ?? "", function: { name: part.name ?? "", arguments: "" } };
      message.tool_calls[index].function.arguments += part.arguments;
    }
  }
  if (message.content === "" && message.tool_calls) message.content = null;
  return message;
}

const withoutIds = (message: Message): Message => ({ ...message, tool_calls: message.tool_calls?.map((call) => ({ ...call, id: "" })) });

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  test.each(models)("%s answers whole and as a stream with the same message, usage and exact cost", async (model) => {
    const account = await openAccount();
    const whole = await ask({ url, path, key: account.key, body: chatOf({ model }) });
    expect(whole.status).toBe(200);
    const completion = readCompletion(whole.text);
    expectCommonHeaders(whole.headers, completion.id);
    expect(completion).toMatchObject({ object: "chat.completion", model: findModel(model)?.id });
    expect(completion.choices).toHaveLength(1);
    expect(completion.choices[0]).toMatchObject({ index: 0, finish_reason: "stop", message: { role: "assistant" } });

    const body = chatOf({ model, stream: true, stream_options: { include_usage: true } });
    const streamed = await ask({ url, path, key: account.key, body });
    expect(streamed.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const chunks = readChunks(streamed.text);
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`))).toEqual(
      new Set([`${streamed.headers.get("x-request-id")} chat.completion.chunk`]),
    );
    expect(messageOf(chunks)).toEqual({ role: "assistant", content: completion.choices[0]?.message.content });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: completion.usage });

    const charges = await chargesOf(account.accountId);
    expect(charges).toHaveLength(2);
    const { input: inputPrice = 0n, output: outputPrice = 0n } = findModel(model)?.prices[0] ?? {};
    const { prompt_tokens, completion_tokens, total_tokens, cost } = completion.usage;
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    expect(Math.round(cost * 1e9)).toBe(Number(BigInt(prompt_tokens) * inputPrice + BigInt(completion_tokens) * outputPrice));
    await expectPaid(account);
  });

  test.each(models)("%s calls tools whole and streamed, and continues with their results", async (model) => {
    const account = await openAccount();
    const messages = [{ role: "user", content: `${QUESTION} [[simulate: tool=get_weather]]` }];
    const body = chatOf({ model, messages, tools: [weather] });
    const whole = readCompletion((await ask({ url, path, key: account.key, body })).text);
    const message = whole.choices[0]?.message;
    expect(whole.choices[0]?.finish_reason).toBe("tool_calls");
    const [call] = message?.tool_calls ?? [];
    expect(call).toMatchObject({ id: expect.stringMatching(/./), type: "function", function: { name: "get_weather" } });
    expect(JSON.parse(call?.function.arguments ?? "")).toEqual({ city: expect.any(String), days: expect.any(Number) });

    const chunks = readChunks((await ask({ url, path, key: account.key, body: { ...body, stream: true } })).text);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("tool_calls");
    expect(chunks.every((chunk) => !("usage" in chunk))).toBe(true);
    expect(withoutIds(messageOf(chunks))).toMatchObject({ role: "assistant", tool_calls: message && withoutIds(message).tool_calls });

    const result = { role: "tool", tool_call_id: call?.id, content: '{"celsius":21}' };
    const next = await ask({
      url,
      path,
      key: account.key,
      body: chatOf({ model, messages: [...messages, message, result], tools: [weather] }),
    });
    expect(next.status, next.text).toBe(200);
    expect(readCompletion(next.text).choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: expect.stringContaining("21") },
    });
    await expectPaid(account);
  });

  test.each(models)("%s answers in JSON when the response format requires it", async (model) => {
    const account = await openAccount();
    const schema = { type: "object", properties: { mood: { type: "string" } }, required: ["mood"], additionalProperties: false };
    const response_format = { type: "json_schema", json_schema: { name: "answer", schema, strict: true } };
    const { text } = await ask({ url, path, key: account.key, body: chatOf({ model, response_format }) });
    const answer: unknown = JSON.parse(readCompletion(text).choices[0]?.message.content ?? "");
    // DeepSeek supports JSON, but no schemas.
    expect(answer).toEqual(model.startsWith("deepseek") ? expect.any(Object) : { mood: expect.any(String) });
  });

  test("everything that OpenAI accepts is accepted: nulls, content parts, developer messages, and fields that change nothing", async () => {
    const account = await openAccount();
    const body = {
      model: "gpt-4o-mini",
      messages: [
        { role: "developer", content: [{ type: "text", text: "Be brief." }] },
        {
          role: "user",
          content: [
            { type: "text", text: QUESTION },
            { type: "text", text: "?" },
          ],
          name: "ada",
        },
        { role: "assistant", content: null, refusal: "No." },
        { role: "user", content: "Why not?" },
      ],
      max_tokens: null,
      max_completion_tokens: 40,
      temperature: 0.5,
      top_p: 0.9,
      n: 1,
      stop: ["never said"],
      stream: null,
      tools: null,
      tool_choice: null,
      response_format: { type: "text" },
      seed: 7,
      user: "ada",
      metadata: { any: "thing" },
      store: false,
      logprobs: false,
      logit_bias: {},
      service_tier: "auto",
      something_new: { of: "tomorrow" },
    };
    const { status, text } = await ask({ url, path, key: account.key, body });
    expect(status, text).toBe(200);
    expect(readCompletion(text).usage.completion_tokens).toBe(40);
    expect(readCompletion(text).choices[0]?.finish_reason).toBe("length");
  });

  test.each<[what: string, fields: object, code: ErrorCode, param: string | null, expectedText: RegExp]>([
    ["two answers", { n: 2 }, "INVALID_REQUEST", "n", /must be 1/],
    ["no messages", { messages: [] }, "INVALID_REQUEST", "messages", /at least one/],
    [
      "an image",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:" } }] }] },
      "INVALID_REQUEST",
      "messages.0.content.0.image_url.url",
      /media type/,
    ],
    ["an unknown role", { messages: [{ role: "wizard", content: "x" }] }, "INVALID_REQUEST", "messages.0.role", /must be system/],
    ["a tool of OpenAI's own", { tools: [{ type: "web_search" }] }, "INVALID_REQUEST", "tools.0.type", /must be function/],
    ["functions", { functions: [] }, "INVALID_REQUEST", "functions", /Use tools instead/],
    [
      "a choice of no tool",
      { tools: [weather], tool_choice: { type: "function", function: { name: "other" } } },
      "INVALID_REQUEST",
      "tool_choice",
      /not in tools/,
    ],
    ["a cost above maxCost", { maxCost: 0.000000001 }, "INVALID_REQUEST", "maxCost", /may cost up to/],
    ["no such model", { model: "gpt-99" }, "INVALID_MODEL", "model", /Unknown model/],
    ["five stops", { stop: ["a", "b", "c", "d", "e"] }, "INVALID_REQUEST", "stop", /./],
  ])("%s is refused in OpenAI's format", async (_what, fields, code, param, expectedText) => {
    const { key } = await openAccount();
    const { status, text, headers } = await ask({ url, path, key, body: chatOf(fields) });
    const { error } = JSON.parse(text) as ChatError;
    expect({ status, ...error }).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param,
      code,
      message: expect.stringMatching(expectedText),
    });
    expect(error.details.docs).toMatch(new RegExp(`/docs/errors/${code}$`));
    expectCommonHeaders(headers, error.requestId);
  });

  test("a wrong key, an empty balance and a dead provider have OpenAI's types and our codes", async () => {
    const poor = await openAccount({ usd: "0" });
    const rich = await openAccount();
    const failing = chatOf({ messages: [{ role: "user", content: "[[simulate: status=500]]" }] });
    const seen = await Promise.all([
      ask({ url, path, key: "pp_wrong", body: chatOf() }),
      ask({ url, path, key: poor.key, body: chatOf() }),
      ask({ url, path, key: rich.key, body: failing }),
    ]);
    expect(seen.map(({ status, text }) => [status, ...Object.values((JSON.parse(text) as ChatError).error).slice(1, 4)])).toEqual([
      [401, "authentication_error", null, "INVALID_API_KEY"],
      [402, "insufficient_quota", null, "INSUFFICIENT_BALANCE"],
      [500, "server_error", null, "INTERNAL_ERROR"],
    ]);
    await expectPaid(rich);
  });

  test("a provider that fails half-way ends the stream with an error that says what was charged", async () => {
    const account = await openAccount();
    const body = chatOf({ messages: [{ role: "user", content: "[[simulate: close-midway tokens=40]]" }], stream: true });
    const { text } = await ask({ url, path, key: account.key, body });
    const last = text.trimEnd().split("\n\n").at(-1) ?? "";
    const { error } = JSON.parse(last.slice(6)) as { error: { code: string; details: { cost: { totalCost: number } } } };
    expect(error).toMatchObject({ code: "INTERNAL_ERROR", details: { cost: { totalCost: expect.any(Number) } } });
    const [charge] = await chargesOf(account.accountId);
    expect(charge).toMatchObject({ outcome: "partial" });
    await expectPaid(account);
  });

  test("an idempotency key answers once, whole and streamed, and not for the other endpoint", async () => {
    const account = await openAccount();
    for (const fields of [{}, { stream: true, tools: [weather], tool_choice: "required" }]) {
      const send = () =>
        ask({ url, path, key: account.key, body: chatOf(fields), headers: { "idempotency-key": `once ${"stream" in fields}` } });
      const [first, again] = [await send(), await send()];
      expect(first.status, first.text).toBe(200);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      if ("stream" in fields) expect(messageOf(readChunks(again.text))).toEqual(messageOf(readChunks(first.text)));
      else expect(again.text).toBe(first.text);
    }
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    const other = await ask({
      url,
      path: "/api/v1/prompt",
      key: account.key,
      body: chatOf(),
      headers: { "idempotency-key": "once false" },
    });
    expect(other.status).toBe(400);
    await expectPaid(account);
  });
});
