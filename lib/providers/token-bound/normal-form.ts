// Bytes of a text in UTF-8, or in its NFKC normal form where that is longer: Claude's published tokenizer normalises first, which
// turns U+FDFA into 18 characters. Never below the bytes that any tokenizer sees, and computed without normalising the text itself:
// ordering a long chain of combining marks takes quadratic time.

import { processSingleton } from "@/lib/base/process-singleton";
import type { Slices } from "@/lib/base/slices";

// One number per code point: bytes of NFKD, bytes of NFKC << 8, and these flags. Computed on first use, 0 until then.
const KNOWN = 1 << 18;
const JOINS = 1 << 16;
const INERT = 1 << 17;

export interface NormalForms {
  /**
   * The bytes that the character `codePoint` at text[index] adds to the text: an upper bound over UTF-8 and NFKC.
   * A character that stands alone (nothing after it combines with it) has the bytes of its own NFKC form; in a combining group,
   * each has at most those of its NFKD form, since no composition is longer than its parts.
   */
  byteCost(text: string, index: number, codePoint: number): number;
  /** True when normalising leaves this character unchanged at this place in the text. */
  isInert(text: string, index: number, codePoint: number): boolean;
}

export const normalForms = processSingleton("normalForms", createNormalForms);

/** Upper bound of the bytes that any tokenizer sees of `text`. Lone surrogates count as U+FFFD, which replaces them. */
export const countBytes = (text: string): number => countBytesBetween(text, 0, text.length);

const CHARACTERS_PER_STEP = 65_536;

/** The same in slices. */
export function* countBytesInSlices(text: string): Slices<number> {
  let bytes = 0;
  for (let from = 0; from < text.length; ) {
    let to = from + CHARACTERS_PER_STEP;
    // A character of two units is not divided.
    if ((text.codePointAt(to - 1) ?? 0) > 0xffff) to += 1;
    bytes += countBytesBetween(text, from, Math.min(to, text.length));
    from = to;
    yield;
  }
  return bytes;
}

function countBytesBetween(text: string, from: number, to: number): number {
  const forms = normalForms();
  let bytes = 0;
  for (let i = from; i < to; i++) {
    const codePoint = text.codePointAt(i) ?? 0;
    bytes += codePoint < 0x80 ? 1 : forms.byteCost(text, i, codePoint);
    if (codePoint > 0xffff) i++;
  }
  return bytes;
}

export function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

function createNormalForms(): NormalForms {
  const memo = new Int32Array(0x20000);
  const formOf = (codePoint: number): number => {
    // Emoji, which are frequent, and the planes above: nothing there grows.
    if (codePoint >= 0x1f300 && codePoint <= 0x1faff) return KNOWN | INERT | (4 << 8) | 4;
    if (codePoint >= 0x20000) return KNOWN | JOINS | (4 << 8) | 4;
    const known = memo[codePoint] ?? 0;
    if (known !== 0) return known;
    const form = findForm(codePoint);
    memo[codePoint] = form;
    return form;
  };
  const standsAlone = (text: string, index: number, codePoint: number, form: number): boolean => {
    if ((form & JOINS) !== 0) return false;
    const next = text.codePointAt(index + (codePoint > 0xffff ? 2 : 1)) ?? 0;
    return next < 0x80 || (formOf(next) & JOINS) === 0;
  };
  return {
    byteCost(text, index, codePoint) {
      const form = formOf(codePoint);
      const normalBytes = standsAlone(text, index, codePoint, form) ? (form >> 8) & 0xff : form & 0xff;
      return Math.max(utf8Length(codePoint), normalBytes);
    },
    isInert(text, index, codePoint) {
      const form = formOf(codePoint);
      return (form & INERT) !== 0 && standsAlone(text, index, codePoint, form);
    },
  };
}

// Characters that combine with the character before: those with a combining class, and second parts of a composition. All of them are
// marks, except the vowels and finals of Hangul and of Kirat Rai.
const joiners = /^[\p{M}\u1160-\u11ff\u{16d63}\u{16d67}-\u{16d6a}]/u;

function findForm(codePoint: number): number {
  const char = String.fromCodePoint(codePoint);
  const decomposed = char.normalize("NFKD");
  const composed = char.normalize("NFKC");
  const joins = joiners.test(decomposed) || joiners.test(char);
  const flags = joins ? JOINS : composed === char ? INERT : 0;
  return KNOWN | flags | (Buffer.byteLength(composed) << 8) | Buffer.byteLength(decomposed);
}
