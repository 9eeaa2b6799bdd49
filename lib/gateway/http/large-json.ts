// JSON of long bodies, in slices. That of a large one, above 1 MiB, would copy the images in it: long base64 strings are found in the bytes
// first, and the rest is read as JSON, with a reference in place of each. They stay references where an image may stand; anywhere else the
// text is put back.

import { LargeText } from "@/lib/base/large-text";
import { readJson } from "@/lib/base/sliced-json";
import type { Slices } from "@/lib/base/slices";
import { isRecord } from "@/lib/providers/wire-value";

/** Shorter strings are not worth a reference. */
const MIN_REFERENCED_BYTES = 4_096;
/** The limit of the rest without the images: several times the longest context window. */
const MAX_REST_BYTES = 8 * 1024 * 1024;
/** Strings and separators; a small body may have more, and takes less time than this many. */
const MAX_VALUES = 100_000;

/** The JSON of a long body, or its problem. */
export type LongJson =
  | { value: unknown; texts: ReadonlyMap<string, LargeText> | undefined }
  | { problem: Extract<LargeJson, { problem: string }>["problem"]; message: string };

/** Reads a body's text, or the bytes of a large one. */
export function* readLongJson(body: string | Buffer): Slices<LongJson> {
  if (typeof body === "string") {
    const reading = yield* readJson(body);
    return "value" in reading ? { value: reading.value, texts: undefined } : badJson(reading.faultAt);
  }
  const json = yield* parseLargeJson(body);
  if ("value" in json) return json;
  return json.problem === "bad_json" ? badJson() : { problem: json.problem, message: largeProblems[json.problem] };
}

export const badJson = (position?: number | string) =>
  ({ problem: "bad_json", message: `The body is not valid JSON${position === undefined ? "" : ` (at character ${position})`}` }) as const;

const largeProblems = {
  too_many_values: "A body over 1 MiB can have at most 100,000 values",
  too_much_text: "Without its images, a body can have at most 8 MiB",
};

type LargeJson = { value: unknown; texts: ReadonlyMap<string, LargeText> } | { problem: "too_many_values" | "too_much_text" | "bad_json" };

export function* parseLargeJson(bytes: Buffer): Slices<LargeJson> {
  const found = yield* findLargeTexts(bytes);
  if ("problem" in found) return found;
  const texts = new Map(found.map((text) => [text.reference, text]));
  const reading = yield* readJson(yield* writeRest(bytes, found));
  if (!("value" in reading)) return { problem: "bad_json" };
  if (texts.size > 0) yield* restoreTexts(reading.value, texts);
  return { value: reading.value, texts };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const STRINGS_PER_STEP = 256;
const BYTES_PER_STEP = 131_072;

/** The long base64 strings of a body, in their order. */
function* findLargeTexts(bytes: Buffer): Slices<LargeText[] | Extract<LargeJson, { problem: string }>> {
  const texts: LargeText[] = [];
  let restBytes = bytes.length;
  let [values, strings] = [0, 0];
  for (let at = 0; at < bytes.length; ) {
    if (++strings % STRINGS_PER_STEP === 0) yield;
    const openAt = bytes.indexOf(QUOTE, at);
    values += 1 + (yield* countSeparators(bytes, at, openAt < 0 ? bytes.length : openAt, MAX_VALUES - values));
    if (values > MAX_VALUES) return { problem: "too_many_values" };
    if (openAt < 0) break;
    const end = yield* endOfString(bytes, openAt + 1);
    const base64At = end.hasEscapes || isName(bytes, end.at + 1) ? -1 : yield* findBase64(bytes, openAt + 1, end.at);
    if (base64At >= 0) {
      texts.push(new LargeText(bytes.subarray(base64At, end.at)));
      restBytes -= end.at - base64At;
    }
    at = end.at + 1;
  }
  return restBytes > MAX_REST_BYTES ? { problem: "too_much_text" } : texts;
}

/** The body's JSON with references in it. */
function* writeRest(bytes: Buffer, texts: readonly LargeText[]): Slices<string> {
  const pieces: string[] = [];
  let copiedTo = 0;
  for (const { bytes: text, reference } of texts) {
    const textAt = text.byteOffset - bytes.byteOffset;
    yield* decodeUtf8(bytes.subarray(copiedTo, textAt), pieces);
    pieces.push(reference);
    copiedTo = textAt + text.length;
  }
  yield* decodeUtf8(bytes.subarray(copiedTo), pieces);
  return pieces.join("");
}

function* decodeUtf8(bytes: Buffer, pieces: string[]): Slices<void> {
  for (let from = 0; from < bytes.length; ) {
    let to = Math.min(from + BYTES_PER_STEP, bytes.length);
    // A character is not divided: its later bytes begin with the bits 10.
    while (((bytes[to] ?? 0) & 0xc0) === 0x80) to--;
    pieces.push(bytes.toString("utf8", from, to));
    from = to;
    yield;
  }
}

/** Commas and opening brackets between two strings; stops soon after `most`. */
function* countSeparators(bytes: Buffer, from: number, to: number, most: number): Slices<number> {
  let count = 0;
  for (let at = from; at < to && count <= most; at += BYTES_PER_STEP) {
    if (at > from) yield;
    count += countSeparatorsBetween(bytes, at, Math.min(at + BYTES_PER_STEP, to));
  }
  return count;
}

function countSeparatorsBetween(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++;
  }
  return count;
}

