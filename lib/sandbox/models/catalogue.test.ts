// Every model of the catalogue on the simulated vendors, through our own adapters.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropicFormat } from "@/lib/providers/anthropic";
import { callProvider, callProviderWhole } from "@/lib/providers/call";
import { builtInModels } from "@/lib/providers/catalogue-data";
import { endpointAt, vendorIds } from "@/lib/providers/endpoints";
import { geminiFormat } from "@/lib/providers/gemini";
import { openaiFormat } from "@/lib/providers/openai";
import { responsesFormat } from "@/lib/providers/openai-responses";
import { inputBoundForCall } from "@/lib/providers/token-bound";
import { closeProviderPools } from "@/lib/providers/transport";
import { isProviderFailure, type Model, type ProviderEvent, type TokenBoundId } from "@/lib/providers/types";
import { startTestModels, type TestModels } from "./testing";
import { countInputTokens } from "./tokens";

let models: TestModels;
beforeAll(async () => {
  models = await startTestModels();
});
afterAll(async () => {
  await closeProviderPools();
  await models?.stop();
});

function call(model: Model, content: string, stream: boolean, apiKey = models.apiKey) {
  const said = { messages: [{ role: "user" as const, content }], maxOutputTokens: 200, temperature: 0.5 };
  const { signal } = new AbortController();
  const setup = {
    endpoints: new Map(vendorIds.map((id) => [id, endpointAt(id, models.baseUrls[id], apiKey)])),
    formats: { openai: openaiFormat, "openai-responses": responsesFormat, anthropic: anthropicFormat, gemini: geminiFormat },
    limits: {
      PROVIDER_FIRST_TOKEN_TIMEOUT_MS: 10_000,
      PROVIDER_IDLE_TIMEOUT_MS: 10_000,
      PROVIDER_TOTAL_TIMEOUT_MS: 20_000,
      PROVIDER_RETRIES: 0,
    },
  };
  return stream ? callProvider(model, { ...said, stream }, signal, setup) : callProviderWhole(model, { ...said, stream }, signal, setup);
}

async function read(
  events: AsyncIterable<ProviderEvent> | Promise<Iterable<ProviderEvent>>,
): Promise<{ text: string; finish: ProviderEvent | undefined }> {
  let text = "";
  let finish: ProviderEvent | undefined;
  for await (const event of await events) {
    if (event.type === "text") text += event.text;
    else finish = event;
  }
  return { text, finish };
}

/** Providers that are entries are not simulated. */
const simulated = builtInModels.filter(({ routes: [route] }) => vendorIds.some((id) => id === route.provider));

const routes = simulated.flatMap((model) =>
  model.routes.map((route) => ({ name: `${route.provider}/${route.wireName}`, model: { ...model, routes: [route] as const } })),
);

describe.each(routes)("$name", ({ model }) => {
  test("answers as JSON and as a stream, with usage", async () => {
    const question = "Explain the tides. [[simulate: reasoning=10 cached=2]]";
    const json = await read(call(model, question, false).events);
    expect(json.text).toMatch(/^Simulated answer from /);
    expect(json.finish).toMatchObject({
      reason: "stop",
      usage: { inputTokens: countInputTokens([{ text: question }]), cachedInputTokens: 2 },
    });
    expect(await read(call(model, question, true).events)).toEqual(json);
  });
});

const wrongKey = simulated
  .map((model) => model.routes[0])
  .filter((route, index, all) => all.findIndex(({ provider }) => provider === route.provider) === index);

test.each(wrongKey)("a wrong key at $provider is reported as the operator's problem", async (route) => {
  const model = simulated.find(({ routes: [first] }) => first === route);
  if (model === undefined) throw new Error("no such model");
  const failure: unknown = await read(call({ ...model, routes: [route] }, "Hi", false, "sk-wrong").events).catch((error: unknown) => error);
  expect(isProviderFailure(failure) && failure.kind).toBe("misconfigured");
});

const scraps = [
  "word",
  " the",
  "  ",
  "\n",
  "\n    ",
  "\t",
  ";\n",
  "don't",
  "it's ",
  "==",
  "-----",
  "(x)",
  "/usr/lib",
  ".com",
  "https://",
  "é",
  "人工智能",
  "なぜ",
  "👩‍👩‍👧‍👦",
  "ошибка ",
  "हिन्दी",
  "aaaa",
  "    ",
  "1",
  "42",
  "ABC",
  "camelCase",
  "\u0301",
  "\u{1F308}",
  "{}",
  '"',
  "\r\n",
];
const scrap = fc.constantFrom(...scraps);
const text = fc.oneof(
  fc.array(scrap, { maxLength: 60 }).map((parts) => parts.join("")),
  fc.tuple(scrap, fc.nat(2000)).map(([part, times]) => part.repeat(times)),
  fc.tuple(scrap, scrap, fc.nat(1000)).map(([one, other, times]) => (one + other).repeat(times)),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.lorem({ maxCount: 50 }),
);

test("the simulated input token count stays within every token bound that holds use", () => {
  const bounds: TokenBoundId[] = ["o200k", "cl100k", "claude", "bytes"];
  fc.assert(
    fc.property(text, (content) => {
      const count = countInputTokens([{ text: content }]);
      for (const bound of bounds)
        expect(count, bound).toBeLessThanOrEqual(inputBoundForCall({ messages: [{ role: "user", content }] }, bound));
    }),
    { numRuns: process.env.LONG === "1" ? 20_000 : 300 },
  );
});
