// Stock clients against the running service: OpenAI's own package and Vercel's AI SDK, with only base URL and key changed. Each holds a
// conversation: plain, streamed, with tools, an error, an abort; and every cent of it is accounted for.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openAccount, type TestAccount } from "./testing/accounts";
import { awaitCharge, chargesOf, expectPaid } from "./testing/books";
import { QUESTION } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const model = "gpt-4o-mini";
const slow = "[[simulate: slow=20 tokens=400]]";
const callTool = "[[simulate: tool=add]]";

const add: OpenAI.ChatCompletionFunctionTool = {
  type: "function",
  function: {
    name: "add",
    parameters: { type: "object", properties: { left: { type: "number" }, right: { type: "number" } }, required: ["left", "right"] },
  },
};

describe.each(entryNames)("the openai package through the %s server", (entry) => {
  const client = ({ key }: Pick<TestAccount, "key">) => new OpenAI({ apiKey: key, baseURL: `${service.url(entry)}/api/v1`, maxRetries: 0 });

  test("plain: the answer, its usage, and the request id of its receipt", async () => {
    const account = await openAccount();
    const answer = await client(account).chat.completions.create({ model, messages: [{ role: "user", content: QUESTION }] });
    expect(answer.choices[0]?.message.content).toMatch(/^Simulated answer/);
    expect(answer._request_id).toBe(answer.id);
    const [charge] = await chargesOf(account.accountId);
    expect(answer.usage).toMatchObject({ prompt_tokens: Number(charge?.input_tokens), completion_tokens: Number(charge?.output_tokens) });
    await expectPaid(account);
  });

  test("streamed: the same text in pieces, and usage with its cost at the end", async () => {
    const account = await openAccount();
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION }];
    const whole = await client(account).chat.completions.create({ model, messages });
    const stream = await client(account).chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(usage).toEqual(whole.usage);
    expect(usage).toHaveProperty("cost", expect.any(Number));
    await expectPaid(account);
  });

  test("tools: the client's own runner calls the function and gets an answer from its result", async () => {
    const account = await openAccount();
    const toolInputs: unknown[] = [];
    const runner = client(account).chat.completions.runTools({
      model,
      messages: [{ role: "user", content: callTool }],
      tools: [
        {
          type: "function",
          function: {
            ...add.function,
            parse: JSON.parse,
            function: (given: unknown) => {
              toolInputs.push(given);
              return "forty-two";
            },
          } as never,
        },
      ],
    });
    expect(await runner.finalContent()).toContain("forty-two");
    expect(toolInputs).toEqual([{ left: expect.any(Number), right: expect.any(Number) }]);
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });

  test("tools in a stream: the client's accumulator assembles the pieces into whole calls", async () => {
    const account = await openAccount();
    const stream = client(account).chat.completions.stream({ model, messages: [{ role: "user", content: callTool }], tools: [add] });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({ type: "function", function: { name: "add" } });
    expect(JSON.parse((call as OpenAI.ChatCompletionMessageFunctionToolCall).function.arguments)).toEqual({
      left: expect.any(Number),
      right: expect.any(Number),
    });
    await expectPaid(account);
  });

  test("errors: the client's own class for the status, with our code inside", async () => {
    const poor = await openAccount({ usd: "0" });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION }];
    await expect(client({ key: "pp_wrong" }).chat.completions.create({ model, messages })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
    await expect(client(poor).chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 402,
      code: "INSUFFICIENT_BALANCE",
    });
    await expect(client(poor).chat.completions.create({ model: "gpt-99", messages })).rejects.toMatchObject({
      status: 400,
      code: "INVALID_MODEL",
      param: "model",
    });
  });

  test("an error inside a stream ends it with the error, and what was delivered is charged", async () => {
    const account = await openAccount();
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "[[simulate: close-midway tokens=40]]" }];
    const stream = await client(account).chat.completions.create({ model, messages, stream: true });
    const read = async () => {
      for await (const _chunk of stream);
    };
    await expect(read()).rejects.toMatchObject({ code: "INTERNAL_ERROR" });
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "partial" });
    await expectPaid(account);
  });

  test("abort: the stream ends at once, and what was delivered is charged", async () => {
    const account = await openAccount();
    const stream = await client(account).chat.completions.create({ model, messages: [{ role: "user", content: slow }], stream: true });
    let chunks = 0;
    for await (const _chunk of stream) if (++chunks === 5) stream.controller.abort();
    const charge = await awaitCharge(account.accountId);
    expect(charge).toMatchObject({ outcome: "cancelled" });
    expect(Number(charge.output_tokens)).toBeLessThan(400);
    await expectPaid(account);
  });

  test("the list of models", async () => {
    const ids: string[] = [];
    for await (const { id } of client({ key: "pp_none" }).models.list()) ids.push(id);
    expect(ids).toContain(model);
    expect(ids.length).toBeGreaterThanOrEqual(14);
    expect(await client({ key: "pp_none" }).models.retrieve("gpt-4")).toMatchObject({
      id: "gpt-4",
      object: "model",
      created: 1_678_752_000,
    });
    await expect(client({ key: "pp_none" }).models.retrieve("gpt-99")).rejects.toMatchObject({ status: 404 });
  });
});

