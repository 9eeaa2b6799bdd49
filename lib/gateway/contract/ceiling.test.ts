// The ceiling is never below the charge: generated requests in every dialect, with caches, images, reasoning and prompts that reach an upper
// tier, through the real endpoints against the simulated models, which count by code of their own. LONG=1 tries 100,000 of them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { drawNumbers, isLong } from "@/lib/db/testing/sample";
import { openAccount } from "./testing/accounts";
import { chargesOf } from "./testing/books";
import { ask, modelOf } from "./testing/client";
import { dataUrl, gif, jpeg, png, webp } from "./testing/pictures";
import { openService } from "./testing/service";

const service = await openService();

/** Requests of a batch are sent at once. */
const BATCH = 10;
const BATCHES = isLong ? 10_000 : 6;
/** Prompts that may reach a tier take as long as a hundred others. */
const LONG_PROMPTS = 1;
const OTHER_PROMPTS = 99;

const eyeless = ["deepseek-chat"];
const thinkers = ["gpt-5.6-luna", "gpt-6-luna", "gpt-6.1-terra", "claude-haiku-5-5"];
const models = [
  ...["gpt-4o-mini", "gpt-4.1-mini", "claude-haiku-4-5", "gemini-2.5-flash-lite", "gemini-3.1-pro-preview", "grok-4.20"],
  ...thinkers,
  ...eyeless,
];

/** The tokens at which each of these models' upper tier begins. */
const upperTiers: Record<string, number> = {
  "claude-haiku-5-5": 100_001,
  "grok-4.20": 200_000,
  "gemini-3.1-pro-preview": 200_001,
  "gpt-6-luna": 272_000,
};

/** At the simulated models a token for each byte, which is as many as can be. */
const DENSE = "a1";

/** Texts of many lengths; the few different ones repeat, so that later requests read what earlier ones wrote. */
const shortText = fc
  .tuple(fc.constantFrom("alpha ", "beta gamma ", "1234 ", "{}(); ", DENSE), fc.constantFrom(1, 40, 400, 2_000, 6_000))
  .map(([word, times]) => word.repeat(times));
const longText = fc
  .tuple(fc.constantFrom(...Object.values(upperTiers)), fc.integer({ min: -200, max: 200 }))
  .map(([line, more]) => DENSE.repeat(Math.ceil((line + more) / DENSE.length)));
const anyText = fc.oneof({ weight: OTHER_PROMPTS, arbitrary: shortText }, { weight: LONG_PROMPTS, arbitrary: longText });

const edge = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 8_000 }));
const anyImage = fc.record({
  width: edge,
  height: edge,
  kind: fc.constantFrom("png", "jpeg", "webp", "gif", "url"),
  detail: fc.constantFrom(undefined, "auto", "low", "high", "original"),
});

type Generated<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type AnyImage = Generated<typeof anyImage>;

const noImages: AnyImage[] = [];

const anyRequest = fc.record({
  model: fc.constantFrom(...models),
  turns: fc.array(anyText, { minLength: 1, maxLength: 3 }),
  images: fc.oneof(
    { weight: 3, arbitrary: fc.constant(noImages) },
    { weight: 1, arbitrary: fc.array(anyImage, { minLength: 1, maxLength: 3 }) },
  ),
  maxTokens: fc.integer({ min: 20, max: 300 }),
  dialect: fc.constantFrom("prompt", "chat", "messages", "responses"),
  mark: fc.constantFrom(null, "5m", "1h"),
  stream: fc.boolean(),
  effort: fc.constantFrom(undefined, "low", "high"),
  reasoning: fc.constantFrom("", " reasoning=20"),
});

type AnyRequest = Generated<typeof anyRequest>;

const plain: Omit<AnyRequest, "model" | "turns"> = {
  images: noImages,
  maxTokens: 100,
  dialect: "messages",
  mark: null,
  stream: false,
  effort: undefined,
  reasoning: " reasoning=20",
};

const largeImage = (detail: string): AnyImage => ({ width: 8_000, height: 8_000, kind: "png", detail: detail === "low" ? "low" : "high" });

/** Each kind of token and each tier is met at least once, whatever is generated. */
const certain: AnyRequest[] = [
  ...(["1h", "1h", "5m"] as const).map((mark) => ({
    ...plain,
    model: "claude-haiku-5-5",
    turns: [(mark === "1h" ? "delta " : "omega ").repeat(2_000)],
    mark,
  })),
  ...Object.entries(upperTiers).map(([model, line]) => ({
    ...plain,
    model,
    turns: [DENSE.repeat(Math.ceil(line / DENSE.length))],
    dialect: "chat" as const,
  })),
  // It bills more for images than its window holds.
  { ...plain, model: "gpt-4o-mini", turns: [DENSE.repeat(50_000)], images: ["high", "high", "low"].map(largeImage), dialect: "chat" },
  // One image at high detail raises the other.
  { ...plain, model: "gemini-3.1-pro-preview", turns: ["Look."], images: ["low", "high"].map(largeImage), dialect: "chat" },
];