/** The position of the closing quote. Without escapes the native search finds it at once. */
function* endOfString(bytes: Buffer, from: number): Slices<{ at: number; hasEscapes: boolean }> {
  const quoteAt = bytes.indexOf(QUOTE, from);
  if (quoteAt < 0) return { at: bytes.length, hasEscapes: true };
  const escapeAt = bytes.subarray(from, quoteAt).indexOf(BACKSLASH);
  if (escapeAt < 0) return { at: quoteAt, hasEscapes: false };
  let at = from + escapeAt;
  for (let nextStepAt = at + BYTES_PER_STEP; at < bytes.length && bytes[at] !== QUOTE; ) {
    at += bytes[at] === BACKSLASH ? 2 : 1;
    if (at < nextStepAt) continue;
    nextStepAt += BYTES_PER_STEP;
    yield;
  }
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
function* findBase64(bytes: Buffer, from: number, to: number): Slices<number> {
  if (to - from < MIN_REFERENCED_BYTES) return -1;
  const head = bytes.toString("latin1", from, from + LONGEST_PREFIX);
  const start = from + (/^data:[^,]*;base64,/i.exec(head)?.[0].length ?? 0);
  let end = to;
  while (end > to - 2 && bytes[end - 1] === PADDING) end--;
  for (let at = start; at < end; at += BYTES_PER_STEP) {
    if (!isBase64(bytes, at, Math.min(at + BYTES_PER_STEP, end))) return -1;
    yield;
  }
  return start;
}

const PADDING = 0x3d;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64Bytes = Uint8Array.from({ length: 256 }, (_, byte) => (alphabet.includes(String.fromCharCode(byte)) ? 1 : 0));

function isBase64(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (base64Bytes[bytes[at] ?? 0] === 0) return false;
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

const isReference = /^large-text-[0-9a-f]{32}$/;
const REFERENCE_CHARACTERS = "large-text-".length + 32;

/** Everywhere but where an image stands. With a stack of its own: a client decides how deep its JSON is. */
function* restoreTexts(body: unknown, texts: ReadonlyMap<string, LargeText>): Slices<void> {
  const holders = findImageHolders(body);
  const open: unknown[] = [body];
  for (let steps = 1; open.length > 0; steps++) {
    if (steps % STRINGS_PER_STEP === 0) yield;
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const imageField = holders.get(value);
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === "object") open.push(inner);
      if (typeof inner !== "string" || name === imageField) continue;
      const end = inner.slice(-REFERENCE_CHARACTERS);
      const text = isReference.test(end) ? texts.get(end) : undefined;
      if (!text) continue;
      const whole = inner.slice(0, -REFERENCE_CHARACTERS) + text.bytes.toString("latin1");
      Object.defineProperty(value, name, { value: whole, enumerable: true, configurable: true, writable: true });
      yield;
    }
  }
}
