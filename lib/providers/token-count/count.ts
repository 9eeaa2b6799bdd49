// Counts texts with OpenAI's public tokenizers, in time that grows with their length, whatever they hold. It is for calls that a provider
// did not count: lib/gateway/prompt/estimate.ts says how they are charged.

import { formatFunctionDefinitions } from "gpt-tokenizer/functionCalling";
import type { Slices } from "@/lib/base/slices";

export type Encoding = "o200k" | "cl100k";

/** Texts that belong together, as the messages of a prompt do. */
export type TextGroup = readonly string[];

export interface CountJob {
  encoding: Encoding;
  groups: readonly TextGroup[];
  /** Functions as JSON, an array of MAX_CHARACTERS at most; they are counted as the TypeScript that OpenAI shows its models. Empty: none. */
  tools: string;
}

/** Tokens by the script of their text, which is what tokenizers differ by the most. */
export interface TokenCount {
  /** Of words, numbers, signs and spaces in ASCII alone. */
  ascii: number;
  /** Of all others. */
  beyondAscii: number;
}

type Kind = keyof TokenCount;

export interface Tokenizer {
  /** Splits a text into pretokens: no token reaches over their borders. */
  splitPattern: RegExp;
  count: (text: string) => number;
}

/** Names of special tokens inside a text are plain text to providers. */
const asPlainText = { disallowedSpecial: new Set<string>() };

/** Loads a tokenizer: some 60 MB and 300 ms. */
export async function loadTokenizer(encoding: Encoding): Promise<Tokenizer> {
  const [{ default: api }, patterns] = await Promise.all([
    encoding === "o200k" ? import("gpt-tokenizer/encoding/o200k_base") : import("gpt-tokenizer/encoding/cl100k_base"),
    import("gpt-tokenizer/encodingParams/constants"),
  ]);
  // It would keep the last hundred thousand words of its customers.
  api.setMergeCacheSize(0);
  const splitPattern = encoding === "o200k" ? patterns.O200K_TOKEN_SPLIT_REGEX : patterns.CL100K_TOKEN_SPLIT_REGEX;
  return { splitPattern, count: (text) => api.countTokens(text, asPlainText) };
}

/** The count of each group, and of the tools. A generator, so that it can run between other work where it has no thread of its own. */
export function* countInSlices({ groups, tools }: Omit<CountJob, "encoding">, tokenizer: Tokenizer): Slices<TokenCount[]> {
  const counts: TokenCount[] = [];
  for (const group of [...groups, tools === "" ? [] : [writeDefinitions(tools)]]) {
    const count: TokenCount = { ascii: 0, beyondAscii: 0 };
    for (const text of group) yield* addText(count, text, tokenizer);
    counts.push(count);
  }
  return counts;
}

/** The functions as OpenAI's models see them; a schema that cannot be written so stays JSON. */
function writeDefinitions(tools: string): string {
  try {
    return formatFunctionDefinitions(JSON.parse(tools));
  } catch {
    return tools;
  }
}

/** Pretokens of one kind in a row are counted at once; this many characters take about a tenth of a millisecond. */
const SPAN_CHARACTERS = 1_024;

function* addText(count: TokenCount, text: string, tokenizer: Tokenizer): Slices<void> {
  // White space splits by the text after it, so a span ends after a pretoken that holds something else.
  const span = { start: 0, end: 0, kind: "ascii" as Kind };
  const addSpan = (end: number) => {
    if (end > span.start) count[span.kind] += tokenizer.count(text.slice(span.start, end));
    span.start = end;
  };
  for (const { 0: pretoken, index } of text.matchAll(tokenizer.splitPattern)) {
    const kind: Kind = Buffer.byteLength(pretoken) === pretoken.length ? "ascii" : "beyondAscii";
    const end = index + pretoken.length;
    const isLong = pretoken.length > LONGEST_PRETOKEN;
    if (kind !== span.kind || end - span.start > SPAN_CHARACTERS) {
      addSpan(span.end);
      span.kind = kind;
      yield;
    }
    if (isLong) {
      addSpan(index);
      count[kind] += yield* countLong(pretoken, tokenizer);
      span.start = end;
    }
    if (isLong || /\S/.test(pretoken)) span.end = end;
  }
  addSpan(text.length);
}

/** A longer pretoken is cut: merging takes the square of its length. Words are shorter, in scripts without spaces as well. */
const LONGEST_PRETOKEN = 128;
/**
 * The most tokens that a cut adds, in words and in rows of signs, whose tokens are longer. It is taken off: no count is above the truth.
 */
const TOKENS_OF_A_CUT = { word: 1, signs: 4 };

function* countLong(pretoken: string, { count }: Tokenizer): Slices<number> {
  const excess = /\p{L}/u.test(pretoken) ? TOKENS_OF_A_CUT.word : TOKENS_OF_A_CUT.signs;
  let tokens = 0;
  for (let start = 0; start < pretoken.length; start += LONGEST_PRETOKEN) {
    tokens += Math.max(1, count(pretoken.slice(start, start + LONGEST_PRETOKEN)) - excess);
    yield;
  }
  return tokens;
}
