// A 200 as the specification and the contract describe it, through both HTTP servers: fields, order, exact cost, headers, and a stream with
// the same content as JSON.

import { describe, expect, test } from "vitest";
import { countInputTokens } from "@/lib/sandbox/models/tokens";
import { openAccount } from "./testing/accounts";
import { chargesOf, expectPaid } from "./testing/books";
import {
  type Answer,
  ask,
  deltaText,
  expectCommonHeaders,
  modelOf,
  promptOf,
  QUESTION,
  readCosts,
  readEvents,
  readPromptBody,
} from "./testing/client";
import { entryNames, openService } from "./testing/service";

const service = await openService();

/** One model of each provider, and the format of its request ids: all three wire formats, and both dialects of OpenAI's. */
const models = [
  ["gpt-4o-mini", "openai", /^req_\w{22}$/],
  ["claude-haiku-4-5", "anthropic", /^req_01\w{22}$/],
  ["gemini-2.5-flash-lite", "gemini", /^\w{24}$/],
  ["grok", "xai", /^\w{22}$/],
  ["deepseek-chat", "deepseek", /^\w{22}$/],
] as const;

/** Checks a body exactly against the specification's 2.5, and its cost. */
function expectPromptBody(text: string, modelId: string): void {
  const body = readPromptBody(text);
  const model = modelOf(modelId);
  expect(Object.keys(body)).toEqual(["success", "text", "model", "usage", "cost", "requestId"]);
  expect(Object.keys(body.usage)).toEqual(["inputTokens", "outputTokens", "totalTokens"]);
  expect(Object.keys(body.cost)).toEqual(["inputCost", "outputCost", "totalCost"]);
  expect(body).toMatchObject({ success: true, text: expect.stringMatching(/^Simulated answer/), model: modelId });
  expect(body.requestId).toMatch(/^req_[0-9A-Za-z]{20}$/);
  const { inputTokens, outputTokens, totalTokens } = body.usage;
  expect(inputTokens).toBe(countInputTokens([{ text: QUESTION }]));
  expect(outputTokens).toBeGreaterThan(20);
  expect(totalTokens).toBe(inputTokens + outputTokens);
  const { inputCost, outputCost, totalCost } = readCosts(text);
  expect(inputCost).toBe(BigInt(inputTokens) * model.prices[0].input);
  expect(outputCost).toBe(BigInt(outputTokens) * model.prices[0].output);
  expect(totalCost).toBe(inputCost + outputCost);
}

function expectHeaders({ status, headers }: Answer, requestId: string, type: string): void {
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe(type);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("server-timing")).toMatch(/^gateway;dur=\d+\.\d+, provider;dur=\d+\.\d+$/);
  expectCommonHeaders(headers, requestId);
}

/** Ids differ from answer to answer; nothing else may. */
const withoutId = (text: string): string => text.replace(/req_\w+/, "req_");

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);

  test.each(models)("%s answers in JSON and as a stream with the same text, usage and exact cost", async (model, provider) => {
    const account = await openAccount();
    const json = await ask({ url, key: account.key, body: promptOf({ model }) });
    expectHeaders(json, readPromptBody(json.text).requestId, "application/json; charset=utf-8");
    expectPromptBody(json.text, model);

    const stream = await ask({ url, key: account.key, body: promptOf({ model, stream: true }) });
    const events = readEvents(stream.text);
    const done = events.at(-1);
    expect(events.map(({ event }) => event)).toEqual([...Array(events.length - 1).fill("delta"), "done"]);
    expect(events.length).toBeGreaterThan(3);
    expect(Object.keys(JSON.parse(events[0]?.data ?? ""))).toEqual(["text"]);
    expectPromptBody(done?.data ?? "", model);
    expect(withoutId(done?.data ?? "")).toBe(withoutId(json.text));
    expect(deltaText(events)).toBe(readPromptBody(json.text).text);
    expectHeaders(stream, readPromptBody(done?.data ?? "").requestId, "text/event-stream; charset=utf-8");

    await expectPaid(account);
    const charges = await chargesOf(account.accountId);
    expect(charges).toMatchObject([
      { model, provider, outcome: "complete", streamed: false, estimated: false, operator_loss: 0n },
      { model, provider, outcome: "complete", streamed: true, estimated: false, operator_loss: 0n },
    ]);
    for (const charge of charges) expect(charge.input_cost + charge.output_cost).toBe(readCosts(json.text).totalCost);
  });

  test.each(models)(
    "a charge of %s stores the request id of %s, for a whole answer and for a stream",
    async (model, _provider, requestIdForm) => {
      const account = await openAccount();
      for (const stream of [false, true]) await ask({ url, key: account.key, body: promptOf({ model, stream }) });
      const ids = (await chargesOf(account.accountId)).map(({ provider_request_id: id }) => id);
      expect(ids).toEqual([expect.stringMatching(requestIdForm), expect.stringMatching(requestIdForm)]);
      expect(new Set(ids).size).toBe(2);
    },
  );

  test("an alias is answered and charged under the catalogue's name", async () => {
    const account = await openAccount();
    const answer = await ask({ url, key: account.key, body: promptOf({ model: "anthropic/claude-haiku-4-5" }) });
    expectPromptBody(answer.text, "claude-haiku-4-5");
    await expectPaid(account);
  });

  test("system, temperature and maxTokens reach the provider", async () => {
    const { key } = await openAccount();
    await service.models.clear();
    const body = promptOf({ prompt: `${QUESTION} Tell all.`, system: "Be brief.", temperature: 0.25, maxTokens: 7 });
    const answer = readPromptBody((await ask({ url, key, body })).text);
    const call = await service.models.awaitCall(({ question }) => question.endsWith("Tell all."));
    expect(call).toMatchObject({ provider: "openai", model: "gpt-4o-mini", temperature: 0.25, maxOutputTokens: 7, stream: false });
    expect(answer.usage.outputTokens).toBe(7);
    expect(answer.usage.inputTokens).toBe(countInputTokens([{ text: "Be brief." }, { text: `${QUESTION} Tell all.` }]));
  });

  test("without maxTokens the catalogue's default reaches the provider, and no temperature is sent", async () => {
    const { key } = await openAccount();
    await service.models.clear();
    await ask({ url, key, body: promptOf() });
    const call = await service.models.awaitCall(({ question }) => question === QUESTION);
    expect(call).toMatchObject({ maxOutputTokens: 1024 });
    expect(call.temperature ?? null).toBeNull();
  });

  test("text passes through unchanged: special characters, several scripts, line ends", async () => {
    const { key } = await openAccount();
    const said = 'He said \\"hé\\", 你好 🦘\\n\\\\ end';
    const body = { prompt: `${QUESTION} [[simulate: text="${said}"]]` };
    const heard = 'He said "hé", 你好 🦘\n\\ end';
    expect(readPromptBody((await ask({ url, key, body: promptOf(body) })).text).text).toBe(heard);
    const events = readEvents((await ask({ url, key, body: promptOf({ ...body, stream: true }) })).text);
    expect(deltaText(events)).toBe(heard);
  });

  test("a maxCost equal to the ceiling is accepted", async () => {
    const { key } = await openAccount();
    const refused = await ask({ url, key, body: promptOf({ maxCost: 1e-9 }) });
    const ceiling = /up to \$([\d.]+)/.exec(refused.text)?.[1] ?? "";
    expect((await ask({ url, key, body: promptOf({ maxCost: Number(ceiling) }) })).status).toBe(200);
  });
});
