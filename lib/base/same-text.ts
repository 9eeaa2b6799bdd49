// Comparing secrets: how long it takes tells nothing of where two texts differ.

import { timingSafeEqual } from "node:crypto";

export function isSameText(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
