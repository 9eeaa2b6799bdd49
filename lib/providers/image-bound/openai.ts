// OpenAI's two rules for images: squares of 32 pixels times a multiplier, or a base and tiles of 512 pixels.
// Source: developers.openai.com/api/docs/guides/images-vision, as of 2026-11-26.

import type { ImageDetail } from "../conversation/images";
import { countSquares, fewestSquares, fitInto, type Size } from "./scale";

interface TileRule {
  base: number;
  tile: number;
}

interface PatchRule {
  /** The most squares that `high` is scaled down to. */
  budget: number;
  multiplier: number;
  /** Where the multiplier is not published; absent where it is. */
  leastMultiplier?: number;
  /** The most squares of `original`; Infinity where it is not scaled; absent where a model does not know it. */
  originalBudget?: number;
}

const tileRules: readonly [RegExp, TileRule][] = [
  [/^gpt-4o-mini/, { base: 2_833, tile: 5_667 }],
  [/^(?:gpt-4o|gpt-4\.1(?!-(?:mini|nano))|gpt-4-turbo|gpt-4\.5)/, { base: 85, tile: 170 }],
  [/^o[13](?:-|$)/, { base: 75, tile: 150 }],
];

/** The largest multiplier that is published: models whose own is not published are bounded by it. */
const LARGEST_MULTIPLIER = 2.46;

const patchRules: readonly [RegExp, PatchRule][] = [
  [/^(?:gpt-4\.1-mini|gpt-5(?:\.4)?-mini)/, { budget: 1_536, multiplier: 1.62 }],
  [/^(?:gpt-4\.1-nano|gpt-5(?:\.4)?-nano)/, { budget: 1_536, multiplier: 2.46 }],
  [/^o4-mini/, { budget: 1_536, multiplier: 1.72 }],
  // No multiplier is published for these, and at `low` more was counted than either rule gives for its siblings.
  [/^gpt-5\.[45](?:-|$)/, { budget: 2_500, multiplier: LARGEST_MULTIPLIER, leastMultiplier: 1, originalBudget: 10_000 }],
  [
    /^gpt-(?:5\.(?:[6-9]|\d\d)|[6-9])/,
    { budget: 2_500, multiplier: LARGEST_MULTIPLIER, leastMultiplier: 1, originalBudget: Number.POSITIVE_INFINITY },
  ],
];

const ruleFor = <Rule>(rules: readonly [RegExp, Rule][], wireName: string): Rule | undefined =>
  rules.find(([names]) => names.test(wireName))?.[1];

/** Whether the model takes images. */
export const openaiTakesImages = (wireName: string): boolean =>
  ruleFor(tileRules, wireName) !== undefined || ruleFor(patchRules, wireName) !== undefined;

/** `original` goes only to models that know it, and to an image whose size is known where they do not scale it. */
export function openaiDetail(wireName: string, detail: ImageDetail, size: Size | null): ImageDetail {
  if (detail !== "original") return detail;
  const budget = ruleFor(patchRules, wireName)?.originalBudget;
  return budget === undefined || (size === null && budget === Number.POSITIVE_INFINITY) ? "high" : "original";
}

/** `size` is null for an image that the provider fetches: then the most that the model can count. */
export function openaiImageBound(wireName: string, detail: ImageDetail, size: Size | null): number {
  const tiles = ruleFor(tileRules, wireName);
  if (tiles) return tileBound(tiles, detail, size);
  const patches = ruleFor(patchRules, wireName);
  return patches ? patchBound(patches, openaiDetail(wireName, detail, size), size) : 0;
}

/** Scaled into 2048 x 2048, then to 768 on the short side, an image has at most 4 x 2 tiles. */
const MAX_TILES = 8;

function tileBound({ base, tile }: TileRule, detail: ImageDetail, size: Size | null): number {
  if (detail === "low") return base;
  if (size === null) return base + MAX_TILES * tile;
  const fitted = fitInto(size, 2_048);
  const shrink = Math.min(1, 768 / Math.min(fitted.width, fitted.height));
  return base + tile * countSquares({ width: fitted.width * shrink, height: fitted.height * shrink }, 512);
}

const PATCH = 32;

/** `low` is an image of 512 x 512, which a smaller one may be enlarged to. */
const LOW_PATCHES = (512 / PATCH) ** 2;

function patchBound({ budget, multiplier, originalBudget }: PatchRule, detail: ImageDetail, size: Size | null): number {
  const most = detail === "original" && originalBudget !== undefined ? originalBudget : budget;
  // The budget itself, not the size after scaling: how that is rounded is not published for every model.
  const patches = detail === "low" ? LOW_PATCHES : size === null ? most : Math.min(countSquares(size, PATCH), most);
  return Math.ceil(patches * multiplier);
}

/** The tokens by the rule; the fewest that it can give where the size or the multiplier is not known. */
export function openaiImageLeast(wireName: string, detail: ImageDetail, size: Size | null): number {
  const tiles = ruleFor(tileRules, wireName);
  if (tiles) return tileLeast(tiles, detail, size);
  const patches = ruleFor(patchRules, wireName);
  return patches ? patchLeast(patches, openaiDetail(wireName, detail, size), size) : 0;
}

/** Pixels are whole: a fraction of one begins no tile. */
function tileLeast({ base, tile }: TileRule, detail: ImageDetail, size: Size | null): number {
  if (detail === "low") return base;
  if (size === null) return base + tile;
  const fitted = fitInto(size, 2_048);
  const shrink = Math.min(1, 768 / Math.min(fitted.width, fitted.height));
  const [width, height] = [Math.floor(fitted.width * shrink), Math.floor(fitted.height * shrink)];
  return base + tile * Math.max(1, countSquares({ width, height }, 512));
}

function patchLeast(
  { budget, multiplier, leastMultiplier = multiplier, originalBudget }: PatchRule,
  detail: ImageDetail,
  size: Size | null,
) {
  const most = detail === "original" && originalBudget !== undefined ? originalBudget : budget;
  const patches = size === null ? 1 : fewestSquares(size, PATCH, detail === "low" ? Math.min(LOW_PATCHES, most) : most);
  return Math.floor(patches * leastMultiplier);
}
