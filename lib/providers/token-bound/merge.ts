// How many tokens a stretch of text can become when no more is known of it than which neighbours always merge.
// A finished byte pair encoding has no two neighbours (inside one pretoken) that together are a token: they would have been
// merged. So the most tokens of any division that respects this is an upper bound, whatever the order of the merges.

import type { TokenTable } from "./table";

/**
 * The most tokens that can begin in the ASCII characters text[start, end), which no pretoken border divides. The first token
 * may have begun before `start`. `open`: the last token may end after `end`; else a border lies there.
 * The division is searched in one pass: for each position, the most tokens before it when the last of them is one, two,
 * or three and more characters long. Only lengths one and two take part in known pairs and triples.
 */
export function maxTokens(table: TokenTable, text: string, start: number, end: number, open: boolean): number {
  // Plain integers, shifted by hand: this runs for each character of an unknown word.
  let ones1 = none;
  let twos1 = none;
  let longs1 = 0;
  let ones2 = none;
  let twos2 = none;
  let longs2 = none;
  let best1 = 0;
  let best2 = none;
  let best3 = none;
  let mostOpen = 0;
  let before1 = 0;
  let before2 = 0;
  for (let i = start; i < end; i++) {
    if (best1 >= mostOpen) mostOpen = best1 + 1;
    const char = text.charCodeAt(i);
    const pairMerges = i > start && table.isPair(before1, char);
    const tripleMerges = i > start + 1 && table.isTriple(before2, before1, char);
    const ones = 1 + Math.max(longs1, pairMerges ? none : ones1, tripleMerges ? none : twos1);
    const twos = 1 + Math.max(longs2, twos2, tripleMerges ? none : ones2);
    const longs = best3 >= longs1 ? best3 + 1 : longs1;
    longs2 = longs1;
    longs1 = longs;
    ones2 = ones1;
    ones1 = ones;
    twos2 = twos1;
    twos1 = twos;
    best3 = best2;
    best2 = best1;
    best1 = Math.max(ones, twos, longs);
    before2 = before1;
    before1 = char;
  }
  return open ? mostOpen : best1;
}

const none = -(2 ** 30);

/**
 * The most tokens that can begin in a run of `length` equal characters, when every run up to `limit` is a token:
 * two neighbours are then always longer than `limit` together. `open` as above.
 */
export function maxTokensOfRun(length: number, limit: number, open: boolean): number {
  if (length === 0) return 0;
  if (open) return maxTokensOfRun(length - 1, limit, false) + 1;
  const odd = 2 * Math.floor((length - 1) / (limit + 1)) + 1;
  const even = 2 * Math.floor(length / (limit + 1));
  return Math.max(odd, even);
}
