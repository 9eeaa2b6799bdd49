// Servers that call themselves compatible, through the whole gateway: what they send beside OpenAI's own form reaches each dialect whole, and
// what broke off never passes as an answer. Bodies as their references and public bug reports show them.

import { describe, expect, test } from "vitest";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid, expectUncharged } from "./testing/books";
import { add, chunk, event, openCompatibleHost, readMessage, said, streamed, thinking, whole } from "./testing/compatible-host";

const { answers, standInFor, message, chat, respond } = await openCompatibleHost();

describe("answers in other forms than OpenAI's", () => {
  const mistral = [
    { type: "thinking", thinking: [{ type: "text", text: "A capital." }] },
    { type: "reference", reference_ids: [3] },
    said("Rome."),
  ];

  test("Mistral's parts, whole and streamed, in each dialect", async () => {
    const account = await openAccount();
    const forms = [whole({ content: mistral }), streamed(mistral.map((part) => ({ content: [part] })))] as const;
    for (const [stream, answer] of [false, true].map((each) => [each, forms[Number(each)] ?? ""] as const)) {
      answers(answer);
      const { content, stop_reason } = readMessage(await message(account, { stream }));
      expect({ content, stop_reason }).toEqual({ content: [thinking("A capital."), said("Rome.")], stop_reason: "end_turn" });
      const { status, text } = await chat(account, { stream });
      expect(status).toBe(200);
      expect(text).toContain('"content":"Rome."');
      expect(text).not.toContain("capital");
    }
    expect(await chargesOf(account.accountId)).toHaveLength(4);
    await expectPaid(account);
  });

  test("an answer without a count, whole: charged by our own, as a stream is", async () => {
    for (const more of [{}, { usage: null }, { usage: {} }, { usage: "n/a" }]) {
      const account = await openAccount();
      answers(whole({ content: "Rome it is." }, "stop", more));
      const { status, text } = await chat(account);
      expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining("Rome it is.") });
      const [charge] = await chargesOf(account.accountId);
      expect(charge).toMatchObject({ estimated: true, outcome: "complete", operator_loss: 0n });
      expect(charge?.input_tokens).toBeGreaterThan(0n);
      expect(charge?.output_tokens).toBeGreaterThan(0n);
      await expectPaid(account);
    }
  });

  test("a name that comes after its id, and arguments as an object, are a call in each dialect", async () => {
    const account = await openAccount();
    const pieces = [
      { index: 0, id: "call_1", type: "function" },
      { index: 0, function: { name: "a" } },
      { index: 0, function: { name: "dd", arguments: "" } },
      { index: 0, function: { arguments: '{"left":1}' } },
    ];
    const call = { id: 1, type: "function", function: { name: "add", arguments: { left: 1 } } };
    const forms = [whole({ content: null, tool_calls: [call] }), streamed(pieces.map((piece) => ({ tool_calls: [piece] })))];
    for (const stream of [false, true]) {
      answers(forms[Number(stream)] ?? "");
      const { content, stop_reason } = readMessage(await message(account, { stream, tools: [add] }));
      expect(content).toEqual([{ type: "tool_use", id: expect.any(String), name: "add", input: { left: 1 } }]);
      // The server said `stop`.
      expect(stop_reason).toBe("tool_use");
      const tools = [{ type: "function", function: { name: "add", parameters: add.input_schema } }];
      const { text } = await chat(account, { stream, tools });
      expect(text).toMatch(/"finish_reason":"tool_calls"/);
      expect(text).not.toMatch(/"finish_reason":"stop"/);
      const response = await respond(account, {
        stream,
        tools: [{ type: "function", name: "add", parameters: add.input_schema, strict: false }],
      });
      expect(response.text).toMatch(/"type":"function_call"/);
    }
    await expectPaid(account);
  });

  test("`tool_calls` without a call is the end of a turn; a call that the limit cut stays cut", async () => {
    const account = await openAccount();
    const cut = { id: "call_1", type: "function", function: { name: "add", arguments: '{"le' } };
    for (const stream of [false, true]) {
      answers(stream ? streamed([{ content: "Done." }], "tool_calls") : whole({ content: "Done.", tool_calls: [] }, "tool_calls"));
      expect(readMessage(await message(account, { stream })).stop_reason).toBe("end_turn");
      expect((await chat(account, { stream })).text).toMatch(/"finish_reason":"stop"/);
      answers(stream ? streamed([{ tool_calls: [{ ...cut, index: 0 }] }], "length") : whole({ tool_calls: [cut] }, "length"));
      expect((await message(account, { stream })).text).toContain('"stop_reason":"max_tokens"');
      expect((await chat(account, { stream })).text).toMatch(/"finish_reason":"length"/);
    }
  });
});

