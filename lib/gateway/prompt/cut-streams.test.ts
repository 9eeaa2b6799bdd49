// Cut streams of every wire format, generated: what is charged, compared with the bill of a provider that counts with a real tokenizer, at
// our price. Cut by the client: hardly less, and more only by what the provider's cache saved and did not tell. Cut by the provider: never
// more. LONG=1 tries 10,000 of them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { isLong } from "@/lib/db/testing/sample";
import { anthropicFormat } from "@/lib/providers/anthropic";
import { builtInModels } from "@/lib/providers/catalogue-data";
import type { ChatMessage } from "@/lib/providers/conversation/messages";
import { isReadOn } from "@/lib/providers/cut-calls/read-on";
import { geminiFormat } from "@/lib/providers/gemini";
import { openaiFormat } from "@/lib/providers/openai";
import { responsesFormat } from "@/lib/providers/openai-responses";
import { costOf } from "@/lib/providers/prices";
import { fixtures } from "@/lib/providers/testing/scraps";
import { isProviderFailure, type ModelCall, type TokenUsage, type Tool, type WireFormat } from "@/lib/providers/types";
import { largestUsage } from "@/lib/providers/wire-value";
import { png } from "../contract/testing/pictures";
import { chargeableUsage, readUsage } from "./answer";
import { addPiece, emptyOutput } from "./completion";
import { boundInput, quotePrompt } from "./quote";
import { type BilledStream, openBilledStream, type TokenizerName } from "./testing/billed-provider";

interface Kind {
  format: WireFormat;
  /** The tokenizer that the provider counts with: Claude's stands in for those that are not public. */
  models: readonly (readonly [model: string, tokenizer: TokenizerName])[];
}

const kinds: Record<string, Kind> = {
  "OpenAI chat": {
    format: openaiFormat,
    models: [
      ["gpt-4o-mini", "o200k"],
      ["gpt-4.1", "o200k"],
      ["gpt-4-turbo", "cl100k"],
    ],
  },
  "OpenAI Responses": {
    format: responsesFormat,
    models: [
      ["gpt-5.4", "o200k"],
      ["gpt-5.6-luna", "o200k"],
    ],
  },
  Anthropic: {
    format: anthropicFormat,
    models: [
      ["claude-haiku-4-5", "claude"],
      ["claude-opus-4-7", "claude"],
      ["claude-opus-5", "claude"],
    ],
  },
  Gemini: {
    format: geminiFormat,
    models: [
      ["gemini-2.5-flash-lite", "claude"],
      ["gemini-3.5-flash", "claude"],
    ],
  },
  compatible: {
    format: openaiFormat,
    models: [
      ["deepseek-chat", "claude"],
      ["grok", "claude"],
      ["deepseek-v4-pro", "claude"],
    ],
  },
};

/** Some lines of a fixture: real text, in the proportions of languages that the fixtures have. */
const someText = fc
  .tuple(
    fc.constantFrom(...fixtures.map(([, text]) => text.split("\n"))),
    fc.nat(),
    fc.integer({ min: 1, max: 40 }),
    fc.integer({ min: 1, max: 4 }),
  )
  .map(([lines, from, count, times]) => {
    const first = from % lines.length;
    return (
      lines
        .slice(first, first + count)
        .join("\n")
        .repeat(times) || "Yes."
    );
  });

const tool: Tool = {
  name: "get_weather",
  description: "The weather of a city, now or in some days.",
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: "Its name, in English" }, days: { type: "integer" } },
    required: ["city"],
  },
};

const anyImage = fc.record({ width: fc.integer({ min: 1, max: 3_000 }), height: fc.integer({ min: 1, max: 3_000 }), isLow: fc.boolean() });

const anyCase = fc.record({
  nth: fc.nat(),
  system: fc.option(someText),
  turns: fc.array(someText, { minLength: 1, maxLength: 3 }),
  image: fc.option(anyImage, { freq: 3 }),
  hasTools: fc.boolean(),
  callsBefore: fc.boolean(),
  answer: someText,
  callsNow: fc.boolean(),
  thoughts: fc.option(someText),
  cachedShare: fc.constantFrom(0, 0, 0.5, 0.9, 1),
  cutBy: fc.constantFrom("client" as const, "provider" as const),
  /** Of the frames. */
  cutAt: fc.noBias(fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100)),
  /** Frames that the provider had generated before it noticed. */
  late: fc.nat({ max: 4 }),
});

type Case = { kind: string } & (typeof anyCase extends fc.Arbitrary<infer Value> ? Value : never);

const question = "What is the weather in Paris?";
const argumentsOf = '{"city":"Paris","days":3}';

