// The bytes of a base64 text, decoded one by one where they are read: a header costs its own bytes, however long the text behind it is.

import type { LargeText } from "./large-text";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PADDING = 0x3d;

const sextets = Uint8Array.from({ length: 256 }, (_, code) => Math.max(0, alphabet.indexOf(String.fromCharCode(code))));

/** A view of base64 in RFC 4648's alphabet, which the caller has checked; with or without padding. */
export class Base64Bytes {
  readonly length: number;
  readonly #text: string | Buffer;

  constructor(base64: string | LargeText) {
    this.#text = typeof base64 === "string" ? base64 : base64.bytes;
    let characters = this.#text.length;
    for (let padding = 0; padding < 2 && this.#codeAt(characters - 1) === PADDING; padding++) characters--;
    this.length = Math.floor((characters * 3) / 4);
  }

  /** The byte at an index below `length`. */
  byteAt(at: number): number {
    // Three bytes are written as four characters: a byte is the low bits of one character and the high bits of the next.
    const place = at % 3;
    const character = ((at - place) / 3) * 4 + place;
    const high = sextets[this.#codeAt(character)] ?? 0;
    const low = sextets[this.#codeAt(character + 1)] ?? 0;
    return ((high << (2 + 2 * place)) | (low >> (4 - 2 * place))) & 0xff;
  }

  #codeAt(character: number): number {
    return typeof this.#text === "string" ? this.#text.charCodeAt(character) : (this.#text[character] ?? 0);
  }
}
