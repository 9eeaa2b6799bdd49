// Our own count of a call, used only where its provider gave none: by tokens, and by bytes and words where these cannot be counted in time.

import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { forgetSingleton, replaceSingleton } from "@/lib/base/process-singleton";
import { builtInModels } from "@/lib/providers/catalogue-data";
import type { ChatMessage } from "@/lib/providers/conversation/messages";
import { prose } from "@/lib/providers/testing/scraps";
import { trueCount } from "@/lib/providers/testing/tokenizers";
import type { Tool } from "@/lib/providers/types";
import { emptyOutput } from "./completion";
import { estimateUncounted, estimateUsage, type Uncounted } from "./estimate";
import { leastTokens } from "./least-tokens";

test("by bytes, four are a token, and each message adds three; the input never exceeds its held bound", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), fc.nat(1_000), (prompt, answer, bound) => {
      const usage = estimateUsage({ messages: [{ role: "user", content: prompt }] }, answer, bound);
      expect(usage.inputTokens).toBe(Math.min(bound, 3 + Math.ceil(Buffer.byteLength(prompt) / 4)));
      expect(usage.outputTokens).toBe(Math.ceil(Buffer.byteLength(answer) / 4));
      expect([usage.cachedInputTokens, usage.reasoningTokens]).toEqual([0, 0]);
    }),
  );
  expect(estimateUsage({ messages: [] }, "", 100)).toMatchObject({ inputTokens: 0, outputTokens: 0 });
});

const [, asked = ""] = prose[0] ?? [];
const [, answered = ""] = prose[1] ?? [];
const [, thought = ""] = prose[2] ?? [];
const tools: Tool[] = [{ name: "get_weather", description: "Weather of a city", parameters: { type: "object", properties: { city: {} } } }];
const image = { width: 1_024, height: 1_024 };
const messages: ChatMessage[] = [
  { role: "user", content: asked },
  {
    role: "user",
    content: [
      { type: "image", detail: "high", source: { kind: "bytes", mediaType: "image/png", base64: "", ...image } },
      { type: "text", text: "Look." },
    ],
  },
];

function callOf(id: string, fields: Partial<Uncounted> = {}): Uncounted {
  const model = builtInModels.find((one) => one.id === id);
  if (!model) throw new Error(`no model ${id}`);
  const output = { ...emptyOutput(), text: answered };
  output.reasoning.push({ kind: "thinking", text: thought, data: "" });
  const prompt = { model, messages, options: { tools } };
  return { prompt, inputBound: 100_000, owner: "one", route: model.routes[0], output, brokenOffBy: "client", ...fields };
}

/** OpenAI's published count of the image. */
const IMAGE_TOKENS = 765;

