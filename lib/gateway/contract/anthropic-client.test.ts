// Stock clients against the running service: Anthropic's own package and Vercel's AI SDK for it, with only base URL and key changed. Each
// holds a conversation, plain, streamed, with a tool over two turns, with thinking; and every cent of it is accounted for.

import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { APICallError, generateText, stepCountIs, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openAccount, type TestAccount } from "./testing/accounts";
import { awaitCharge, chargesOf, expectPaid } from "./testing/books";
import { QUESTION } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const callTool = "[[simulate: tool=add reasoning=20]]";
/** A model of Anthropic's that thinks by a budget, and a model of another provider. */
const models = ["claude-haiku-4-5", "gpt-4o-mini"];

const add: Anthropic.Tool = {
  name: "add",
  description: "Adds two numbers",
  input_schema: { type: "object", properties: { left: { type: "number" }, right: { type: "number" } }, required: ["left", "right"] },
};

const textOf = (message: Anthropic.Message): string => message.content.map((block) => (block.type === "text" ? block.text : "")).join("");

describe.each(entryNames)("the Anthropic package through the %s server", (entry) => {
  const client = ({ key }: Pick<TestAccount, "key">) => new Anthropic({ apiKey: key, baseURL: `${service.url(entry)}/api`, maxRetries: 0 });

  test.each(models)("%s plain: the answer, its usage, and the id of its receipt", async (model) => {
    const account = await openAccount();
    const answer = await client(account).messages.create({ model, max_tokens: 500, messages: [{ role: "user", content: QUESTION }] });
    expect(textOf(answer)).toMatch(/^Simulated answer/);
    expect(answer).toMatchObject({ type: "message", role: "assistant", model, stop_reason: "end_turn", stop_sequence: null });
    expect(answer.id).toBe(answer._request_id?.replace("req_", "msg_"));
    const [charge] = await chargesOf(account.accountId);
    expect(answer.usage).toMatchObject({ input_tokens: Number(charge?.input_tokens), output_tokens: Number(charge?.output_tokens) });
    expect(answer.usage).toHaveProperty("cost", expect.any(Number));
    await expectPaid(account);
  });

  test.each(models)("%s streamed: the client's own accumulator makes the same message of the events", async (model) => {
    const account = await openAccount();
    const body = { model, max_tokens: 500, messages: [{ role: "user" as const, content: QUESTION }] };
    const whole = await client(account).messages.create(body);
    const streamed = await client(account).messages.stream(body).finalMessage();
    expect(textOf(streamed)).toBe(textOf(whole));
    expect(streamed.usage).toMatchObject({ input_tokens: whole.usage.input_tokens, output_tokens: whole.usage.output_tokens });
    expect(streamed.stop_reason).toBe("end_turn");
    await expectPaid(account);
  });

  test.each(
    models.flatMap((model) => [
      [model, "whole"],
      [model, "streamed"],
    ]),
  )("%s with a tool and thinking over two turns, %s", async (model, how) => {
    const account = await openAccount();
    const send = (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> => {
      const body = { model, max_tokens: 4_000, messages, tools: [add], thinking: { type: "enabled" as const, budget_tokens: 2_000 } };
      return how === "whole" ? client(account).messages.create(body) : client(account).messages.stream(body).finalMessage();
    };
    const question: Anthropic.MessageParam = { role: "user", content: callTool };
    const first = await send([question]);
    expect(first.stop_reason).toBe("tool_use");
    if (model.startsWith("claude")) {
      expect(first.content[0]).toMatchObject({
        type: "thinking",
        thinking: expect.stringContaining("Weighing"),
        signature: expect.stringMatching(/^pp1\./),
      });
    }
    const call = first.content.at(-1);
    if (call?.type !== "tool_use") throw new Error("no tool was called");
    expect(call).toMatchObject({ name: "add", input: { left: expect.any(Number), right: expect.any(Number) } });
    const second = await send([
      question,
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "forty-two" }] },
    ]);
    expect(textOf(second)).toContain("forty-two");
    expect(second.stop_reason).toBe("end_turn");
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });

  test("a stop sequence that the model met is named", async () => {
    const account = await openAccount();
    const content = 'Count [[simulate: text="one two three four"]]';
    const body = { model: "claude-haiku-4-5", max_tokens: 100, messages: [{ role: "user" as const, content }], stop_sequences: ["three"] };
    expect(await client(account).messages.create(body)).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "three" });
    expect(await client(account).messages.stream(body).finalMessage()).toMatchObject({
      stop_reason: "stop_sequence",
      stop_sequence: "three",
    });
  });

  test("errors: the client's own class for the status, with our code inside", async () => {
    const poor = await openAccount({ usd: "0" });
    const body = { model: "gpt-4o-mini", max_tokens: 100, messages: [{ role: "user" as const, content: QUESTION }] };
    await expect(client({ key: "pp_wrong" }).messages.create(body)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(client(poor).messages.create({ ...body, model: "claude-99" })).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(client(poor).messages.create(body)).rejects.toMatchObject({
      status: 402,
      error: { type: "error", error: { type: "billing_error", code: "INSUFFICIENT_BALANCE", details: { deficit: expect.any(Number) } } },
    });
  });

  test("an error inside a stream ends it with the error, and what was delivered is charged", async () => {
    const account = await openAccount();
    const content = "[[simulate: close-midway tokens=40]]";
    const stream = client(account).messages.stream({ model: "claude-haiku-4-5", max_tokens: 500, messages: [{ role: "user", content }] });
    await expect(stream.finalMessage()).rejects.toThrow(/INTERNAL_ERROR/);
    expect(await awaitCharge(account.accountId)).toMatchObject({ outcome: "partial" });
    await expectPaid(account);
  });

  test("a count of tokens for Anthropic's models, free, and an estimate for others, which is close", async () => {
    const account = await openAccount();
    const messages = [{ role: "user" as const, content: QUESTION }];
    const { input_tokens } = await client(account).messages.countTokens({ model: "claude-haiku-4-5", messages });
    const answer = await client(account).messages.create({ model: "claude-haiku-4-5", max_tokens: 100, messages });
    expect(input_tokens).toBe(answer.usage.input_tokens);
    const estimate = await client(account).messages.countTokens({ model: "gpt-4o-mini", messages });
    expect(estimate).toMatchObject({ estimated: true });
    const { usage } = await client(account).messages.create({ model: "gpt-4o-mini", max_tokens: 100, messages });
    expect(Math.abs(estimate.input_tokens - usage.input_tokens)).toBeLessThan(8);
    expect(await chargesOf(account.accountId)).toHaveLength(2);
  });

  test("the list of models, and one of them", async () => {
    const ids: string[] = [];
    for await (const { id, type } of client({ key: "pp_none" }).models.list()) if (type === "model") ids.push(id);
    expect(ids).toContain("claude-haiku-4-5");
    expect(await client({ key: "pp_none" }).models.retrieve("gpt-4")).toMatchObject({
      ...{ id: "gpt-4", type: "model", display_name: "gpt-4", created_at: "2023-03-14T00:00:00Z" },
    });
  });
});

