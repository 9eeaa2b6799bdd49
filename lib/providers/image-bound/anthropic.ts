// Claude's rule: a token for each square of 28 pixels, after the image was scaled into its model's limits.
// Source: platform.claude.com/docs/en/build-with-claude/vision, as of 2026-11-26.

import { countSquares, fewestSquares, fitInto, type Size } from "./scale";

interface Limits {
  /** Pixels of the longer edge. */
  edge: number;
  tokens: number;
}

/** The most of an image: Claude 4.7 and later see more than the others. */
function limitsOf(wireName: string): Limits {
  const [, major = "0", minor = "0"] = /^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?:-|$)/.exec(wireName) ?? [];
  const isOlder = Number(major) < 4 || (Number(major) === 4 && Number(minor) < 7);
  return isOlder && major !== "0" ? { edge: 1_568, tokens: 1_568 } : { edge: 2_576, tokens: 4_784 };
}

/** Never below the count: scaling only makes an image smaller. `size` is null for an image that the provider fetches. */
export function anthropicImageBound(wireName: string, size: Size | null): number {
  const { tokens } = limitsOf(wireName);
  return size === null ? tokens : Math.min(countSquares(size, 28), tokens);
}

/** The tokens by the rule; the fewest that it can give where the size is not known. */
export function anthropicImageLeast(wireName: string, size: Size | null): number {
  if (size === null) return 1;
  const { edge, tokens } = limitsOf(wireName);
  const scaled = fitInto(size, edge);
  const squares = fewestSquares(scaled, 28, tokens);
  // How a scaled edge is rounded is not published: it may lose a part of a square.
  const whole = Math.max(1, Math.floor(scaled.width / 28)) * Math.max(1, Math.floor(scaled.height / 28));
  return Math.max(size.width, size.height) > edge ? Math.min(squares, whole) : squares;
}
