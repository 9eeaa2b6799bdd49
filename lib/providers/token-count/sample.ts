// A sample of a long text, which is counted in its place: a quarter of a million characters take up to a second, and a process has one
// thread for all of them. Only its beginning would invite prompts that begin cheaply.

import type { TokenCount } from "./count";

/** Of a group of texts; shorter ones are counted whole. */
export const MAX_CHARACTERS = 262_144;
/** One at a random place in each of as many equal stretches: nobody knows which words will be counted. */
const PIECES = 64;
const PIECE_CHARACTERS = MAX_CHARACTERS / PIECES;

export interface Sample {
  texts: readonly string[];
  /** True where it is all of the texts. */
  isWhole: boolean;
  /** From the sample's count to that of all the texts. */
  scale: (count: TokenCount) => TokenCount;
}

const charactersOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

/** `random` is from 0 to below 1. */
export function takeSample(texts: readonly string[], random: () => number): Sample {
  const characters = charactersOf(texts);
  if (characters <= MAX_CHARACTERS) return { texts, isWhole: true, scale: (count) => count };
  const pieces = takePieces(texts, characters / PIECES, random);
  const share = characters / charactersOf(pieces);
  return { texts: pieces, isWhole: false, scale: (count) => scaleCount(count, share, pieces.length) };
}

function takePieces(texts: readonly string[], stretch: number, random: () => number): string[] {
  const pieces: string[] = [];
  let [index, before] = [0, 0];
  for (let nth = 0; nth < PIECES; nth++) {
    let at = Math.floor(nth * stretch + random() * (stretch - PIECE_CHARACTERS));
    const end = at + PIECE_CHARACTERS;
    while (at < end && index < texts.length) {
      const text = texts[index] ?? "";
      const piece = text.slice(Math.max(0, at - before), end - before);
      if (piece !== "") pieces.push(piece);
      at += piece.length;
      // The next piece may begin in the same text.
      if (before + text.length > end) break;
      before += text.length;
      index += 1;
    }
  }
  return pieces;
}

/** A piece begins and ends in the middle of a word, which may make it a token more; so much is taken off. */
function scaleCount({ ascii, beyondAscii }: TokenCount, share: number, pieces: number): TokenCount {
  const tokens = ascii + beyondAscii;
  const factor = tokens === 0 ? 0 : (share * Math.max(0, tokens - pieces)) / tokens;
  return { ascii: Math.floor(ascii * factor), beyondAscii: Math.floor(beyondAscii * factor) };
}
