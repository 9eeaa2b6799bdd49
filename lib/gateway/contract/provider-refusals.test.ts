// What a provider refuses, as clients read it: each dialect in the words and codes that its clients know (Claude Code 2.1.332, Codex, opencode,
// Cline, LangChain). The provider is a server that answers as bug reports of real ones have it.

import { beforeEach, describe, expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { expectUncharged } from "./testing/books";
import { ask, modelOf, QUESTION, readError } from "./testing/client";
import { PROMPT_WORD } from "./testing/log";
import { anthropicError, dialects, json, openScriptedProvider, PROVIDER_KEY, type Reply, refusalOf } from "./testing/scripted-provider";

const { service, url, send, host, provider } = await openScriptedProvider();

const openaiError = (message: string, code: string | null, param: string | null = null) =>
  json(400, { error: { message, type: "invalid_request_error", param, code } });
const geminiError = (code: number, message: string, status: string) => json(code, { error: { code, message, status } });

/** Providers, and what each dialect says of it. */
const overflows: [what: string, model: string, reply: Reply, messages: string, openai: string, details: object][] = [
  [
    "Anthropic",
    "claude-sonnet-4-5",
    anthropicError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "prompt is too long: 210000 tokens > 200000 maximum",
    "This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens. Please reduce the length of the messages.",
    { inputTokens: 210_000, contextWindow: 200_000 },
  ],
  [
    "Anthropic, with the output",
    "claude-sonnet-4-5",
    anthropicError(
      400,
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    ),
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    "This model's maximum context length is 200000 tokens. However, you requested 209573 tokens (188240 in the messages, 21333 in the completion). Please reduce the length of the messages or completion.",
    { inputTokens: 188_240, outputTokens: 21_333, contextWindow: 200_000 },
  ],
  [
    "OpenAI",
    "gpt-4o-mini",
    openaiError(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
      "messages",
    ),
    "prompt is too long: 130001 tokens > 128000 maximum",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens. Please reduce the length of the messages.",
    { inputTokens: 130_001, contextWindow: 128_000 },
  ],
  [
    "OpenAI, without numbers",
    "gpt-5.4",
    openaiError(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
      "input",
    ),
    "prompt is too long: it exceeds the context window of this model",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    {},
  ],
  [
    "Gemini",
    "gemini-2.5-flash",
    geminiError(400, "The input token count (1236488) exceeds the maximum number of tokens allowed (1048576).", "INVALID_ARGUMENT"),
    "prompt is too long: 1236488 tokens > 1048576 maximum",
    "This model's maximum context length is 1048576 tokens. However, your messages resulted in 1236488 tokens. Please reduce the length of the messages.",
    { inputTokens: 1_236_488, contextWindow: 1_048_576 },
  ],
];

describe.each(overflows)("a prompt that is too long for %s", (_what, model, refusal, inMessages, inOpenAI, numbers) => {
  beforeEach(() => {
    provider.reply = refusal;
  });

  test.each([false, true])("stream %s: each dialect's clients recognise it, nothing is charged, nothing is tried again", async (stream) => {
    const account = await openAccount({ usd: "50" });
    const messages = await send("messages", { key: account.key, model, stream });
    expect({ status: messages.status, ...refusalOf(messages) }).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message: inMessages,
      code: "INVALID_REQUEST",
      details: { reason: "context_length_exceeded", ...numbers },
    });
    for (const [dialect, param] of [
      ["chat", "messages"],
      ["responses", "input"],
    ] as const) {
      const answer = await send(dialect, { key: account.key, model, stream });
      expect({ status: answer.status, ...refusalOf(answer) }).toMatchObject({
        status: 400,
        type: "invalid_request_error",
        code: "context_length_exceeded",
        param,
        message: inOpenAI,
      });
    }
    const { details, error } = readError(await send("prompt", { key: account.key, model, stream }), "INVALID_REQUEST");
    expect(details).toMatchObject({ reason: "context_length_exceeded", issues: [{ path: "prompt" }], ...numbers });
    expect(error).toMatch(/^prompt is too long/);
    expect(provider.calls).toBe(4);
    await expectUncharged(account);
  });
});

