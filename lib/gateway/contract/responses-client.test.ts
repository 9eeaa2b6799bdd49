// Stock clients of OpenAI's Responses against the running service: OpenAI's own package and Vercel's AI SDK, with only base URL and key
// changed, for a model of OpenAI and for models of others.

import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openAccount, type TestAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import { QUESTION } from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();
const models = ["gpt-6-sol", "gpt-4o-mini", "claude-sonnet-5-5", "gemini-2.5-flash"] as const;
const callTool = "[[simulate: tool=add reasoning=20]]";

const add: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "add",
  parameters: { type: "object", properties: { left: { type: "number" } }, required: ["left"], additionalProperties: false },
  strict: true,
};

describe.each(models)("the openai package with %s", (model) => {
  const client = ({ key }: Pick<TestAccount, "key">) =>
    new OpenAI({ apiKey: key, baseURL: `${service.url(entryNames[0])}/api/v1`, maxRetries: 0 });

  test("responses.create: the answer, its usage and its request id", async () => {
    const account = await openAccount();
    const answer = await client(account).responses.create({ model, input: QUESTION, store: false });
    expect(answer.output_text).toMatch(/^Simulated answer/);
    expect(answer._request_id).toBe(answer.id);
    const [charge] = await chargesOf(account.accountId);
    expect(answer.usage).toMatchObject({ input_tokens: Number(charge?.input_tokens), output_tokens: Number(charge?.output_tokens) });
    await expectPaid(account);
  });

  test("responses.stream: its accumulator makes the same response of the events, over two turns with a tool", async () => {
    const account = await openAccount();
    const include: OpenAI.Responses.ResponseIncludable[] = ["reasoning.encrypted_content"];
    const options = { model, tools: [add], store: false, include, reasoning: { summary: "auto" as const } };
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: callTool }];
    const stream = client(account).responses.stream({ ...options, input });
    const first = await stream.finalResponse();
    const call = first.output.find((item) => item.type === "function_call");
    expect(JSON.parse(call?.arguments ?? "")).toEqual({ left: 1 });
    const output = { type: "function_call_output" as const, call_id: call?.call_id ?? "", output: "forty-two" };
    const second = client(account).responses.stream({ ...options, input: [...input, ...(first.output as typeof input), output] });
    expect((await second.finalResponse()).output_text).toContain("forty-two");
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });
});

test("the openai package throws its own class for each status, with our code", async () => {
  const { key } = await openAccount({ usd: "0" });
  const client = new OpenAI({ apiKey: key, baseURL: `${service.url(entryNames[0])}/api/v1`, maxRetries: 0 });
  await expect(client.responses.create({ model: "gpt-6-sol", input: QUESTION, max_output_tokens: 20_000 })).rejects.toMatchObject({
    status: 402,
    code: "INSUFFICIENT_BALANCE",
  });
  const stored = client.responses.create({ model: "gpt-6-sol", input: QUESTION, store: true });
  await expect(stored).rejects.toBeInstanceOf(OpenAI.BadRequestError);
});

describe.each(models)("the AI SDK's OpenAI package with %s", (model) => {
  const languageModel = ({ key }: TestAccount) =>
    createOpenAI({ apiKey: key, baseURL: `${service.url(entryNames[0])}/api/v1` }).responses(model);
  const providerOptions = { openai: { store: false } };
  const tools = { add: tool({ inputSchema: z.object({ left: z.number() }), execute: async () => "forty-two" }) };

  test("generateText runs the tool and gets an answer from its result", async () => {
    const account = await openAccount();
    const { text } = await generateText({
      model: languageModel(account),
      prompt: callTool,
      tools,
      providerOptions,
      stopWhen: stepCountIs(2),
    });
    expect(text).toContain("forty-two");
    expect(await chargesOf(account.accountId)).toHaveLength(2);
    await expectPaid(account);
  });

  test("streamText does the same, piece by piece", async () => {
    const account = await openAccount();
    const result = streamText({ model: languageModel(account), prompt: callTool, tools, providerOptions, stopWhen: stepCountIs(2) });
    let text = "";
    for await (const piece of result.textStream) text += piece;
    expect(text).toContain("forty-two");
    expect((await result.totalUsage).outputTokens).toBeGreaterThan(0);
    await expectPaid(account);
  });
});
