// The words of a seed, BIP-39 in English: generated, or parsed as a person wrote them down.

import { generateMnemonic, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";

/** 24 new words from 256 random bits. */
export const createWords = (): string => generateMnemonic(wordlist, 256);

/**
 * The mnemonic in `text`, normalized to single spaces.
 * @throws Error that does not repeat the text
 */
export function readWords(text: string): string {
  const words = text.normalize("NFKD").trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 24 && validateMnemonic(words.join(" "), wordlist)) return words.join(" ");
  throw new Error(
    `These are not the 24 words of a seed (${words.length} words read). Check spelling and order; the last word is a checksum.`,
  );
}
