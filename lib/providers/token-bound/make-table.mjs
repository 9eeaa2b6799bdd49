// Makes table.json: what the vocabularies of o200k_base, cl100k_base and Claude's published tokenizer have in common, with every
// entry checked here against all three. Run it again after one of their packages changed:
//   node lib/providers/token-bound/make-table.mjs
// The vocabularies come from development packages; the product ships only the table.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** Reads tiktoken's own text format: lines of `! firstRank token token …`, tokens in base64; bytes are kept as latin1. */
function readRanks(text) {
  const ranks = new Map();
  for (const line of text.split("\n")) {
    const [, first, ...tokens] = line.split(" ");
    tokens.forEach((token, index) => {
      ranks.set(Buffer.from(token, "base64").toString("latin1"), Number(first) + index);
    });
  }
  return ranks;
}

function readJsTiktoken(name) {
  const module = require(`js-tiktoken/ranks/${name}`);
  return readRanks((module.default ?? module).bpe_ranks);
}

const o200k = readJsTiktoken("o200k_base");
const cl100k = readJsTiktoken("cl100k_base");
const claude = readRanks(require("@anthropic-ai/tokenizer/claude.json").bpe_ranks);
const vocabularies = [o200k, cl100k, claude];
const common = new Set([...claude.keys()].filter((token) => o200k.has(token) && cl100k.has(token)));

/** Number of tokens of one pretoken: byte pair encoding as tiktoken does it, lowest rank first. */
function countPretoken(ranks, bytes) {
  if (ranks.has(bytes)) return 1;
  const parts = [...bytes];
  for (;;) {
    let at = -1;
    let lowest = Number.POSITIVE_INFINITY;
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(parts[i] + parts[i + 1]);
      if (rank !== undefined && rank < lowest) [lowest, at] = [rank, i];
    }
    if (at < 0) return parts.length;
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
}

const utf8 = (text) => Buffer.from(text, "utf8").toString("latin1");

// --- characters beyond ASCII: the most tokens that can begin inside one of them, in any text ------------------------------

/** Where tokens of a vocabulary cross character borders: the partial characters they end with (heads) and begin with (tails). */
function findCrossings(ranks) {
  const heads = new Set();
  const tails = new Set();
  for (const token of ranks.keys()) {
    for (let back = 1; back <= 3 && back < token.length; back++) {
      const byte = token.charCodeAt(token.length - back);
      if (byte < 0x80) break;
      if (byte < 0xc0) continue;
      const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      if (back < width) heads.add(token.slice(token.length - back));
      break;
    }
    let tail = 0;
    while (tail < token.length && token.charCodeAt(tail) >= 0x80 && token.charCodeAt(tail) < 0xc0) tail++;
    if (tail > 0 && tail < token.length) tails.add(token.slice(0, tail));
  }
  return { heads, tails };
}

/**
 * Tries every way in which tokens can cover the bytes of a character: the first may have begun before it, the last may end
 * after it, and two neighbours that lie wholly inside never join into a token (they would have been merged).
 */
function maxTokensBegun(ranks, { heads, tails }, bytes) {
  let most = 0;
  const lay = (from, before, begun) => {
    if (from === bytes.length) most = Math.max(most, begun);
    if (from === 0 || tails.has(bytes.slice(from))) most = Math.max(most, begun + 1);
    for (let to = from + 1; to <= bytes.length; to++) {
      const token = bytes.slice(from, to);
      if (ranks.has(token) && !(before !== null && ranks.has(before + token))) lay(to, token, begun + 1);
    }
  };
  lay(0, null, 0);
  for (let from = 1; from < bytes.length; from++) if (heads.has(bytes.slice(0, from))) lay(from, null, 0);
  return most;
}

const crossings = vocabularies.map(findCrossings);
const costOfChar = (codePoint) => {
  const bytes = utf8(String.fromCodePoint(codePoint));
  return Math.max(...vocabularies.map((ranks, index) => maxTokensBegun(ranks, crossings[index], bytes)));
};

/** Runs of code points, as base 36 pairs of gap and length. */
function writeRuns(codePoints) {
  const runs = [];
  let end = 0;
  for (let i = 0; i < codePoints.length; ) {
    let next = i + 1;
    while (codePoints[next] === codePoints[next - 1] + 1) next++;
    runs.push((codePoints[i] - end).toString(36), (next - i).toString(36));
    end = codePoints[i] + next - i;
    i = next;
  }
  return runs.join(" ");
}

