// The images of one request: a surplus is not read, and what hostile URLs hold is not taken apart.

import { expect, test } from "vitest";
import { LargeText } from "@/lib/base/large-text";
import type { Model } from "@/lib/providers/types";
import { png } from "../contract/testing/pictures";
import { ImageReader } from "./images";

const model: Pick<Model, "routes"> = { routes: [{ provider: "openai", wireName: "gpt-4o" }] };

/** References to one image, which counts how often it is looked up. */
class CountedTexts extends Map<string, LargeText> {
  reads = 0;

  override get(reference: string): LargeText | undefined {
    this.reads += 1;
    return super.get(reference);
  }
}

test("of 7,000 images a hundred are read, and the next one is refused", () => {
  const large = new LargeText(Buffer.from(png(10, 10)));
  const texts = new CountedTexts([[large.reference, large]]);
  const reader = new ImageReader(texts, model);
  for (let at = 0; at < 7_000; at++) reader.fromUrl({ path: `messages.0.content.${at}` }, `data:image/png;base64,${large.reference}`);
  expect(reader.findIssues()).toEqual([{ path: "messages.0.content.100", message: expect.stringMatching(/at most 100$/) }]);
  expect(texts.reads).toBe(100);
});

test.each([
  ["a megabyte of parameters", `data:image/png${";a=b".repeat(250_000)};base64,${png(10, 10)}`, /without a media type/],
  ["a URL of a megabyte", `https://example.com/${"a".repeat(1_000_000)}`, /not a valid https URL/],
])("%s is refused", (_what, url, message) => {
  const reader = new ImageReader(undefined, model);
  expect(reader.fromUrl({ path: "image" }, url)).toBeNull();
  expect(reader.findIssues()).toEqual([{ path: "image", message: expect.stringMatching(message) }]);
});