test("Codex gets it as the event that it reads, and its stream has no other", async () => {
  provider.reply = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const error = { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." };
    response.end(
      `event: response.failed\ndata: ${JSON.stringify({ type: "response.failed", response: { id: "r", status: "failed", error, output: [] } })}\n\n`,
    );
  };
  const account = await openAccount({ usd: "50" });
  const headers = { originator: "codex_cli_rs", accept: "text/event-stream" };
  const { status, text, headers: given } = await send("responses", { key: account.key, model: "gpt-5.4", stream: true, headers });
  expect([status, given.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const [, data = ""] = /^event: response\.failed\ndata: (.*)\n\n$/.exec(text) ?? [];
  expect(JSON.parse(data)).toMatchObject({
    type: "response.failed",
    response: {
      status: "failed",
      error: { code: "context_length_exceeded", message: expect.stringContaining("exceeds the context window") },
    },
  });
  await expectUncharged(account);
});

test("a request that is too large for its provider is Anthropic's 413, and OpenAI's overflow", async () => {
  provider.reply = anthropicError(413, "request_too_large", "Request exceeds the maximum size");
  const account = await openAccount({ usd: "50" });
  const messages = await send("messages", { key: account.key });
  expect({ status: messages.status, ...refusalOf(messages) }).toMatchObject({
    status: 413,
    type: "request_too_large",
    code: "INVALID_REQUEST",
  });
  expect(refusalOf(await send("chat", { key: account.key }))).toMatchObject({ code: "context_length_exceeded" });
});

test("any other 400 is quoted, without what is ours or the provider's own, and not in our log", async () => {
  const quoted = `${QUESTION} It must stay between us, whatever happens to it on its way`;
  provider.reply = openaiError(
    `Invalid schema for function 'f': '${quoted}' is not valid. See https://platform.acme.example/docs (organization org-AcmeCorp, key ${PROVIDER_KEY}, host ${host}, request id 20260101abc).`,
    "invalid_function_parameters",
    "tools[0].function.parameters",
  );
  const account = await openAccount();
  for (const dialect of ["chat", "messages", "responses"] as const) {
    const { message, code, details } = refusalOf(await send(dialect, { key: account.key, model: "gpt-4o-mini" }));
    expect(message).toContain(`was rejected by gpt-4o-mini's provider: Invalid schema for function 'f': '${quoted}' is not valid.`);
    expect(message).not.toMatch(/acme|sk-|127\.0\.0\.1|20260101/i);
    expect([code, details.reason]).toEqual(["INVALID_REQUEST", "provider_rejected"]);
  }
  const { details } = readError(await send("prompt", { key: account.key, model: "gpt-4o-mini" }), "INVALID_REQUEST");
  expect(details).toMatchObject({ reason: "provider_rejected", issues: [{ path: "prompt", message: expect.stringContaining(quoted) }] });
  expect(await service.log.text()).not.toContain(PROMPT_WORD);
  await expectUncharged(account);
});

describe("known before any call", () => {
  test.each([
    ["by its length", "a".repeat(8_192 * 128 - 100) + "b".repeat(200), {}],
    ["by its words", "word ".repeat(8_300), {}],
    ["with the output", "word ".repeat(7_000), { max_tokens: 4_000, maxTokens: 4_000, max_output_tokens: 4_000 }],
  ])("a prompt that does not fit %s", async (what, prompt, limits) => {
    const { key } = await openAccount({ usd: "50" });
    for (const dialect of ["chat", "messages", "responses"] as const) {
      const { path, body } = dialects[dialect]("gpt-4", prompt);
      const fields = Object.fromEntries(Object.entries(limits).filter(([name]) => name in body));
      const { message, code } = refusalOf(await ask({ url, key, path, body: { ...body, ...fields } }));
      if (dialect !== "messages") expect(code).toBe("context_length_exceeded");
      else if (what === "with the output")
        expect(message).toMatch(/^input length and `max_tokens` exceed context limit: \d{4} \+ 4000 > 8192/);
      else expect(message).toMatch(/^prompt is too long: \d+ tokens > 8192 maximum$/);
    }
    expect(provider.calls).toBe(0);
    if (what === "by its length") return; // more than the mebibyte that POST /prompt takes
    const { details } = readError(
      await ask({ url, key, body: { model: "gpt-4", prompt, maxTokens: "maxTokens" in limits ? 4_000 : 10 } }),
      "INVALID_REQUEST",
    );
    expect(details).toMatchObject({ reason: "context_length_exceeded", contextWindow: modelOf("gpt-4").contextWindow });
    expect(provider.calls).toBe(0);
  });
});
