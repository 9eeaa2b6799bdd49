// Image bounds against every count that the providers publish, and never below them.

import { expect, test } from "vitest";
import { LargeText } from "@/lib/base/large-text";
import { countImageTokens } from "@/lib/sandbox/models/images";
import type { ImageDetail } from "../conversation/images";
import type { ChatMessage } from "../conversation/messages";
import type { ModelRoute, VendorId } from "../model-route";
import { anthropicImageBound, anthropicImageLeast } from "./anthropic";
import { fetchesImages, imagesBound, leastImageTokens, takesImages } from "./bound";
import { geminiImageBound, mediaResolution } from "./gemini";
import { openaiDetail, openaiImageBound, openaiImageLeast } from "./openai";

const size = (width: number, height: number) => ({ width, height });

// developers.openai.com/api/docs/guides/images-vision: 85 + 170 a tile, and 32-pixel squares.
test.each<[model: string, detail: ImageDetail, width: number, height: number, tokens: number]>([
  ["gpt-4o", "high", 1_024, 1_024, 765],
  ["gpt-4o", "high", 2_048, 4_096, 1_105],
  ["gpt-4o", "low", 4_096, 8_192, 85],
  ["gpt-4o", "high", 200, 200, 255],
  ["gpt-4o-mini", "high", 1_024, 1_024, 2_833 + 4 * 5_667],
  ["gpt-4o-mini", "low", 1_024, 1_024, 2_833],
  ["gpt-4-turbo", "high", 512, 512, 255],
  ["gpt-4.1-mini", "high", 1_024, 1_024, Math.ceil(1_024 * 1.62)],
])("OpenAI's published count: %s at %s, %i x %i", (model, detail, width, height, tokens) => {
  expect(openaiImageBound(model, detail, size(width, height))).toBe(tokens);
  const least = openaiImageLeast(model, detail, size(width, height));
  expect([tokens - 1, tokens]).toContain(least);
});

test("an image above a budget is bounded by the budget: 1,800 x 2,400 is counted as 1,452 squares of 1,536", () => {
  const bound = openaiImageBound("gpt-4.1-mini", "high", size(1_800, 2_400));
  expect(bound).toBe(Math.ceil(1_536 * 1.62));
  expect(bound).toBeGreaterThanOrEqual(Math.ceil(1_452 * 1.62));
});

test("the models without a published multiplier get the largest, which is above every count at low detail", () => {
  expect(openaiImageBound("gpt-6-sol", "low", size(10, 10))).toBeGreaterThanOrEqual(85 + 434);
  expect(openaiImageBound("gpt-6-luna", "high", size(8_000, 8_000))).toBe(6_150);
});

test("original goes only to models that know it, and is bounded by every pixel where they do not scale it", () => {
  expect(openaiDetail("gpt-4o", "original", size(1, 1))).toBe("high");
  expect(openaiDetail("gpt-5.5", "original", null)).toBe("original");
  expect(openaiDetail("gpt-6-sol", "original", size(1, 1))).toBe("original");
  expect(openaiDetail("gpt-6-sol", "original", null)).toBe("high");
  expect(openaiImageBound("gpt-6-sol", "original", size(8_000, 8_000))).toBe(Math.ceil(62_500 * 2.46));
  expect(openaiImageBound("gpt-5.5", "original", size(8_000, 8_000))).toBe(24_600);
});

// platform.claude.com/docs/en/build-with-claude/vision: standard and high resolution.
test.each([
  [200, 200, 64, 64],
  [1_000, 1_000, 1_296, 1_296],
  [1_920, 1_080, 1_560, 2_691],
  [3_840, 2_160, 1_560, 4_784],
])("Claude's published count of %i x %i is not above its bound", (width, height, standard, high) => {
  const older = anthropicImageBound("claude-sonnet-4-5-20250929", size(width, height));
  const newer = anthropicImageBound("claude-sonnet-5-5", size(width, height));
  expect(older).toBeGreaterThanOrEqual(standard);
  expect(older).toBeLessThanOrEqual(Math.max(standard, 1_568));
  expect(newer).toBe(high);
  for (const [model, published] of [
    ["claude-sonnet-4-5-20250929", standard],
    ["claude-sonnet-5-5", high],
  ] as const) {
    const least = anthropicImageLeast(model, size(width, height));
    expect(least).toBeLessThanOrEqual(published);
    expect(least).toBeGreaterThan(0.9 * published);
  }
});

test.each([
  ["claude-haiku-4-5", 1_568],
  ["claude-opus-4-6", 1_568],
  ["claude-opus-4-7", 4_784],
  ["claude-opus-5-5", 4_784],
  ["claude-opus-4-20250514", 1_568],
  ["claude-of-another-form", 4_784],
])("%s has at most %i tokens an image", (model, most) => {
  expect(anthropicImageBound(model, null)).toBe(most);
});

