// Claude's rule: a token for each square of 28 pixels, after the image was scaled into its model's limits.
// Source: platform.claude.com/docs/en/build-with-claude/vision, as of 2026-11-26.

import { countSquares, type Size } from "./scale";

/** The most tokens of an image: Claude 4.7 and later see more than the others. */
function mostTokens(wireName: string): number {
  const [, major = "0", minor = "0"] = /^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?:-|$)/.exec(wireName) ?? [];
  const isOlder = Number(major) < 4 || (Number(major) === 4 && Number(minor) < 7);
  return isOlder && major !== "0" ? 1_568 : 4_784;
}

/** Never below the count: scaling only makes an image smaller. `size` is null for an image that the provider fetches. */
export function anthropicImageBound(wireName: string, size: Size | null): number {
  const most = mostTokens(wireName);
  return size === null ? most : Math.min(countSquares(size, 28), most);
}