function dataOf({ width, height, kind }: AnyImage): { type: string; data: string } {
  switch (kind) {
    case "jpeg":
      return { type: "image/jpeg", data: jpeg(width, height, 100) };
    case "webp":
      return { type: "image/webp", data: webp(width, height) };
    case "gif":
      return { type: "image/gif", data: gif([width, height], [width, height]) };
    default:
      return { type: "image/png", data: png(width, height) };
  }
}

const notTaken: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^grok/, ["gif", "webp"]],
  [/^gemini/, ["gif", "url"]],
];

/** The images, as PNG where the model takes none of their kind. */
function imagesFor({ model, images }: AnyRequest): (AnyImage & { type: string; data: string; url: string })[] {
  if (eyeless.includes(model)) return [];
  const refused = notTaken.find(([name]) => name.test(model))?.[1] ?? [];
  return images.map((given) => {
    const image: AnyImage = refused.includes(given.kind) ? { ...given, kind: "png" } : given;
    const { type, data } = dataOf(image);
    return { ...image, type, data, url: image.kind === "url" ? "https://example.com/a.png" : dataUrl(data, type) };
  });
}

/** What fits into the model's window at a token for each byte: each turn may have its share. */
function turnsFor({ model, turns }: AnyRequest): string[] {
  const share = Math.floor((modelOf(model).contextWindow - 50_000) / turns.length);
  return turns.map((text) => text.slice(0, share));
}

function writeRequest(given: AnyRequest): { path?: string; body: object } {
  const { model, maxTokens, dialect, stream } = given;
  const turns = turnsFor(given);
  const last = `${turns.at(-1)}[[simulate: tokens=500${model.startsWith("grok") ? "" : given.reasoning}]]`;
  const earlier = turns.slice(0, -1).map((content) => ({ role: "user", content }));
  const images = imagesFor(given);
  const effort = thinkers.includes(model) ? given.effort : undefined;
  switch (dialect) {
    case "chat": {
      const parts = images.map(({ url, detail }) => ({ type: "image_url", image_url: { url, detail } }));
      const messages = [...earlier, { role: "user", content: [...parts, { type: "text", text: last }] }];
      return { path: "/api/v1/chat/completions", body: { model, messages, max_tokens: maxTokens, reasoning_effort: effort, stream } };
    }
    case "responses": {
      const parts = images.map(({ url, detail }) => ({ type: "input_image", image_url: url, detail }));
      const input = [...earlier, { role: "user", content: [...parts, { type: "input_text", text: last }] }];
      return { path: "/api/v1/responses", body: { model, input, max_output_tokens: maxTokens, reasoning: { effort }, stream } };
    }
    case "messages": {
      const cache_control = given.mark === null ? undefined : { type: "ephemeral", ttl: given.mark };
      const parts = images.map(({ url, type: media_type, data }) => ({
        type: "image",
        source: url.startsWith("https:") ? { type: "url", url } : { type: "base64", media_type, data },
      }));
      const messages = [...earlier, { role: "user", content: [...parts, { type: "text", text: last, cache_control }] }];
      return {
        path: "/api/v1/messages",
        body: { model, messages, max_tokens: maxTokens, output_config: effort && { effort }, stream },
      };
    }
    default:
      return { body: { model, prompt: last, maxTokens, stream } };
  }
}

test(
  "no request costs more than was held for it, whatever its cache reads and writes, its images, its reasoning and its tier",
  async () => {
    const account = await openAccount({ usd: "1000000", limits: { ratePerMinute: 1_000_000, concurrency: 100 } });
    const seed = Math.floor(drawNumbers("ceiling")() * 2 ** 31);
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyRequest, { minLength: BATCH, maxLength: BATCH }), async (batch) => {
        const answers = batch.map(async (given) => {
          const { path, body } = writeRequest(given);
          const { status, text } = await ask({ url: service.url("node"), key: account.key, path, body });
          expect(status, `${given.model} ${given.dialect}: ${text.slice(0, 300)}`).toBe(200);
        });
        await Promise.all(answers);
        sent += batch.length;
      }),
      { numRuns: BATCHES + certain.length, seed, examples: certain.map((one) => [[one]]) },
    );
    const charges = await chargesOf(account.accountId);
    expect(charges).toHaveLength(sent);
    expect(charges.filter((charge) => charge.operator_loss > 0n)).toEqual([]);
    for (const column of ["cached_input_tokens", "cache_write_tokens", "cache_write_1h_tokens", "reasoning_tokens"] as const) {
      expect(charges.filter((charge) => charge[column] > 0n).length, column).toBeGreaterThan(0);
    }
    for (const [model, line] of Object.entries(upperTiers)) {
      expect(charges.filter((charge) => charge.model === model && charge.input_tokens >= line).length, model).toBeGreaterThan(0);
    }
    if (process.env.SHOW) process.stdout.write(`${sent} requests, none above its ceiling\n`);
  },
  isLong ? 7_200_000 : 300_000,
);
