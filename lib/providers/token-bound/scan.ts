// Walks a text once and adds up the maximum number of tokens that can begin in each stretch of it. A stretch is a run of ASCII
// letters, digits, signs or white space, or one non-ASCII character. Every claim rests on one of three facts:
// - a pretoken in the vocabulary is one token, where it is certain how all three public tokenizers place its borders;
// - no pretoken border divides the stretch, so `maxTokens` bounds what begins in it;
// - a token has at least one byte.
// A stretch of more than LONGEST_STRETCH characters is divided: tokens that begin in its parts, each with an open end, begin in the whole.
// Next to a non-ASCII character only the last two apply, since tokenizers may disagree with us on whether it is a letter, and on its NFKC
// form.

import type { Slices } from "@/lib/base/slices";
import { type NormalForms, normalForms, utf8Length } from "./normal-form";
import { BARE, JOINABLE, maxTokens, maxTokensOfRun, SPACED, type TokenTable, tokenTable } from "./table";

/** How the tokenizers differ. */
export interface ScanRules {
  /** o200k: a border between a lower-case and an upper-case letter, and contractions ('s, 't …) belong to the word before. */
  splitsCase: boolean;
  /** o200k and cl100k: numbers are split into groups of three digits, each one token. */
  groupsDigits: boolean;
  /** Claude's: the text is first normalised to NFKC. */
  normalises: boolean;
}

const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const SIGN = 4;
const BEYOND = 5;
const END = 6;
const kinds = new Uint8Array(128).map((_, code) => {
  const char = String.fromCharCode(code);
  if (/[A-Za-z]/.test(char)) return LETTER;
  if (/[0-9]/.test(char)) return DIGIT;
  return /\s/.test(char) ? SPACE : SIGN;
});

const apostrophe = 0x27;
const blank = 0x20;
const slash = 0x2f;
const contraction = /(?:[stmd]|re|ve|ll)/iy;

/** The state at the start of the next stretch. */
type Before =
  /** A pretoken border. */
  | "border"
  /** A border right after letters, so that an apostrophe here begins a contraction. */
  | "letters"
  /** One sign or tab, which may or may not belong to a word that follows. */
  | "sign"
  /** The same, and that sign is an apostrophe, which may take the first letters away: 's|ample. */
  | "apostrophe"
  | "unknown";

/** A multiple of three, so that groups of digits are not divided. */
const LONGEST_STRETCH = 65_535;

export const scanTokens = (text: string, rules: ScanRules, longestStretch = LONGEST_STRETCH): number =>
  new Scan(text, rules, longestStretch).scanTo(text.length);

const CHARACTERS_PER_STEP = 8_192;

/** The same in slices. */
export function* scanTokensInSlices(text: string, rules: ScanRules): Slices<number> {
  const scan = new Scan(text, rules, LONGEST_STRETCH);
  let tokens = 0;
  for (let to = CHARACTERS_PER_STEP; to < text.length; to += CHARACTERS_PER_STEP) {
    tokens += scan.scanTo(to);
    yield;
  }
  return tokens + scan.scanTo(text.length);
}

class Scan {
  private readonly table: TokenTable = tokenTable();
  private readonly forms: NormalForms = normalForms();
  private at = 0;
  private before: Before = "border";
  /** The last stretch was divided: its next part follows. */
  private isDivided = false;

  constructor(
    private readonly text: string,
    private readonly rules: ScanRules,
    private readonly longestStretch: number,
  ) {}

  /** The most tokens that begin in the stretches from here on that begin before `end`. */
  scanTo(end: number): number {
    let tokens = 0;
    while (this.at < end) tokens += this.next();
    return tokens;
  }

  private next(): number {
    const isContinued = this.isDivided;
    this.isDivided = false;
    const kind = this.kind(this.at);
    const tokens = this.nextOf(kind, isContinued);
    if (this.isDivided && kind !== DIGIT) this.before = "unknown";
    return tokens;
  }

  private nextOf(kind: number, isContinued: boolean): number {
    switch (kind) {
      case LETTER:
        return this.letters(false);
      case DIGIT:
        return this.digits();
      case SPACE:
        return this.space();
      case SIGN:
        return this.signs(false, isContinued);
      default:
        return this.beyond();
    }
  }