function messagesOf({ system, turns, image, hasTools, callsBefore }: Case, seesImages: boolean): ChatMessage[] {
  const messages: ChatMessage[] = system ? [{ role: "system", content: system }] : [];
  for (const [index, text] of turns.entries()) {
    if (index > 0) messages.push({ role: "assistant", content: "Go on." });
    messages.push({ role: "user", content: text });
  }
  if (hasTools && callsBefore) {
    messages.push({ role: "assistant", content: "", toolCalls: [{ id: "call_1", name: tool.name, arguments: argumentsOf }] });
    messages.push({ role: "tool", content: "Rain, 12 degrees.", toolCallId: "call_1" }, { role: "user", content: question });
  }
  if (image && seesImages) {
    const { width, height, isLow } = image;
    const source = { kind: "bytes" as const, mediaType: "image/png" as const, base64: png(width, height), width, height };
    messages.push({ role: "assistant", content: "Show me." });
    messages.push({
      role: "user",
      content: [
        { type: "image", detail: isLow ? "low" : "high", source },
        { type: "text", text: "Look." },
      ],
    });
  }
  return messages;
}

interface Outcome {
  charged: bigint;
  /** The provider's bill at our price, and the same without its cache. */
  billed: bigint;
  billedPlain: bigint;
}

async function run(one: Case): Promise<Outcome> {
  const { format, models } = kinds[one.kind] as Kind;
  const [id, tokenizer] = models[one.nth % models.length] as Kind["models"][number];
  const model = builtInModels.find((one) => one.id === id);
  if (!model) throw new Error(`no model ${id}`);
  const [route] = model.routes;
  const seesImages = one.kind !== "compatible" || id === "grok";
  const thinks = one.thoughts !== null && !["gpt-4o-mini", "gpt-4.1", "gpt-4-turbo", "deepseek-chat", "grok"].includes(id);
  const options = { ...(one.hasTools && { tools: [tool] }), reasoning: thinks ? { effort: "low" as const } : { mode: "off" as const } };
  const messages = messagesOf(one, seesImages);
  const call: ModelCall = { messages, maxOutputTokens: 8_000, stream: true, cacheScope: "owner", ...options };
  const answer = {
    text: one.answer,
    thoughts: thinks ? (one.thoughts ?? "") : "",
    calls: one.hasTools && one.callsNow ? [{ name: tool.name, arguments: argumentsOf }] : [],
  };
  const stream = openBilledStream({ call, format, route, tokenizer, answer, cachedShare: one.cachedShare });
  const prompt = { model, messages, inputField: "messages" as const, maxOutputTokens: 8_000, options, stream: true, maxCost: undefined };
  const sold = { prompt, call, quote: quotePrompt(prompt, await boundInput(prompt)) };
  const cutAt = Math.floor(one.cutAt * stream.frames.length);
  const readsOn = one.cutBy === "client" && isReadOn(model, call);
  const read = await readFrames(format, stream, readsOn ? stream.frames.length : cutAt, sold);
  const { usage } = await chargeableUsage(sold, read.output, {
    counted: read.usage,
    answer: { route, counted: read.counted },
    brokenOffBy: one.cutBy,
  });
  const bill = stream.bill(readsOn ? stream.frames.length : cutAt + (one.cutBy === "client" ? one.late : 0));
  const priceOf = (counts: TokenUsage) => {
    const { inputCost, outputCost } = costOf(model.prices, counts);
    return inputCost + outputCost;
  };
  return { charged: priceOf(usage), billed: priceOf(bill), billedPlain: priceOf({ ...bill, cachedInputTokens: 0 }) };
}

async function readFrames(format: WireFormat, { frames }: BilledStream, count: number, sold: Parameters<typeof readUsage>[0]) {
  const output = emptyOutput();
  let [usage, counted]: [TokenUsage | null, TokenUsage | undefined] = [null, undefined];
  async function* chunks() {
    for (const { text } of frames.slice(0, count)) yield Buffer.from(text);
  }
  const onUsage = (one: TokenUsage) => {
    counted = largestUsage(counted, one);
  };
  try {
    for await (const event of format.readStream(chunks(), undefined, onUsage)) {
      if (event.type === "finish") usage = readUsage(sold, event);
      else addPiece(output, event);
    }
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
  }
  return { output, usage, counted: counted as TokenUsage | undefined };
}

/** Of each wire format; a fixed sample, or as many as LONG=1 draws anew. */
const runs = isLong ? { numRuns: 2_000 } : { numRuns: 12, seed: 20_261_128 };
const LONG_TIMEOUT_MS = 900_000;

const paidByClients = { charged: 0n, billed: 0n };

test.each(Object.keys(kinds))(
  "%s: no provider is paid more than it bills, and no client pays more than without a cache",
  async (kind) => {
    const property = fc.asyncProperty(anyCase, async (one) => {
      const { charged, billed, billedPlain } = await run({ ...one, kind });
      expect(charged).toBeLessThanOrEqual(one.cutBy === "client" ? billedPlain : billed);
      if (one.cutBy === "provider") return;
      paidByClients.charged += charged;
      paidByClients.billed += billed;
    });
    await fc.assert(property, runs);
  },
  LONG_TIMEOUT_MS,
);

test("in sum clients pay at least 97 % of what their providers bill", () => {
  const { charged, billed } = paidByClients;
  expect(Number(charged) / Number(billed)).toBeGreaterThanOrEqual(0.97);
});