test("Gemini counts by media resolution since 3, and by tiles before", () => {
  expect(geminiImageBound("gemini-3.5-flash-lite", "low", size(8_000, 8_000))).toBe(280);
  expect(geminiImageBound("gemini-3.5-flash-lite", "high", size(10, 10))).toBe(1_120);
  expect(geminiImageBound("gemini-2.5-flash", "low", size(384, 384))).toBe(258);
  // ai.google.dev/gemini-api/docs/tokens: 960 x 540 is six tiles.
  expect(geminiImageBound("gemini-2.5-flash", "low", size(960, 540))).toBe(6 * 258);
  expect(mediaResolution("original")).toBe("MEDIA_RESOLUTION_HIGH");
});

test("a request is bounded by the route that counts the most, over all of its images", () => {
  const image = (width: number) => ({
    type: "image" as const,
    detail: "high" as const,
    source: { kind: "bytes" as const, mediaType: "image/png" as const, base64: new LargeText(Buffer.from("")), width, height: width },
  });
  const messages: ChatMessage[] = [
    { role: "user", content: [{ type: "text", text: "which?" }, image(200), image(1_000)] },
    { role: "tool", content: [image(200)], toolCallId: "call" },
  ];
  const claude: ModelRoute = { provider: "anthropic", wireName: "anthropic/claude-sonnet-4-5" };
  const grok: ModelRoute = { provider: "xai", wireName: "grok-4.20-non-reasoning" };
  expect(imagesBound(messages, { routes: [claude] })).toBe(64 + 1_296 + 64 + 3 * 16);
  expect(imagesBound(messages, { routes: [claude, grok] })).toBe(3 * (1_792 + 16));
  expect(imagesBound([{ role: "user", content: "no image" }], { routes: [claude] })).toBe(0);
});

test("at Gemini one image at high detail raises all of its request, since the resolution is the request's", () => {
  const image = (detail: ImageDetail) => ({
    type: "image" as const,
    detail,
    source: { kind: "url" as const, url: "https://example.com/a.png" },
  });
  const boundOf = (...details: ImageDetail[]) =>
    imagesBound([{ role: "user", content: details.map(image) }], { routes: [{ provider: "gemini", wireName: "gemini-3.5-flash-lite" }] });
  expect(boundOf("low", "low")).toBe(2 * (280 + 16));
  expect(boundOf("low", "high")).toBe(2 * (1_120 + 16));
});

test("which routes take images, and which fetch them", () => {
  const route = (provider: ModelRoute["provider"], wireName: string): ModelRoute => ({ provider, wireName });
  expect(takesImages(route("openai", "gpt-3.5-turbo"))).toBe(false);
  expect(takesImages(route("openai", "gpt-4"))).toBe(false);
  expect(takesImages(route("openai", "gpt-4-turbo"))).toBe(true);
  expect(takesImages(route("deepseek", "deepseek-flash"))).toBe(false);
  expect(takesImages(route("gemini", "gemini-2.5-flash"))).toBe(true);
  expect(fetchesImages(route("gemini", "gemini-2.5-flash"))).toBe(false);
  expect(fetchesImages(route("xai", "grok-4.20"))).toBe(true);
});

const sampleRoutes: readonly VendorRoute[] = [
  ...["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-4-turbo", "gpt-6-sol", "gpt-6-luna"].map(routeOf("openai")),
  ...["claude-haiku-4-5-20251001", "claude-opus-4-5-20251101", "claude-sonnet-5-5"].map(routeOf("anthropic")),
  ...["gemini-2.5-flash", "gemini-3.5-flash-lite"].map(routeOf("gemini")),
  ...["grok-4.20-non-reasoning"].map(routeOf("xai")),
];

type VendorRoute = ModelRoute & { provider: VendorId };

function routeOf(provider: VendorId): (wireName: string) => VendorRoute {
  return (wireName) => ({ provider, wireName });
}

/** A PNG's beginning. */
function headerOf(width: number, height: number): string {
  const header = Buffer.alloc(33);
  header.write("89504e470d0a1a0a0000000d49484452", "hex");
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header.toString("base64");
}

test("the simulated vendors, which count by code of their own, never count more than the bound, or less than the rule gives", () => {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  for (let run = 0; run < 2_000; run++) {
    const [width, height] = [Math.ceil(8_000 ** random()), Math.ceil(8_000 ** random())];
    const detail = (["low", "high", "original"] as const)[run % 3] ?? "high";
    const data = headerOf(width, height);
    const image = { type: "image", detail, source: { kind: "bytes", mediaType: "image/png", base64: data, width, height } } as const;
    for (const route of sampleRoutes) {
      const own = route.provider === "openai" ? openaiDetail(route.wireName, detail, image.source) : detail === "low" ? "low" : "high";
      const call = { model: route.wireName, messages: [{ role: "user" as const, text: "", images: [{ data, detail: own }] }] };
      const counted = countImageTokens(route.provider, call);
      const messages = [{ role: "user" as const, content: [image] }];
      const bound = imagesBound(messages, { routes: [route] });
      expect(counted, `${route.wireName} ${width} x ${height} ${detail}`).toBeLessThanOrEqual(bound);
      const least = leastImageTokens(messages, route);
      expect(counted, `${route.wireName} ${width} x ${height} ${detail}`).toBeGreaterThanOrEqual(least);
      expect(least).toBeGreaterThan(0);
    }
  }
});
