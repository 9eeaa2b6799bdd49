// JSON of a large body: JSON.parse would copy the images in it. Long base64 strings are found in the bytes first, and JSON.parse reads the
// rest, with a reference in place of each. They stay references where an image may stand; anywhere else the text is put back.

import { LargeText } from "@/lib/base/large-text";
import { isRecord } from "@/lib/providers/wire-value";

/** Shorter strings are not worth a reference. */
const MIN_REFERENCED_BYTES = 4_096;
/** What remains without the images: several times the longest context window. */
const MAX_REST_BYTES = 8 * 1024 * 1024;
/** Strings and separators; a small body may have more, and takes less time than this many. */
const MAX_VALUES = 100_000;

export type LargeJson =
  | { value: unknown; texts: ReadonlyMap<string, LargeText> }
  | { problem: "too_many_values" | "too_much_text" | "bad_json" };

export function parseLargeJson(bytes: Buffer): LargeJson {
  const found = findLargeTexts(bytes);
  if ("problem" in found) return found;
  let value: unknown;
  try {
    value = JSON.parse(found.rest);
  } catch {
    return { problem: "bad_json" };
  }
  if (found.texts.size > 0) restoreTexts(value, found.texts);
  return { value, texts: found.texts };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The body's JSON with references in it. */
function findLargeTexts(bytes: Buffer): { rest: string; texts: Map<string, LargeText> } | Extract<LargeJson, { problem: string }> {
  const texts = new Map<string, LargeText>();
  const pieces: string[] = [];
  let copiedTo = 0;
  let restBytes = bytes.length;
  let values = 0;
  for (let at = 0; at < bytes.length; ) {
    const openAt = bytes.indexOf(QUOTE, at);
    values += 1 + countSeparators(bytes, at, openAt < 0 ? bytes.length : openAt, MAX_VALUES - values);
    if (values > MAX_VALUES) return { problem: "too_many_values" };
    if (openAt < 0) break;
    const end = endOfString(bytes, openAt + 1);
    const base64At = end.hasEscapes || isName(bytes, end.at + 1) ? -1 : findBase64(bytes, openAt + 1, end.at);
    if (base64At >= 0) {
      const text = new LargeText(bytes.subarray(base64At, end.at));
      texts.set(text.reference, text);
      pieces.push(bytes.toString("utf8", copiedTo, base64At), text.reference);
      copiedTo = end.at;
      restBytes -= text.bytes.length;
    }
    at = end.at + 1;
  }
  if (restBytes > MAX_REST_BYTES) return { problem: "too_much_text" };
  pieces.push(bytes.toString("utf8", copiedTo));
  return { rest: pieces.join(""), texts };
}

/** Commas and opening brackets between two strings; stops soon after `most`. */
function countSeparators(bytes: Buffer, from: number, to: number, most: number): number {
  let count = 0;
  for (let at = from; at < to && count <= most; at++) {
    const byte = bytes[at];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++;
  }
  return count;
}

/** The position of the closing quote. Without escapes the native search finds it at once. */
function endOfString(bytes: Buffer, from: number): { at: number; hasEscapes: boolean } {
  const quoteAt = bytes.indexOf(QUOTE, from);
  if (quoteAt < 0) return { at: bytes.length, hasEscapes: true };
  const escapeAt = bytes.subarray(from, quoteAt).indexOf(BACKSLASH);
  if (escapeAt < 0) return { at: quoteAt, hasEscapes: false };
  let at = from + escapeAt;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return { at: Math.min(at, bytes.length), hasEscapes: true };
}

/** True when a colon follows the string. */
function isName(bytes: Buffer, from: number): boolean {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return bytes[at] === 0x3a;
}

const LONGEST_PREFIX = 128;

/** Where the base64 of a long string begins, after the head of a data URL; -1 when it is short or anything else. */
function findBase64(bytes: Buffer, from: number, to: number): number {
  if (to - from < MIN_REFERENCED_BYTES) return -1;
  const head = bytes.toString("latin1", from, from + LONGEST_PREFIX);
  const start = from + (/^data:[^,]*;base64,/i.exec(head)?.[0].length ?? 0);
  return isBase64(bytes, start, to) ? start : -1;
}

const PADDING = 0x3d;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Bytes = Uint8Array.from({ length: 256 }, (_, byte) => (alphabet.includes(String.fromCharCode(byte)) ? 1 : 0));

function isBase64(bytes: Buffer, from: number, to: number): boolean {
  let end = to;
  while (end > to - 2 && bytes[end - 1] === PADDING) end--;
  for (let at = from; at < end; at++) if (base64Bytes[bytes[at] ?? 0] === 0) return false;
  return true;
}

/** The fields that may hold an image's base64, in a part of a message's content, in each dialect. */
function imageHolder(part: unknown): { holder: object; field: string } | undefined {
  if (!isRecord(part)) return undefined;
  const { type, image_url: url, source } = part;
  if (type === "image_url" && isRecord(url)) return { holder: url, field: "url" };
  if (type === "input_image") return { holder: part, field: "image_url" };
  if (type === "image" && isRecord(source)) return { holder: source, field: "data" };
  return undefined;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function findImageHolders(body: unknown): Map<object, string> {
  const holders = new Map<object, string>();
  if (!isRecord(body)) return holders;
  for (const message of [...listOf(body.messages), ...listOf(body.input)].filter(isRecord)) {
    for (const part of [...listOf(message.content), ...listOf(message.output)]) {
      for (const inner of [part, ...listOf(isRecord(part) ? part.content : undefined)]) {
        const found = imageHolder(inner);
        if (found) holders.set(found.holder, found.field);
      }
    }
  }
  return holders;
}

const endsInReference = /large-text-[0-9a-f]{32}$/;

/** Everywhere but where an image stands. With a stack of its own: a client decides how deep its JSON is. */
function restoreTexts(body: unknown, texts: ReadonlyMap<string, LargeText>): void {
  const holders = findImageHolders(body);
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const imageField = holders.get(value);
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === "object") open.push(inner);
      if (typeof inner !== "string" || name === imageField) continue;
      const reference = endsInReference.exec(inner)?.[0];
      const text = reference === undefined ? undefined : texts.get(reference);
      if (reference !== undefined && text) {
        const whole = inner.slice(0, -reference.length) + text.bytes.toString("latin1");
        Object.defineProperty(value, name, { value: whole, enumerable: true, configurable: true, writable: true });
      }
    }
  }
}
