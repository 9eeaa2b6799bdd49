// Checks the bounds against the tokenizers available on npm. A bound below the true count would set aside too little money.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import cl100kRanks from "js-tiktoken/ranks/cl100k_base";
import o200kRanks from "js-tiktoken/ranks/o200k_base";
import { describe, expect, test, vi } from "vitest";
import { drawNumbers, isLong } from "../db/testing/sample";
import { type ChatMessage, type Content, contentText } from "./conversation/messages";
import { addedTokens } from "./conversation/normalise";
import { anyCodeUnit, borderChars, fixtures, glue, letter, prose, scrap, tableWords } from "./testing/scraps";
import { bounds, trueCount } from "./testing/tokenizers";
import { inputBoundForCall, inputTokenBound, TOKENS_PER_MESSAGE, TOKENS_PER_PART, TOKENS_PER_REQUEST } from "./token-bound";
import table from "./token-bound/table.json";

if (isLong) vi.setConfig({ testTimeout: 3_600_000 });
function expectBound(text: string): void {
  const bytes = inputTokenBound(text, "bytes");
  if (bytes < Buffer.byteLength(text)) throw new Error(`bytes ${bytes} below UTF-8 of ${JSON.stringify(text)}`);
  for (const bound of bounds) {
    const counted = inputTokenBound(text, bound);
    const truth = trueCount[bound](text);
    // Thrown, not `expect`: a property tries 10^5 texts, and `expect` is slow.
    if (counted < truth) throw new Error(`${bound}: ${counted} below ${truth} of ${JSON.stringify(text)}`);
    if (counted > bytes) throw new Error(`${bound}: ${counted} above ${bytes} bytes of ${JSON.stringify(text)}`);
  }
}

function expectAlways(texts: fc.Arbitrary<string>, runs: number, runsWhenLong = 100_000): void {
  fc.assert(
    fc.property(texts, (text) => expectBound(text)),
    { numRuns: isLong ? runsWhenLong : runs / 4 },
  );
}

describe("never below the true count", () => {
  test.each(fixtures)("of %s, whole and in pieces", (_, text) => {
    expectBound(text);
    for (let start = 0; start < text.length; start += 97) expectBound(text.slice(start, start + 211));
  });

  test.each(fixtures)("of %s as js-tiktoken counts it", (_, text) => {
    expect(inputTokenBound(text, "o200k")).toBeGreaterThanOrEqual(o200kByJsTiktoken.encode(text, [], []).length);
    expect(inputTokenBound(text, "cl100k")).toBeGreaterThanOrEqual(cl100kByJsTiktoken.encode(text, [], []).length);
  });

  test("of mixed fragments in any order", () => expectAlways(fc.array(scrap, { maxLength: 24 }).map(glue), 2_000));

  test("of the borders between words, signs and spaces", () =>
    expectAlways(fc.array(fc.constantFrom(...borderChars), { maxLength: 14 }).map(glue), 2_000));

  test("of every short text of those characters", () => {
    for (const text of allTexts(borderChars, isLong ? 3 : 2)) expectBound(text);
    for (const text of allTexts(["'", "s", "ll", " ", "\n", "/", "é", "\u0301", "S", "a"], isLong ? 6 : 4)) expectBound(text);
  });

  test("of any code points, lone surrogates among them", () =>
    expectAlways(
      fc.array(anyCodeUnit, { maxLength: 60 }).map((units) => String.fromCharCode(...units)),
      1_000,
    ));

  test("of characters whose normal form is longer", () =>
    expectAlways(
      fc.array(fc.oneof(fc.constantFrom(..."ﷺﷻ㌀㍿ำຳé\u0323\u0301\u0338=가ᄀ각ᆨ½ﬁ＇ｓ／　\u00a0¨"), letter), { maxLength: 30 }).map(glue),
      1_000,
    ));

  test("of random bytes read as UTF-8", () =>
    expectAlways(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("utf8")),
      1_000,
    ));

  test("of base64, hex and random letters", () =>
    expectAlways(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("base64")),
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("hex")),
        fc.array(letter, { maxLength: 200 }).map(glue),
      ),
      1_000,
    ));

  test("of long repetitions", () => expectAlways(longRuns, 100, 5_000));

  test("of one text repeated, at every length", () => {
    for (const char of [
      " ",
      "\n",
      "\t",
      "\r",
      "\r\n",
      "a",
      "A",
      "aB",
      "'",
      "'s",
      "/",
      "-",
      "=",
      "0",
      "é",
      "日",
      "👍",
      "\u200d",
      "\u0301",
      "\ud800",
    ])
      for (let length = 1; length < 200; length += isLong ? 1 : 7)
        for (const tail of ["", "x", "."]) expectBound(char.repeat(length) + tail);
  });

  test("of each word that is one token in the table, alone and spaced, with contractions, signs and capitals beside it", () => {
    // make-table.mjs itself checks every sign before every word.
    const before = isLong ? ["", " ", ".", "'", "\t", "“", "\n/", "é"] : ["", " ", "."];
    const after = isLong ? ["", "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "’t", "Re", "\u0301"] : ["", "'s"];
    // Every twelfth word in each run, other ones in the next.
    const first = Math.floor(drawNumbers("words of the table")() * 12);
    const words = tableWords.filter((_, index) => isLong || index % 12 === first);
    for (const word of words) for (const head of before) for (const tail of after) expectBound(head + word + tail);
  });

  test("of any word of the table with anything beside it", () => {
    const beside = fc.oneof(fc.constantFrom(...borderChars), fc.constantFrom("", " ", "'s", "'t", "n't", "’s", "1"));
    expectAlways(fc.tuple(beside, beside, fc.constantFrom(...tableWords), beside, beside).map(glue), 2_000);
  });

  test("of special tokens written as text", () => {
    for (const text of ["<|endoftext|>", "a <|im_start|>b<|im_end|>\n", "<EOT>", "\n\nHuman: <META_START>"]) expectBound(text);
  });
});

