// A lower bound on any tokenizer's count of a text, by its words and numbers alone, in one pass: for the charge that is certainly owed
// where tokens cannot be counted. Of more than MAX_CHARACTERS only the beginning is counted: the count stays a lower bound.

import { MAX_CHARACTERS } from "@/lib/providers/token-count/sample";

/** The longest tokens that we know: of plain letters, with letters of other scripts, and of digits (Claude's; OpenAI's have three). */
const [MOST_LETTERS, MOST_OTHERS, MOST_DIGITS] = [41, 21, 16];

/**
 * Certainly no fewer tokens: tokenizers split a text into words and numbers before they look anything up, and
 * each of these is a token or more. Spaces and signs, which may belong to one, count nothing.
 */
export function leastTokens(text: string): number {
  let tokens = 0;
  let [letters, others, digits] = [0, 0, 0];
  const endWord = () => {
    tokens += Math.ceil((letters + others) / (others > 0 ? MOST_OTHERS : MOST_LETTERS));
    [letters, others] = [0, 0];
  };
  const endNumber = () => {
    tokens += Math.ceil(digits / MOST_DIGITS);
    digits = 0;
  };
  for (let at = 0; at < text.length && at < MAX_CHARACTERS; at++) {
    const code = text.charCodeAt(at);
    const isDigit = code >= 48 && code <= 57;
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
    // An apostrophe may be part of its word.
    const isWord = isLetter || code > 127 || (code === 39 && letters > 0);
    if (!isDigit && digits > 0) endNumber();
    if (!isWord && letters + others > 0) endWord();
    if (isDigit) digits += 1;
    else if (isLetter) letters += 1;
    else if (isWord && code > 127) others += 1;
  }
  endNumber();
  endWord();
  return tokens;
}

/** The same of several texts, which stand apart. */
export function leastTokensOf(texts: readonly string[]): number {
  let [tokens, left] = [0, MAX_CHARACTERS];
  for (const text of texts) {
    if (left <= 0) break;
    tokens += leastTokens(text.slice(0, left));
    left -= text.length;
  }
  return tokens;
}
