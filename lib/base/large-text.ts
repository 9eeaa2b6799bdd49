// A long base64 text that stays where it arrived: in a slice of the request's bytes, from the client to the provider. In strings that are
// made around it (JSON, a data URL) its reference stands for it, which nobody can guess, so that no text of a client passes for one.

import { randomBytes } from "node:crypto";

export class LargeText {
  readonly bytes: Buffer;
  readonly reference = `large-text-${randomBytes(16).toString("hex")}`;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Its characters, which are its bytes. */
  get length(): number {
    return this.bytes.length;
  }

  toString(): string {
    return this.reference;
  }
}

const reference = /(large-text-[0-9a-f]{32})/;

/** Splits a text at its references and puts the bytes in their place; null when there is none. */
export function expandLargeTexts(text: string, texts: readonly LargeText[]): (string | Buffer)[] | null {
  if (texts.length === 0) return null;
  const byReference = new Map(texts.map((large) => [large.reference, large.bytes]));
  return text
    .split(reference)
    .map((piece) => byReference.get(piece) ?? piece)
    .filter((piece) => piece.length > 0);
}