describe.each(entryNames)("the AI SDK through the %s server", (entry) => {
  const provider = ({ key }: Pick<TestAccount, "key">) =>
    createOpenAICompatible({ name: "pennyprompt", apiKey: key, baseURL: `${service.url(entry)}/api/v1`, includeUsage: true });

  test("plain and streamed give the same text and usage", async () => {
    const account = await openAccount();
    const whole = await generateText({ model: provider(account)(model), prompt: QUESTION, maxRetries: 0 });
    const streamed = streamText({ model: provider(account)(model), prompt: QUESTION, maxRetries: 0 });
    expect(await streamed.text).toBe(whole.text);
    expect(whole.text).toMatch(/^Simulated answer/);
    expect((await streamed.usage).totalTokens).toBe(whole.usage.totalTokens);
    const charges = await chargesOf(account.accountId);
    expect(charges.map((charge) => Number(charge.input_tokens + charge.output_tokens))).toEqual([
      whole.usage.totalTokens,
      whole.usage.totalTokens,
    ]);
    await expectPaid(account);
  });

  test.each(["whole", "streamed"])("tools, %s: the function is called and its result answered", async (how) => {
    const account = await openAccount();
    const toolInputs: unknown[] = [];
    const options = {
      model: provider(account)(model),
      prompt: callTool,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
      tools: {
        add: tool({
          inputSchema: z.object({ left: z.number(), right: z.number() }),
          execute: async (given) => {
            toolInputs.push(given);
            return "forty-two";
          },
        }),
      },
    };
    const text = how === "whole" ? (await generateText(options)).text : await streamText(options).text;
    expect(text).toContain("forty-two");
    expect(toolInputs).toEqual([{ left: expect.any(Number), right: expect.any(Number) }]);
    await expectPaid(account);
  });

  test("an error is an APICallError with our message and code", async () => {
    const poor = await openAccount({ usd: "0" });
    const failure = await generateText({ model: provider(poor)(model), prompt: QUESTION, maxRetries: 0 }).catch((error: unknown) => error);
    expect(APICallError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ statusCode: 402, message: expect.stringContaining("Insufficient balance"), isRetryable: false });
    expect((failure as APICallError).responseBody).toContain("INSUFFICIENT_BALANCE");
  });

  test("abort: the stream ends, and what was delivered is charged", async () => {
    const account = await openAccount();
    const control = new AbortController();
    const { textStream } = streamText({
      model: provider(account)(model),
      prompt: slow,
      abortSignal: control.signal,
      maxRetries: 0,
      onError: () => undefined,
    });
    let pieces = 0;
    try {
      for await (const _piece of textStream) if (++pieces === 5) control.abort();
    } catch {
      // Some versions end the stream, others throw.
    }
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "cancelled" });
    await expectPaid(account);
  });
});