  private kind(index: number): number {
    const code = this.text.charCodeAt(index);
    if (code < 0x80) return kinds[code] ?? BEYOND;
    return index < this.text.length ? BEYOND : END;
  }

  private runEnd(kind: number): number {
    const longest = this.at + this.longestStretch;
    let end = this.at + 1;
    while (end < longest && this.kind(end) === kind) end++;
    this.isDivided = end === longest && this.kind(end) === kind;
    return end;
  }

  /** True for a character that may be, or become, a letter, mark or number. */
  private isUnclear(index: number): boolean {
    return this.kind(index) === BEYOND && this.table.typographic[this.text.charCodeAt(index)] !== 1;
  }

  /** The number of letters of a contraction at `index`, 0 for none. Capitals count, though not every tokenizer accepts them. */
  private contractionLength(index: number): number {
    contraction.lastIndex = index;
    return contraction.test(this.text) ? contraction.lastIndex - index : 0;
  }

  // --- letters ---

  /** `spaced`: one space before the letters belongs to them and is counted here. */
  private letters(spaced: boolean): number {
    const [start, end, before] = [this.at, this.runEnd(LETTER), spaced ? "border" : this.before];
    this.at = end;
    this.before = "letters";
    const whole = this.words(start, end, before, spaced);
    // 'sample is 's|ample where the apostrophe begins a match, and é'Sample is é'S|ample; a full-width apostrophe may become one.
    if (before !== "apostrophe" && before !== "unknown") return whole;
    const cut = this.contractionLength(start);
    if (cut === 0) return whole;
    return Math.max(whole, cut + (start + cut < end ? this.words(start + cut, end, "border", false) : 0));
  }

  private words(start: number, end: number, before: Before, spaced: boolean): number {
    if (!this.rules.splitsCase) return this.word(start, end, before, spaced);
    let tokens = 0;
    let from = start;
    for (let i = start + 1; i < end; i++) {
      if (this.text.charCodeAt(i - 1) < 0x61 || this.text.charCodeAt(i) >= 0x61) continue;
      tokens += this.word(from, i, from === start ? before : "border", spaced && from === start);
      from = i;
    }
    return tokens + this.word(from, end, from === start ? before : "border", spaced && from === start);
  }

  private word(start: number, end: number, before: Before, spaced: boolean): number {
    const ending = this.wordEnding(end);
    const atBorder = before === "border" || before === "letters";
    if (ending === "border" || (ending === "contraction" && atBorder)) {
      const needed = spaced ? SPACED : atBorder ? BARE : before === "unknown" ? 0 : JOINABLE;
      if ((this.table.findWord(this.text, start, end) & needed) !== 0) return 1;
    }
    return this.merged(spaced ? start - 1 : start, end, ending !== "border");
  }

  private wordEnding(end: number): "border" | "contraction" | "open" {
    const kind = this.kind(end);
    if (this.isDivided && end === this.at) return "open";
    if (kind === BEYOND) return this.isUnclear(end) ? "open" : "border";
    if (kind !== SIGN || !this.rules.splitsCase || this.text.charCodeAt(end) !== apostrophe) return "border";
    const length = this.contractionLength(end + 1);
    if (length > 0) return this.isSmall(end + 1, end + 1 + length) ? "contraction" : "open";
    return this.kind(end + 1) === BEYOND ? "open" : "border";
  }

  private isSmall(start: number, end: number): boolean {
    for (let i = start; i < end; i++) if (this.text.charCodeAt(i) < 0x61) return false;
    return true;
  }

  /** `maxTokens` of [start, end). The last character counts alone where a mark may follow, which would change it. */
  private merged(start: number, end: number, open: boolean): number {
    if (this.kind(end) === BEYOND && open) return maxTokens(this.table, this.text, start, end - 1, true) + 1;
    return maxTokens(this.table, this.text, start, end, open);
  }

  // --- digits ---

