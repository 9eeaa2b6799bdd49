// What happened between two views, in words for those who hear the page.

import { formatUsd } from "@/lib/base/money";
import type { DepositRow, DepositView } from "@/lib/console/views/deposit";
import { chainNames } from "../../ui/chain-names";

/** Empty when nothing did that is worth a sentence: confirmations that count up are not. */
export function newsBetween(before: DepositView, after: DepositView): string {
  const known = new Map(before.deposits.map(({ id, state }) => [id, state]));
  const sentences = after.deposits.filter(({ id, state }) => known.get(id) !== state).flatMap((row) => sentenceOf(row, known.has(row.id)));
  if (sentences.length === 0) return "";
  return before.available === after.available ? sentences.join(" ") : `${sentences.join(" ")} Available: ${formatUsd(after.available)}.`;
}

function sentenceOf({ amount, chain, state }: DepositRow, wasThere: boolean): string[] {
  const what = `${formatUsd(amount)} on ${chainNames[chain]}`;
  switch (state) {
    case "seen":
      return [`${what} was seen.`];
    case "confirming":
      return wasThere ? [] : [`${what} was seen.`];
    case "credited":
      return [`${what} is credited.`];
    case "below_minimum":
      return [`${what} is confirmed and below the minimum.`];
    case "reversed":
      return [`${what} is reversed.`];
  }
}
