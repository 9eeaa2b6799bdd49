// The kinds of tokens. All that differs from kind to kind stands in its row here: prices, counts, charges, receipts, exports, the API's
// fields and the words of pages derive from it. SQL has its own copy for the check of the books (`ledger_token_kinds`), held equal by a test.

export type Side = "input" | "output";

/** What a call must do before its tokens can be of a kind. */
export type KindNeeds = "nothing" | "cache writes" | "cache writes for hours" | "images";

interface KindRow {
  /** Its name in the API, in price lists and in exports. */
  name: string;
  /** The field that counts it; of `input` and `output` it counts all tokens of the side, those of the other kinds included. */
  count: string;
  /** Its place in a charge's array of counts, from 1: never changed, never used again. A new kind takes the next one. */
  slot: number;
  /** The side that it is part of, and at whose price it is sold when it has no price of its own; null for the side itself. */
  partOf: Side | null;
  needs: KindNeeds;
  /** In prices and costs. */
  label: string;
  /** Behind a count: "720 cached". */
  short: string;
  /** What the API's document says of its count. */
  description: string;
}

/** In the order of every list. */
export const tokenKinds = {
  input: {
    name: "input",
    count: "inputTokens",
    slot: 1,
    partOf: null,
    needs: "nothing",
    label: "input",
    short: "input",
    description: "Input tokens.",
  },
  cacheRead: {
    name: "cache_read",
    count: "cachedInputTokens",
    slot: 3,
    partOf: "input",
    needs: "nothing",
    label: "cached input",
    short: "cached",
    description: "Input tokens read from the provider's cache.",
  },
  cacheWrite: {
    name: "cache_write",
    count: "cacheWriteTokens",
    slot: 4,
    partOf: "input",
    needs: "cache writes",
    label: "cache write",
    short: "written",
    description: "Input tokens written to the provider's cache for some minutes.",
  },
  cacheWrite1h: {
    name: "cache_write_1h",
    count: "cacheWrite1hTokens",
    slot: 5,
    partOf: "input",
    needs: "cache writes for hours",
    label: "cache write (for hours)",
    short: "written",
    description: "Input tokens written to the provider's cache for an hour.",
  },
  image: {
    name: "image",
    count: "imageTokens",
    slot: 6,
    partOf: "input",
    needs: "images",
    label: "image input",
    short: "image",
    description: "Input tokens of images that were neither read from the cache nor written to it.",
  },
  output: {
    name: "output",
    count: "outputTokens",
    slot: 2,
    partOf: null,
    needs: "nothing",
    label: "output",
    short: "output",
    description: "Output tokens, including reasoning.",
  },
  reasoning: {
    name: "reasoning",
    count: "reasoningTokens",
    slot: 7,
    partOf: "output",
    needs: "nothing",
    label: "reasoning",
    short: "reasoning",
    description: "Output tokens spent on reasoning.",
  },
} as const satisfies Record<string, KindRow>;

/** A kind's name in the code. */
export type TokenKind = keyof typeof tokenKinds;
export type PartKind = Exclude<TokenKind, Side>;
export type KindName = (typeof tokenKinds)[TokenKind]["name"];

/**
 * Counted tokens, a field a kind. `inputTokens` and `outputTokens` are whole sides; every other field is part of its side, and each token
 * is in one part at most.
 */
export type TokenCounts = Record<(typeof tokenKinds)[TokenKind]["count"], number>;

const rows = Object.entries(tokenKinds) as [TokenKind, (typeof tokenKinds)[TokenKind]][];

export const kinds: readonly TokenKind[] = rows.map(([kind]) => kind);
export const kindNames = rows.map(([, { name }]) => name);
export const kindLabels = Object.fromEntries(rows.map(([, { name, label }]) => [name, label])) as Record<KindName, string>;
/** A label that stands alone. */
export const kindTitle = (name: KindName): string => kindLabels[name].replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** The kinds that are part of a side, in the order of every list. */
export const partKinds = kinds.filter((kind): kind is PartKind => tokenKinds[kind].partOf !== null);

export const noTokens: Readonly<TokenCounts> = countsOf(() => 0);

/** Counts made kind by kind. */
export function countsOf(count: (kind: TokenKind) => number): TokenCounts {
  return Object.fromEntries(rows.map(([kind, { count: field }]) => [field, count(kind)])) as TokenCounts;
}

/** How many tokens are of this kind: of a side, those of none of its parts. */
export function tokensOfKind(usage: TokenCounts, kind: TokenKind): number {
  let tokens = usage[tokenKinds[kind].count];
  for (const part of partKinds) if (tokenKinds[part].partOf === kind) tokens -= usage[tokenKinds[part].count];
  return tokens;
}

/** The kind of a name in the API; undefined for any other text. */
export const kindNamed = (name: string): TokenKind | undefined => kinds.find((kind) => tokenKinds[kind].name === name);

/** The counts in the order of their slots, without the zeros at the end: as a charge keeps them. */
export function slotsOf(usage: TokenCounts): number[] {
  const slots: number[] = [];
  for (const [, { slot, count }] of rows) slots[slot - 1] = usage[count];
  while (slots.at(-1) === 0) slots.pop();
  return slots;
}

/** Reads what `slotsOf` wrote. */
export const countsInSlots = (slots: readonly number[]): TokenCounts => countsOf((kind) => slots[tokenKinds[kind].slot - 1] ?? 0);