describe("what a client pays that left, what a provider gets that broke off, and what the provider probably bills", () => {
  const texts = trueCount.o200k(asked) + trueCount.o200k("Look.");
  const [thoughts, written] = [trueCount.o200k(thought), trueCount.o200k(answered)];

  test("of a model whose tokenizer is public: all of it; what certainly was sent and written, as if cached; images by their bound", async () => {
    const left = await estimateUncounted(callOf("gpt-4o"));
    const around = left.charged.inputTokens - texts - IMAGE_TOKENS;
    // Two messages, the reply and the tool.
    expect(around).toBeGreaterThan(2 * 4 + 3 + 9);
    expect(around).toBeLessThan(60);
    expect(left.charged).toMatchObject({ cachedInputTokens: 0, outputTokens: thoughts + written, reasoningTokens: thoughts });
    expect(left.probable).toEqual({ ...left.charged, inputTokens: left.charged.inputTokens + 16 });
    const broken = await estimateUncounted(callOf("gpt-4o", { brokenOffBy: "provider" }));
    const certain = texts + IMAGE_TOKENS + leastTokens("get_weather Weather of a city city");
    expect(broken.charged).toMatchObject({ inputTokens: certain, cachedInputTokens: certain, outputTokens: thoughts + written });
    expect(broken.probable).toEqual(left.probable);
  });

  test("of another model: the least that any tokenizer was measured to make of it", async () => {
    const { charged, probable } = await estimateUncounted(callOf("grok-4.20"));
    expect(charged.outputTokens / (thoughts + written)).toBeCloseTo(0.89, 2);
    expect(probable.outputTokens / (thoughts + written)).toBeCloseTo(1.05, 1);
    expect(charged.inputTokens).toBeLessThan(probable.inputTokens);
  });

  test.each(["gpt-4o", "grok-4.20", "deepseek-chat"])("%s: what a tool's schema says beyond its properties is not free", async (id) => {
    const hidden = { description: asked.repeat(20), $defs: { one: { description: asked.repeat(20) } } };
    const parameters = { type: "object", properties: { city: { type: "string" } }, ...hidden };
    const withTools = (options: Uncounted["prompt"]["options"]) => callOf(id, { prompt: { ...callOf(id).prompt, messages: [], options } });
    const { charged } = await estimateUncounted(withTools({ tools: [{ name: "get_weather", description: "Weather", parameters }] }));
    expect(charged.inputTokens).toBeGreaterThan(0.88 * 40 * trueCount.o200k(asked));
    // Nor is what stands where a form has no place for it.
    const hiding = asked.repeat(20);
    const city = { type: "string" };
    for (const shown of [
      { type: "object", properties: { city }, additionalProperties: { description: hiding } },
      { type: "object", properties: { city }, required: [hiding] },
      { type: "object", properties: { city }, required: Array(20).fill("city") },
      { type: "object", properties: { city }, $schema: hiding },
      { type: "object", properties: { city: { type: "null", enum: [hiding] } } },
      { type: "object", properties: { city: { type: "number", enum: [{ hiding }] } } },
      {
        type: "object",
        properties: { city: { type: "array", items: { type: "object", properties: { city: { type: "string", description: hiding } } } } },
      },
    ]) {
      const { charged } = await estimateUncounted(withTools({ tools: [{ name: "get_weather", parameters: shown }] }));
      expect(charged.inputTokens, JSON.stringify(shown).slice(0, 200)).toBeGreaterThan(0.8 * trueCount.o200k(JSON.stringify(shown)));
    }
    const plain = await estimateUncounted(withTools({ tools }));
    expect(plain.charged.inputTokens).toBeLessThan(60);
  });

  test("an image whose size is unknown is as large as it may be for a client that leaves, and as small for a provider that breaks off", async () => {
    const content = [
      { type: "image" as const, detail: "high" as const, source: { kind: "url" as const, url: "https://example.com/a.png" } },
    ];
    const about = callOf("gpt-4o");
    const call = { ...about, prompt: { ...about.prompt, options: {}, messages: [{ role: "user" as const, content }] } };
    const [left, broken] = [await estimateUncounted(call), await estimateUncounted({ ...call, brokenOffBy: "provider" })];
    expect(left.charged.inputTokens).toBe(left.probable.inputTokens);
    expect(left.charged.inputTokens).toBeGreaterThan(IMAGE_TOKENS);
    expect(broken.charged.inputTokens).toBeLessThan(IMAGE_TOKENS);
  });

  test("text beyond ASCII is counted by the least of any tokenizer, and its probable bill by the median", async () => {
    const [chinese = ""] = ["我们在数据库里保存每一次请求的费用。".repeat(40)];
    const about = callOf("deepseek-chat");
    const call = { ...about, prompt: { ...about.prompt, options: {}, messages: [{ role: "user" as const, content: chinese }] } };
    const [left, broken] = [await estimateUncounted(call), await estimateUncounted({ ...call, brokenOffBy: "provider" })];
    expect(left.charged.inputTokens / trueCount.o200k(chinese)).toBeCloseTo(0.6, 1);
    expect(broken.charged.inputTokens / trueCount.o200k(chinese)).toBeCloseTo(0.6, 1);
    expect(left.probable.inputTokens).toBeGreaterThan(2 * left.charged.inputTokens);
  });

  test("where tokens cannot be counted in time: bytes for a client, words for a provider", async () => {
    replaceSingleton("token counter", { count: async () => null });
    onTestFinished(() => forgetSingleton("token counter"));
    const left = await estimateUncounted(callOf("gpt-4o"));
    const rough = estimateUsage({ messages, tools }, thought + answered, 100_000, IMAGE_TOKENS);
    expect(left.charged).toEqual(rough);
    const { charged, probable } = await estimateUncounted(callOf("gpt-4o", { brokenOffBy: "provider" }));
    expect(charged.outputTokens).toBe(leastTokens(thought) + leastTokens(answered));
    expect(charged.cachedInputTokens).toBe(charged.inputTokens);
    expect(charged.inputTokens).toBeLessThan(rough.inputTokens);
    expect(probable.inputTokens).toBe(rough.inputTokens + 16);
  });

  test("never more input than was held", async () => {
    expect((await estimateUncounted(callOf("gpt-4o", { inputBound: 100 }))).charged.inputTokens).toBe(100);
  });
});