const charCost = new Map();
for (let code = 0x80; code <= 0xffff; code++) if (code < 0xd800 || code > 0xdfff) charCost.set(code, costOfChar(code));
const oneTokenChars = [...charCost].filter(([, cost]) => cost === 1).map(([code]) => code);
const twoTokenChars = [...charCost].filter(([code, cost]) => code >= 0x800 && cost === 2).map(([code]) => code);
for (let code = 0x1f300; code <= 0x1faff; code++) {
  if (costOfChar(code) > 3) throw new Error(`U+${code.toString(16)} may begin more than 3 tokens: scan.ts counts 3`);
}

// --- words ---------------------------------------------------------------------------------------------------------------

// o200k splits between a lower-case and an upper-case letter, so a word of this shape is one pretoken in all three.
const wordShape = /^(?:[A-Z]*[a-z]+|[A-Z]+)$/;
const contractions = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d"];
for (const needed of [...contractions, "re", "ve", "ll"]) if (!common.has(needed)) throw new Error(`not common: ${needed}`);

// o200k keeps a contraction in the word's pretoken. Words that would then cost more than word + 1 are left out.
const staysCheap = (word) => contractions.every((tail) => countPretoken(o200k, word + tail) <= 2);

/** Characters right before a word that may become part of its pretoken (o200k, cl100k), with what scan.ts counts for them. */
const typographic = "–—‘’“”…•«»·";
const prefixes = [];
for (let code = 0; code < 0x80; code++) {
  const char = String.fromCharCode(code);
  if (!/[\r\n A-Za-z0-9]/.test(char)) prefixes.push({ bytes: char, cost: 1 });
}
for (const char of typographic) prefixes.push({ bytes: utf8(char), cost: charCost.get(char.charCodeAt(0)) });
const joinsCheaply = (word) =>
  prefixes.every(({ bytes, cost }) => countPretoken(o200k, bytes + word) <= cost + 1 && countPretoken(cl100k, bytes + word) <= cost + 1);

const bareWords = new Set([...common].filter((token) => wordShape.test(token) && staysCheap(token)));
const spacedWords = new Set(
  [...common].filter((token) => token[0] === " " && wordShape.test(token.slice(1)) && staysCheap(token)).map((token) => token.slice(1)),
);

/** A sorted list in which each word is the number of letters it shares with the previous word (one digit) and the rest. */
function writeWords(words) {
  let before = "";
  let text = "";
  for (const word of [...words].sort()) {
    let shared = 0;
    while (shared < 9 && shared < word.length && word[shared] === before[shared]) shared++;
    text += shared + word.slice(shared);
    before = word;
  }
  return text;
}

// --- runs of one character, digits, pairs and triples ---------------------------------------------------------------------

/** The greatest length up to which every run of `char` is one token in all three. */
function longestRun(char) {
  let length = 1;
  while (common.has(char.repeat(length + 1))) length++;
  return length;
}

for (let number = 0; number < 1000; number++) {
  for (const width of [1, 2, 3]) {
    const digits = String(number).padStart(width, "0");
    if (digits.length === width && !(o200k.has(digits) && cl100k.has(digits))) throw new Error(`${digits} is not one token`);
  }
}

const printable = (length) => [...common].filter((token) => token.length === length && /^[ -~]+$/.test(token)).sort();

const table = {
  about: "Made by make-table.mjs from the public vocabularies; see there.",
  spaceRun: longestRun(" "),
  newlineRun: longestRun("\n"),
  tabRun: longestRun("\t"),
  typographic,
  oneTokenChars: writeRuns(oneTokenChars),
  twoTokenChars: writeRuns(twoTokenChars),
  bareAndSpaced: writeWords([...bareWords].filter((word) => spacedWords.has(word))),
  bare: writeWords([...bareWords].filter((word) => !spacedWords.has(word))),
  spaced: writeWords([...spacedWords].filter((word) => !bareWords.has(word))),
  unjoinable: writeWords([...bareWords].filter((word) => !joinsCheaply(word))),
  pairs: printable(2).join(""),
  triples: printable(3).join(""),
};
const target = process.argv[2] ?? new URL("table.json", import.meta.url);
writeFileSync(target, `${JSON.stringify(table, null, 2)}\n`);
