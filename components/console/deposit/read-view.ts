// Parses the deposit page's view from the stream: amounts are whole nano-USD as text, times ISO 8601.

import type { DepositRow, DepositView } from "@/lib/console/views/deposit";

type Written<Of> = {
  [Name in keyof Of]: Of[Name] extends bigint
    ? string
    : Of[Name] extends Date
      ? string
      : Of[Name] extends Date | null
        ? string | null
        : Of[Name];
};

type WrittenView = Written<Omit<DepositView, "deposits" | "uncredited">> & {
  deposits: Written<DepositRow>[];
  uncredited: Written<DepositView["uncredited"]>;
};

/** @throws SyntaxError for anything else */
export function readView(text: string): DepositView {
  const { deposits, available, uncredited, ...view } = JSON.parse(text) as WrittenView;
  return {
    ...view,
    available: BigInt(available),
    deposits: deposits.map((row) => ({
      ...row,
      amount: BigInt(row.amount),
      seenAt: new Date(row.seenAt),
      creditedAt: row.creditedAt === null ? null : new Date(row.creditedAt),
    })),
    uncredited: { base: BigInt(uncredited.base), solana: BigInt(uncredited.solana) },
  };
}