describe.each(models)("the AI SDK for Anthropic, %s", (model) => {
  const provider = ({ key }: Pick<TestAccount, "key">) => createAnthropic({ apiKey: key, baseURL: `${service.url("node")}/api/v1` });

  test("plain and streamed give the same text and usage", async () => {
    const account = await openAccount();
    const whole = await generateText({ model: provider(account)(model), prompt: QUESTION, maxOutputTokens: 500, maxRetries: 0 });
    const streamed = streamText({ model: provider(account)(model), prompt: QUESTION, maxOutputTokens: 500, maxRetries: 0 });
    expect(await streamed.text).toBe(whole.text);
    expect(whole.text).toMatch(/^Simulated answer/);
    expect(await streamed.usage).toMatchObject({ inputTokens: whole.usage.inputTokens, outputTokens: whole.usage.outputTokens });
    await expectPaid(account);
  });

  test.each(["whole", "streamed"])("a tool and thinking, %s: the function is called and its result answered", async (how) => {
    const account = await openAccount();
    const inputs: unknown[] = [];
    const options = {
      model: provider(account)(model),
      prompt: callTool,
      maxOutputTokens: 4_000,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
      providerOptions: { anthropic: { thinking: { type: "enabled" as const, budgetTokens: 2_000 } } },
      tools: {
        add: tool({
          inputSchema: z.object({ left: z.number(), right: z.number() }),
          execute: async (given) => {
            inputs.push(given);
            return "forty-two";
          },
        }),
      },
    };
    const text = how === "whole" ? (await generateText(options)).text : await streamText(options).text;
    expect(text).toContain("forty-two");
    expect(inputs).toEqual([{ left: expect.any(Number), right: expect.any(Number) }]);
    await expectPaid(account);
  });

  test("an error is an APICallError with our message and code", async () => {
    const poor = await openAccount({ usd: "0" });
    const failure = await generateText({ model: provider(poor)(model), prompt: QUESTION, maxRetries: 0 }).catch((error: unknown) => error);
    expect(APICallError.isInstance(failure)).toBe(true);
    expect(failure).toMatchObject({ statusCode: 402, message: expect.stringContaining("Insufficient balance"), isRetryable: false });
    expect((failure as APICallError).responseBody).toContain("INSUFFICIENT_BALANCE");
  });
});
