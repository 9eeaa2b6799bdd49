// Gemini's rules: a fixed number for each media resolution since Gemini 3, tiles of 258 tokens before.
// Source: ai.google.dev/gemini-api/docs/media-resolution and …/docs/tokens, as of 2026-11-26.

import type { ImageDetail } from "../conversation/images";
import { countSquares, type Size } from "./scale";

const TILE_TOKENS = 258;
/** Pan and scan at high resolution: about 2,048 tokens, beside the image as a whole. */
const PAN_AND_SCAN_TOKENS = 2_048 + TILE_TOKENS;

const isSinceGemini3 = (wireName: string): boolean => !/^gemini-[12](?:[.-]|$)/.test(wireName);

export type MediaResolution = "MEDIA_RESOLUTION_LOW" | "MEDIA_RESOLUTION_HIGH";

/** `original` is OpenAI's; the highest that a whole request may be asked for is high. */
export const mediaResolution = (detail: ImageDetail): MediaResolution =>
  detail === "low" ? "MEDIA_RESOLUTION_LOW" : "MEDIA_RESOLUTION_HIGH";

/** The size of an image does not matter since Gemini 3. */
export function geminiImageBound(wireName: string, detail: ImageDetail, size: Size): number {
  if (isSinceGemini3(wireName)) return detail === "low" ? 280 : 1_120;
  const { width, height } = size;
  if (width <= 384 && height <= 384 && detail === "low") return TILE_TOKENS;
  // Both rules are published for the same models: the higher counts.
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return Math.max(countSquares(size, side) * TILE_TOKENS, detail === "low" ? TILE_TOKENS : PAN_AND_SCAN_TOKENS);
}

/** Of the two rules of earlier models, the fewest. */
export const geminiImageLeast = (wireName: string, detail: ImageDetail): number =>
  isSinceGemini3(wireName) ? geminiImageBound(wireName, detail, { width: 1, height: 1 }) : TILE_TOKENS;
