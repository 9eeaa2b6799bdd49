// For tests of bounds: the tokenizers available on npm, which give a text's true token count.

import { getTokenizer } from "@anthropic-ai/tokenizer";
import { encode as encodeCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as encodeO200k } from "gpt-tokenizer/encoding/o200k_base";

export const bounds = ["o200k", "cl100k", "claude"] as const;
type Named = (typeof bounds)[number];

const claude = getTokenizer();
const plain = { disallowedSpecial: new Set<string>() };
export const trueCount: Record<Named, (text: string) => number> = {
  o200k: (text) => encodeO200k(text, plain).length,
  cl100k: (text) => encodeCl100k(text, plain).length,
  claude: (text) => claude.encode(text.normalize("NFKC"), [], []).length,
};
