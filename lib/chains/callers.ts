// Whose calls a node is asked for. Those that pages choose have clients of their own: their failures say nothing about a node that deposits
// and payouts need, and their answers are small.

export type UsedBy = "ours" | "pages";

/** The largest answer that we read from a node, in bytes. Our own calls list deposits of many accounts; a page asks about one wallet. */
export const mostAnswerBytes: Readonly<Record<UsedBy, number>> = { ours: 16 * 1_048_576, pages: 262_144 };

/**
 * The largest receipt that we read for ourselves: of a transaction that spends Base's 17 million gas on empty logs alone, four times. A block is
 * read by its receipts when nothing else reads it, so none may be too large.
 */
export const mostReceiptBytes = 64 * 1_048_576;