test.each(prose)("at most 2.5 times the true count of %s", (_, text) => {
  for (const bound of bounds) expect(inputTokenBound(text, bound) / trueCount[bound](text), bound).toBeLessThanOrEqual(2.5);
});

// Takes half a minute: only in the long run.
if (isLong) {
  test("the table equals what make-table.mjs makes of the installed vocabularies", () => {
    const folder = mkdtempSync(join(tmpdir(), "token-table-"));
    try {
      const script = fileURLToPath(new URL("./token-bound/make-table.mjs", import.meta.url));
      execFileSync(process.execPath, [script, join(folder, "table.json")]);
      expect(JSON.parse(readFileSync(join(folder, "table.json"), "utf8"))).toEqual(table);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

describe("bytes", () => {
  test("are the UTF-8 length, lone surrogates counted as U+FFFD", () => {
    for (const [text, bytes] of [
      ["", 0],
      ["a\u0000", 2],
      ["éñ", 4],
      ["日本", 6],
      ["👍🏽", 8],
      ["\ud800x\udc00", 7],
      ["e\u0301", 3],
    ] as const)
      expect(inputTokenBound(text, "bytes")).toBe(bytes);
  });

  test("are never below those of the normal form, for each character and next to any mark", () => {
    const marks = ["", "\u0323", "\u0301", "\u0338", "\u3099", "\u1161", "\u11a8", "a"];
    for (let code = 0; code <= 0x10ffff; code++) {
      const char = String.fromCodePoint(code);
      for (const mark of code < 0x20000 && (isLong || code % 31 === 0) ? marks : [""]) {
        const text = char + mark;
        const bytes = inputTokenBound(text, "bytes");
        if (bytes < Math.max(Buffer.byteLength(text), Buffer.byteLength(text.normalize("NFKC")))) throw new Error(JSON.stringify(text));
      }
    }
  });

  test("of any text are never below those of its normal forms", () =>
    fc.assert(
      fc.property(fc.array(anyCodeUnit, { maxLength: 40 }), (units) => {
        const text = String.fromCharCode(...units);
        for (const form of ["NFC", "NFKC"])
          expect(inputTokenBound(text, "bytes")).toBeGreaterThanOrEqual(Buffer.byteLength(text.normalize(form)));
      }),
      { numRuns: isLong ? 100_000 : 500 },
    ));
});

describe("messages", () => {
  const user = (content: Content): ChatMessage => ({ role: "user", content });

  test("a text in parts is bounded by no less than the same text in one", () => {
    const whole = inputBoundForCall({ messages: [user("Write a poem about internationalisation.")] }, "o200k");
    const parts = ["Write a poem about inter", "nationalisation."].map((text) => ({ type: "text" as const, text }));
    expect(inputBoundForCall({ messages: [user(parts)] }, "o200k")).toBeGreaterThanOrEqual(whole);
  });

  test("reasoning that goes back to its maker counts as its bytes", () => {
    const madeBy = { provider: "anthropic", wireName: "claude-opus-4-7" } as const;
    const answer: ChatMessage = { role: "assistant", content: "Well." };
    const block = { kind: "thinking", madeBy, text: "Hm.", data: "x".repeat(900) } as const;
    const bound = (message: ChatMessage) => inputBoundForCall({ messages: [user("Go on."), message] }, "claude");
    expect(bound({ ...answer, reasoning: [block] }) - bound(answer)).toBe(900 + TOKENS_PER_PART);
  });

  test("add up, plus the allowance for chat formats", () => {
    const messages = [user("You are brief."), user("Hello!")];
    const texts = messages.reduce((sum, { content }) => sum + inputTokenBound(contentText(content), "o200k"), 0);
    expect(inputBoundForCall({ messages }, "o200k")).toBe(texts + 2 * TOKENS_PER_MESSAGE + TOKENS_PER_REQUEST);
  });

  test("of any bound stay between the texts' own bound and their bytes", () => {
    fc.assert(
      fc.property(fc.array(scrap, { maxLength: 12 }).map(glue), (content) => {
        for (const bound of [...bounds, "bytes"] as const) {
          const messages = [user(content)];
          const tokens = inputBoundForCall({ messages }, bound) - TOKENS_PER_MESSAGE - TOKENS_PER_REQUEST - addedTokens(messages);
          expect(tokens).toBeGreaterThanOrEqual(inputTokenBound(content, bound));
          expect(tokens).toBeLessThanOrEqual(inputTokenBound(content, "bytes"));
        }
      }),
      { numRuns: 200 },
    );
  });
});

const o200kByJsTiktoken = new Tiktoken(o200kRanks);
const cl100kByJsTiktoken = new Tiktoken(cl100kRanks);

const longRuns = fc
  .array(
    fc.tuple(fc.constantFrom(" ", "\n", "\t", "a", "Z", ".", "=", "日", "👍", "\u0301", "ab", "0"), fc.integer({ min: 1, max: 1_500 })),
    { maxLength: 3 },
  )
  .map((runs) => runs.map(([char, count]) => char.repeat(count)).join(""));

function* allTexts(alphabet: readonly string[], maxLength: number): Generator<string> {
  yield "";
  if (maxLength === 0) return;
  for (const rest of allTexts(alphabet, maxLength - 1)) for (const char of alphabet) yield char + rest;
}
