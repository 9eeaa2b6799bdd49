// Long tests run in full with LONG=1 (`npm run test:long`), and otherwise as a sample that every run chooses anew. The run prints its seed,
// and SAMPLE_SEED repeats it.

import { createHash } from "node:crypto";
import { inject } from "vitest";

export const isLong = process.env.LONG === "1";

/** At most `most` of `items`, in their order; all with LONG=1. The same seed and `name` choose the same ones. */
export function sample<T>(name: string, items: readonly T[], most: number): T[] {
  if (isLong) return [...items];
  const seed = inject("sampleSeed");
  const rank = (index: number) => createHash("sha256").update(`${seed} ${name} ${index}`).digest("hex");
  const ranked = items.map((_, index) => ({ index, rank: rank(index) })).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const chosen = new Set(ranked.slice(0, most).map(({ index }) => index));
  return items.filter((_, index) => chosen.has(index));
}

/** Draws numbers from 0 to below 1: the same sequence for the same seed and `name`. */
export function drawNumbers(name: string): () => number {
  const seed = inject("sampleSeed");
  let drawn = 0;
  return () => createHash("sha256").update(`${seed} ${name} ${drawn++}`).digest().readUInt32BE() / 2 ** 32;
}