describe("what broke off is no answer", () => {
  const broken: [what: string, stream: string, body: object][] = [
    ["finish_reason error", streamed([{ content: "Half" }], "error"), whole({ content: "Half" }, "error")],
    ["finish_reason abort", streamed([{ content: "Half" }], "abort"), whole({ content: "Half" }, "abort")],
    [
      "vLLM's error",
      chunk({ content: "Half" }) + event({ object: "error", message: "boom", code: 500 }),
      { object: "error", message: "overloaded" },
    ],
    ["an error as a text", chunk({ content: "Half" }) + event({ error: "boom" }), { error: "overloaded" }],
    [
      "OpenRouter's error in a choice",
      chunk({ content: "Half" }) + event({ choices: [{ delta: {}, error: { code: 502, message: "boom" } }] }),
      { error: { code: 502, message: "boom" } },
    ],
    ["[DONE] without a finish reason", chunk({ content: "Half" }) + event("[DONE]"), {}],
  ];

  test.each(broken)("%s", async (_what, stream, body) => {
    const account = await openAccount();
    answers(stream);
    const { content, stop_reason, error } = readMessage(await message(account, { stream: true }));
    expect({ content, stop_reason }).toEqual({ content: [said("Half")], stop_reason: null });
    expect(error).toMatchObject({ type: "api_error", message: expect.stringContaining("stopped mid-answer") });
    expect(await chargesOf(account.accountId)).toMatchObject([{ outcome: "partial" }]);
    await expectPaid(account);

    const other = await openAccount();
    answers(body);
    const { status, text } = await chat(other);
    expect(status).toBe(JSON.stringify(body).includes("overloaded") ? 503 : 500);
    expect(text).not.toContain("boom");
    await expectUncharged(other);
  });

  test("thoughts that were streamed before it count as output", async () => {
    const account = await openAccount();
    answers(chunk({ reasoning_content: "The capital of Italy has been Rome since 1871, and before it was Florence." }));
    const { content, error } = readMessage(await message(account, { stream: true }));
    expect(content).toMatchObject([{ type: "thinking", thinking: expect.stringContaining("Florence") }]);
    expect(error).toBeDefined();
    const [charge] = await chargesOf(account.accountId);
    expect(charge?.outcome).toBe("partial");
    expect(charge?.reasoning_tokens).toBeGreaterThan(8n);
    expect(charge?.output_tokens).toBe(charge?.reasoning_tokens);
    await expectPaid(account);
  });
});

describe("a function call of Gemini's that cannot be read", () => {
  const usageMetadata = { promptTokenCount: 30, candidatesTokenCount: 4, totalTokenCount: 34 };
  const parts = (...given: object[]) => ({ candidates: [{ content: { role: "model", parts: given } }], usageMetadata });
  const ended = (finishReason: string, ...given: object[]) => ({
    candidates: [{ finishReason, ...(given.length > 0 && { content: { parts: given } }) }],
    usageMetadata,
  });
  const gemini = { model: "gemini-2.5-flash", tools: [add] };

  test.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "OTHER"])(
    "%s with nothing else: an error that a client sends again for, uncharged, and Gemini goes on being called",
    async (reason) => {
      standInFor("gemini");
      const account = await openAccount();
      // More often than its circuit takes from a provider that fails.
      for (let nth = 0; nth < 12; nth += 1) {
        const stream = nth % 2 === 1;
        answers(stream ? event(ended(reason)) : ended(reason));
        const { status, text } = await message(account, { ...gemini, stream });
        expect({ status, text }).toMatchObject({ status: 500, text: expect.stringContaining("Send the request again") });
        expect(JSON.parse(text)).toMatchObject({ error: { type: "api_error", details: { retryable: true } } });
      }
      await expectUncharged(account);
      answers(ended("STOP", { functionCall: { name: "add", args: { left: 1 } } }));
      expect(readMessage(await message(account, gemini))).toMatchObject({ stop_reason: "tool_use" });
    },
  );

  test("after text a stream ends with an error, and is charged for what came; beside a call that can be read, the client goes on", async () => {
    standInFor("gemini");
    const account = await openAccount();
    answers(event(parts({ text: "Let me see." })) + event(ended("MALFORMED_FUNCTION_CALL")));
    const { content, error } = readMessage(await message(account, { ...gemini, stream: true }));
    expect({ content, error }).toMatchObject({ content: [said("Let me see.")], error: { type: "api_error" } });
    expect(await chargesOf(account.accountId)).toMatchObject([{ outcome: "partial", input_tokens: 30n, output_tokens: 4n }]);
    answers(ended("MALFORMED_FUNCTION_CALL", { functionCall: { name: "add", args: { left: 1 } } }));
    expect(readMessage(await message(account, gemini))).toMatchObject({
      content: [{ type: "tool_use", name: "add" }],
      stop_reason: "tool_use",
    });
    await expectPaid(account);
  });
});
