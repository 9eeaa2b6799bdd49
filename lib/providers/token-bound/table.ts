// The facts that the three public vocabularies share (made by make-table.mjs), unpacked once per process: words that are one token,
// pairs and triples that always merge, and how many tokens may begin in a character; and the maximum number of tokens in a stretch
// of text that follows from those facts alone.

import { processSingleton } from "@/lib/base/process-singleton";
import packed from "./table.json";

/** The word alone is one token. */
export const BARE = 1;
/** The word with one space before it is one token. */
export const SPACED = 2;
/** The word costs at most one token more than the sign right before it, even where a tokenizer joins both. */
export const JOINABLE = 4;

export interface TokenTable {
  /** Flags of the word at text[start, end): a sum of BARE, SPACED and JOINABLE; 0 for an unknown word. */
  findWord(text: string, start: number, end: number): number;
  /** True when the two ASCII characters are a token in all vocabularies. */
  isPair(first: number, second: number): boolean;
  isTriple(first: number, second: number, third: number): boolean;
  /** The maximum number of tokens that can begin inside a character of the basic plane, whatever surrounds it. */
  charCost: Uint8Array;
  /** Dashes, curly quotes and the like, for which JOINABLE was checked too: 1 at their code. */
  typographic: Uint8Array;
  /** Runs of this character are one token up to this length; 1 for all but space, newline and tab. */
  runLimit: Uint8Array;
}

export const tokenTable = processSingleton("tokenTable", unpackTable);

function unpackTable(): TokenTable {
  const flags = new Map<string, number>();
  const bare = BARE + JOINABLE;
  for (const word of readWords(packed.bareAndSpaced)) flags.set(word, bare + SPACED);
  for (const word of readWords(packed.bare)) flags.set(word, bare);
  for (const word of readWords(packed.spaced)) flags.set(word, SPACED);
  for (const word of readWords(packed.unjoinable)) flags.set(word, (flags.get(word) ?? JOINABLE) - JOINABLE);

  const pairs = readGrams(packed.pairs, 2);
  const triples = readGrams(packed.triples, 3);
  const runLimit = new Uint8Array(128).fill(1);
  runLimit[" ".charCodeAt(0)] = packed.spaceRun;
  runLimit["\n".charCodeAt(0)] = packed.newlineRun;
  runLimit["\t".charCodeAt(0)] = packed.tabRun;
  const typographic = new Uint8Array(0x10000);
  for (const char of packed.typographic) typographic[char.charCodeAt(0)] = 1;

  return {
    findWord: indexWords(flags),
    isPair: (first, second) => hasBit(pairs, (first << 7) | second),
    isTriple: (first, second, third) => hasBit(triples, (first << 14) | (second << 7) | third),
    charCost: unpackCharCosts(),
    typographic,
    runLimit,
  };
}

/** Words of a list in table.json. Front coding: each word is one digit (letters shared with the previous word) and its other letters. */
export function readWords(coded: string): string[] {
  const words: string[] = [];
  let before = "";
  for (const [, shared, rest] of coded.matchAll(/(\d)([A-Za-z]*)/g)) {
    before = before.slice(0, Number(shared)) + rest;
    words.push(before);
  }
  return words;
}

function readGrams(joined: string, width: number): Uint32Array {
  const bits = new Uint32Array((1 << (7 * width)) / 32);
  for (let i = 0; i < joined.length; i += width) {
    let index = 0;
    for (let k = 0; k < width; k++) index = (index << 7) | joined.charCodeAt(i + k);
    bits[index >> 5] = (bits[index >> 5] ?? 0) | (1 << (index & 31));
  }
  return bits;
}

function hasBit(bits: Uint32Array, index: number): boolean {
  return (((bits[index >> 5] ?? 0) >> (index & 31)) & 1) === 1;
}

function unpackCharCosts(): Uint8Array {
  const costs = new Uint8Array(0x10000).fill(1, 0, 0x80).fill(2, 0x80, 0x800).fill(3, 0x800);
  const put = (runs: string, cost: number) => {
    let at = 0;
    runs.split(" ").forEach((number, index) => {
      const length = Number.parseInt(number, 36);
      if (index % 2 === 1) costs.fill(cost, at, at + length);
      at += length;
    });
  };
  put(packed.oneTokenChars, 1);
  put(packed.twoTokenChars, 2);
  return costs;
}

// A Map would need a substring per look-up. One slot describes a word: where its letters start (<< 8), their number (<< 3) and its
// flags; 0 is free. Letters are compared one by one, never by hash alone: a crafted collision would make the bound too low.
function indexWords(flags: Map<string, number>): TokenTable["findWord"] {
  const slots = new Int32Array(1 << 16);
  const slotMask = slots.length - 1;
  const longest = 31;
  const letters = new Uint8Array([...flags.keys()].reduce((sum, word) => sum + word.length, 0));
  let used = 0;
  for (const [word, wordFlags] of flags) {
    if (word.length > longest) continue;
    let slot = hashLetters(word, 0, word.length) & slotMask;
    while (slots[slot] !== 0) slot = (slot + 1) & slotMask;
    slots[slot] = (used << 8) | (word.length << 3) | wordFlags;
    for (let i = 0; i < word.length; i++) letters[used++] = word.charCodeAt(i);
  }
  return (text, start, end) => {
    const length = end - start;
    if (length > longest) return 0;
    for (let slot = hashLetters(text, start, end) & slotMask; ; slot = (slot + 1) & slotMask) {
      const found = slots[slot] ?? 0;
      if (found === 0) return 0;
      if (((found >> 3) & 31) !== length) continue;
      let same = 0;
      for (const from = found >> 8; same < length && letters[from + same] === text.charCodeAt(start + same); ) same++;
      if (same === length) return found & 7;
    }
  };
}

function hashLetters(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}

// A finished byte pair encoding has no two neighbours (inside one pretoken) that together are a token: they would have been
// merged. So the maximum over all divisions that respect this is an upper bound, whatever the order of the merges.

/**
 * The maximum number of tokens that can begin in the ASCII characters text[start, end), which no pretoken border divides. The first
 * token may have begun before `start`. `open`: the last token may end after `end`; otherwise a border lies there.
 * One pass over the divisions: for each position, the most tokens before it when the last of them is one, two, or three and more
 * characters long. Only lengths one and two take part in known pairs and triples.
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
 * The maximum number of tokens that can begin in a run of `length` equal characters, when every run up to `limit` is a token:
 * two neighbours together are then always longer than `limit`. `open` as above.
 */
export function maxTokensOfRun(length: number, limit: number, open: boolean): number {
  if (length === 0) return 0;
  if (open) return maxTokensOfRun(length - 1, limit, false) + 1;
  const odd = 2 * Math.floor((length - 1) / (limit + 1)) + 1;
  const even = 2 * Math.floor(length / (limit + 1));
  return Math.max(odd, even);
}
