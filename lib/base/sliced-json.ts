// JSON.parse in slices, for long texts: a megabyte of brackets or of names takes it 40 to 80 ms, in which nothing else runs. The brackets
// are followed here, with a stack of their own; each text and number goes through JSON.parse itself, long texts in pieces.

import type { Slices } from "./slices";

/** The value, or the character where the text is no JSON. */
export type JsonReading = { value: unknown } | { faultAt: number };

export function* readJson(text: string): Slices<JsonReading> {
  const source = new Source(text);
  try {
    return { value: yield* readValue(source) };
  } catch (error) {
    if (error instanceof SyntaxError) return { faultAt: source.at };
    throw error;
  }
}

const TURNS_PER_STEP = 256;

type Fields = Record<string, unknown>;

function* readValue(source: Source): Slices<unknown> {
  /** Objects as far as they are read; and of each list, where its entries begin among `entries`. */
  const open: (Fields | number)[] = [];
  const entries: unknown[] = [];
  /** Of each open object, the name whose value is due. */
  const names: string[] = [];
  let turns = 0;
  for (;;) {
    if (++turns % TURNS_PER_STEP === 0) yield;
    let value: unknown;
    const code = source.peek();
    if (code === OPENING_BRACKET && source.peekNext() !== CLOSING_BRACKET) {
      open.push(entries.length);
      continue;
    }
    if (code === OPENING_BRACE && source.peekNext() !== CLOSING_BRACE) {
      open.push({});
      names.push(source.readShortName() ?? (yield* readLongName(source)));
      continue;
    }
    if (code === QUOTE) value = source.readShortText() ?? (yield* readLongText(source));
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) value = source.closeEmpty(code === OPENING_BRACKET ? [] : {});
    else value = source.readLiteral();
    // Each list and object whose last value this is ends with it.
    for (;;) {
      const container = open.at(-1);
      const next = source.peek();
      if (container === undefined) return Number.isNaN(next) ? value : fail();
      const isList = typeof container === "number";
      if (next !== COMMA && next !== (isList ? CLOSING_BRACKET : CLOSING_BRACE)) fail();
      source.at += 1;
      if (isList) entries.push(value);
      else addField(container, names.pop() ?? "", value);
      if (next === COMMA) {
        if (!isList) names.push(source.readShortName() ?? (yield* readLongName(source)));
        break;
      }
      value = isList ? entries.splice(container) : container;
      open.pop();
      if (++turns % TURNS_PER_STEP === 0) yield;
    }
  }
}

function addField(fields: Fields, name: string, value: unknown): void {
  // Assigned, it would become the prototype.
  if (name === "__proto__") Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
  else fields[name] = value;
}

function* readLongName(source: Source): Slices<string> {
  const name = yield* readLongText(source);
  source.skipColon();
  return name;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** @throws SyntaxError, of which only the place counts: that of the source */
function fail(): never {
  throw new SyntaxError("no JSON");
}

/** V8 copies slices up to this length; a longer one would keep the whole text in memory for as long as it lives. */
const MAX_COPIED = 12;

/** Runs of white space and literals are followed by hand up to here; the search of an expression is faster, once it has begun. */
const MAX_BY_HAND = 64;

class Source {
  readonly text: string;
  at = 0;
  readonly #space = /[ \t\n\r]*/y;
  readonly #literal = /[-+.0-9A-Za-z]*/y;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character's code behind white space, at which `at` stands then; NaN at the end. */
  peek(): number {
    let code = this.text.charCodeAt(this.at);
    for (let spaces = 1; code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; spaces++) {
      this.at = spaces < MAX_BY_HAND ? this.at + 1 : this.#endOf(this.#space, this.at);
      code = this.text.charCodeAt(this.at);
    }
    return code;
  }

  #endOf(run: RegExp, from: number): number {
    run.lastIndex = from;
    run.test(this.text);
    return run.lastIndex;
  }

  /** The same behind the character at which `at` stands. */
  peekNext(): number {
    this.at += 1;
    return this.peek();
  }

  closeEmpty<Container>(container: Container): Container {
    this.at += 1;
    return container;
  }

  /** A text of a few plain characters, as most names are; undefined for any other. */
  readShortText(): string | undefined {
    const from = this.at + 1;
    for (let end = from; end <= from + MAX_COPIED; end++) {
      const code = this.text.charCodeAt(end);
      if (code === QUOTE) {
        this.at = end + 1;
        return this.text.slice(from, end);
      }
      if (code === BACKSLASH || !(code >= 0x20)) return undefined;
    }
    return undefined;
  }

  /** The same with the colon behind it. */
  readShortName(): string | undefined {
    if (this.peek() !== QUOTE) fail();
    const name = this.readShortText();
    if (name !== undefined) this.skipColon();
    return name;
  }

  skipColon(): void {
    if (this.peek() !== COLON) fail();
    this.at += 1;
  }

  /** A number, true, false or null. */
  readLiteral(): unknown {
    let end = this.at;
    while (end < this.at + MAX_BY_HAND && literalCodes[this.text.charCodeAt(end)] === 1) end++;
    if (end === this.at + MAX_BY_HAND) end = this.#endOf(this.#literal, this.at);
    const literal = this.text.slice(this.at, end);
    const value: unknown = plainInteger.test(literal) ? Number(literal) : JSON.parse(literal);
    this.at = end;
    return value;
  }
}

/** JSON.parse would take twenty times as long for it. */
const plainInteger = /^(?:0|[1-9][0-9]{0,8})$/;

const literalCharacters = "0123456789+-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const literalCodes = Uint8Array.from({ length: 128 }, (_, code) => (literalCharacters.includes(String.fromCharCode(code)) ? 1 : 0));

const PIECE_CHARACTERS = 65_536;
const QUOTES_PER_STEP = 1_024;

function* readLongText(source: Source): Slices<string> {
  const { text, at: openAt } = source;
  let closeAt = text.indexOf('"', openAt + 1);
  for (let quotes = 1; closeAt >= 0 && isEscaped(text, closeAt, openAt); quotes++) {
    if (quotes % QUOTES_PER_STEP === 0) yield;
    closeAt = text.indexOf('"', closeAt + 1);
  }
  if (closeAt < 0) fail();
  if (closeAt - openAt <= PIECE_CHARACTERS) {
    const whole = JSON.parse(text.slice(openAt, closeAt + 1)) as string;
    source.at = closeAt + 1;
    return whole;
  }
  const pieces: string[] = [];
  for (let from = openAt + 1; from < closeAt; ) {
    const to = pieceEnd(text, from, closeAt);
    pieces.push(JSON.parse(`"${text.slice(from, to)}"`) as string);
    from = to;
    yield;
  }
  source.at = closeAt + 1;
  return pieces.join("");
}

/** True behind an odd number of backslashes. */
function isEscaped(text: string, at: number, from: number): boolean {
  let backslashes = 0;
  while (at - backslashes - 1 > from && text.charCodeAt(at - backslashes - 1) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** An escape, of up to six characters, is not divided. */
const ESCAPE_CHARACTERS = 6;

function pieceEnd(text: string, from: number, closeAt: number): number {
  const to = from + PIECE_CHARACTERS;
  if (to >= closeAt) return closeAt;
  for (let at = to - 1; at >= to - ESCAPE_CHARACTERS; at--) {
    // The first backslash of an escape has an even number of them before it.
    if (text.charCodeAt(at) !== BACKSLASH || isEscaped(text, at, from - 1)) continue;
    const length = text.charCodeAt(at + 1) === 0x75 ? ESCAPE_CHARACTERS : 2;
    return at + length > to ? at : to;
  }
  return to;
}