  private digits(): number {
    const [start, end, before] = [this.at, this.runEnd(DIGIT), this.before];
    this.at = end;
    // Beside a character that may also be a number, the groups may begin elsewhere.
    const certain = this.rules.groupsDigits && before !== "unknown" && !this.isUnclear(end);
    this.before = certain || !this.isDivided ? "border" : "unknown";
    return certain ? Math.ceil((end - start) / 3) : end - start;
  }

  // --- white space ---

  private space(): number {
    const [start, end] = [this.at, this.runEnd(SPACE)];
    const last = this.text.charCodeAt(end - 1);
    const next = this.kind(end);
    if (last === blank && (next === LETTER || next === SIGN)) {
      // All three attach the last space to the word or the signs after it.
      const tokens = this.runs(start, end - 1, false);
      this.at = end;
      return tokens + (next === LETTER ? this.letters(true) : this.signs(true));
    }
    this.at = end;
    const endsLine = last === 0x0a || last === 0x0d;
    this.before = endsLine || last === blank ? "border" : "sign";
    return this.runs(start, end, next !== END);
  }

  /** Bounds white space by its runs of one character. Borders lie only between runs and, when `open`, before the last character. */
  private runs(start: number, end: number, open: boolean): number {
    let tokens = 0;
    let from = start;
    for (let i = start + 1; i <= end; i++) {
      const char = this.text.charCodeAt(from);
      if (i < end && this.text.charCodeAt(i) === char) continue;
      tokens += maxTokensOfRun(i - from, this.table.runLimit[char] ?? 1, open || i < end);
      from = i;
    }
    return tokens;
  }

  // --- signs: punctuation, symbols, control characters ---

  /** `spaced`: one space before the signs belongs to them and is counted here. */
  private signs(spaced: boolean, isContinued = false): number {
    const [start, end] = [this.at, this.runEnd(SIGN)];
    const contracted = spaced ? 0 : this.certainContraction(start, end);
    if (contracted > 0) {
      this.at = start + 1 + contracted;
      this.before = "border";
      return 1;
    }
    this.at = end;
    const next = this.kind(end);
    const nextCode = this.text.charCodeAt(end);
    const open = next === BEYOND || this.isDivided || nextCode === 0x0a || nextCode === 0x0d;
    let tokens = 0;
    let from = spaced ? start - 1 : start;
    if (isContinued || (!spaced && this.isAfterLineEnd(start))) {
      // o200k attaches slashes after a line end to the signs before that line end, so a border may follow the slashes.
      while (from < end && this.text.charCodeAt(from) === slash) from++;
      tokens = this.merged(start, from, from < end || open || from - start === 1);
    }
    const length = from < end ? end - from : end - start;
    this.before = length > 1 ? "border" : this.text.charCodeAt(end - 1) === apostrophe ? "apostrophe" : "sign";
    return from < end ? tokens + this.merged(from, end, open) : tokens;
  }

  private isAfterLineEnd(index: number): boolean {
    const code = index > 0 ? this.text.charCodeAt(index - 1) : 0;
    return code === 0x0a || code === 0x0d;
  }

  /**
   * The length of a contraction (don|'t) that is one token with its apostrophe, with a certain border after it in all three.
   * A mark after it would turn its last letter into another in NFKC.
   */
  private certainContraction(start: number, end: number): number {
    if (end - start !== 1 || this.before !== "letters" || this.text.charCodeAt(start) !== apostrophe) return 0;
    const length = this.contractionLength(end);
    return this.isSmall(end, end + length) && !this.isUnclear(end + length) ? length : 0;
  }

  // --- beyond ASCII ---

  private beyond(): number {
    const [text, index] = [this.text, this.at];
    const codePoint = text.codePointAt(index) ?? 0;
    this.at += codePoint > 0xffff ? 2 : 1;
    this.before = this.table.typographic[codePoint] === 1 ? "sign" : "unknown";
    if (this.rules.normalises && !this.forms.isInert(text, index, codePoint)) return this.forms.byteCost(text, index, codePoint);
    if (codePoint > 0xffff) return codePoint >= 0x1f300 && codePoint <= 0x1faff ? 3 : utf8Length(codePoint);
    return this.table.charCost[codePoint] ?? 3;
  }
}
