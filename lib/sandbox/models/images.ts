// Images at the simulated models, billed by the vendors' published rules.

import { assert } from "@/lib/base/assert";
import { Base64Bytes } from "@/lib/base/base64-bytes";
import { readImageHeader } from "@/lib/providers/image-bound/image-header";
import type { SimulatedCall, SimulatedImage, Vendor } from "./vendor";

type Provider = Vendor["provider"];

interface PixelSize {
  width: number;
  height: number;
}

/** The size that the simulation assumes for an image that it would have to fetch. */
const FETCHED: PixelSize = { width: 1_024, height: 768 };

/** Billed tokens of a call's images. */
export function countImageTokens(provider: Provider, call: Pick<SimulatedCall, "messages" | "model">): number {
  const images = call.messages.flatMap(({ images = [] }) => images);
  return images.reduce((sum, image) => sum + countImage(provider, call.model, image), 0);
}

function countImage(provider: Provider, model: string, image: SimulatedImage): number {
  const size = image.data === null ? FETCHED : sizeOf(image.data);
  switch (provider) {
    case "anthropic":
      return countClaude(size, /^claude-\w+-(?:[5-9]|4-[7-9])/.test(model) ? [2_576, 4_784] : [1_568, 1_568]);
    case "gemini":
      if (/^gemini-[12][.-]/.test(model)) return image.detail === "low" ? 258 : 258 * Math.min(8, squares(size, 768));
      return image.detail === "low" ? 280 : 1_120;
    case "xai":
      return 256 * (Math.min(6, squares(size, 448)) + 1);
    default:
      return countOpenai(model, size, image.detail);
  }
}

function sizeOf(base64: string): PixelSize {
  const header = readImageHeader(new Base64Bytes(base64));
  assert(header, "the gateway sends no image that it could not read");
  return header;
}

const squares = ({ width, height }: PixelSize, side: number): number => Math.ceil(width / side) * Math.ceil(height / side);

const scaled = ({ width, height }: PixelSize, scale: number): PixelSize => ({
  width: Math.max(1, Math.floor(width * scale)),
  height: Math.max(1, Math.floor(height * scale)),
});

/** The largest scale, in steps of a thousandth, at which an image fits. */
function shrink(size: PixelSize, fits: (smaller: PixelSize) => boolean): PixelSize {
  for (let thousandths = 1_000; thousandths > 0; thousandths--) {
    const smaller = scaled(size, thousandths / 1_000);
    if (fits(smaller)) return smaller;
  }
  return { width: 1, height: 1 };
}

function countClaude(size: PixelSize, [edge, most]: readonly [number, number]): number {
  return squares(
    shrink(size, (smaller) => Math.max(smaller.width, smaller.height) <= edge && squares(smaller, 28) <= most),
    28,
  );
}

function countOpenai(model: string, size: PixelSize, detail: SimulatedImage["detail"]): number {
  if (/^gpt-4o-mini/.test(model)) return countTiles(size, detail, [2_833, 5_667]);
  if (/^gpt-4(?:o|\.1$|\.1-2|-turbo)/.test(model)) return countTiles(size, detail, [85, 170]);
  const multiplier = /mini/.test(model) ? 1.62 : /nano/.test(model) ? 2.46 : 1.2;
  if (detail === "low") return Math.ceil(256 * multiplier);
  const most = detail === "original" ? Number.POSITIVE_INFINITY : /mini|nano/.test(model) ? 1_536 : 2_500;
  return Math.ceil(
    squares(
      shrink(size, (smaller) => squares(smaller, 32) <= most),
      32,
    ) * multiplier,
  );
}

function countTiles(size: PixelSize, detail: SimulatedImage["detail"], [base, tile]: readonly [number, number]): number {
  if (detail === "low") return base;
  const inSquare = scaled(size, Math.min(1, 2_048 / Math.max(size.width, size.height)));
  return base + tile * squares(scaled(inSquare, Math.min(1, 768 / Math.min(inSquare.width, inSquare.height))), 512);
}
