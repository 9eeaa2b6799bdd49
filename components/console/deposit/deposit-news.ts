"use client";

// News about deposits while their page is open.

import { useEffect, useRef, useState } from "react";
import { toast } from "sonner";
import { chainName } from "@/lib/base/chains";
import { formatUsd } from "@/lib/base/money";
import type { DepositRow, DepositView } from "@/lib/console/views/deposit";

/** The toast about a deposit that is on its way. */
export const DEPOSIT_TOAST = "deposit";

/** The latest news as sentences for screen readers. A credited deposit also replaces the toast about it. */
export function useDepositNews(view: DepositView): string {
  const [news, setNews] = useState("");
  const known = useRef(view);
  useEffect(() => {
    const before = known.current;
    known.current = view;
    setNews((last) => newsBetween(before, view) || last);
    const [credited] = changedRows(before, view).filter(({ state }) => state === "credited");
    if (credited) toast.success(`${formatUsd(credited.amount)} is in your balance.`, { id: DEPOSIT_TOAST });
  }, [view]);
  return news;
}

function changedRows(before: DepositView, after: DepositView): DepositRow[] {
  const known = new Map(before.deposits.map(({ id, state }) => [id, state]));
  return after.deposits.filter(({ id, state }) => known.get(id) !== state);
}

/** The news between two views, as sentences; empty for nothing noteworthy, such as rising confirmations. */
export function newsBetween(before: DepositView, after: DepositView): string {
  const known = new Set(before.deposits.map(({ id }) => id));
  const sentences = changedRows(before, after).flatMap((row) => sentenceOf(row, known.has(row.id)));
  if (sentences.length === 0) return "";
  return before.available === after.available ? sentences.join(" ") : `${sentences.join(" ")} Available: ${formatUsd(after.available)}.`;
}

function sentenceOf({ amount, chain, state }: DepositRow, wasThere: boolean): string[] {
  const what = `${formatUsd(amount)} on ${chainName(chain)}`;
  switch (state) {
    case "seen":
      return [`${what} was seen.`];
    case "confirming":
      return wasThere ? [] : [`${what} was seen.`];
    case "credited":
      return [`${what} was credited.`];
    case "below_minimum":
      return [`${what} is confirmed, but below the minimum.`];
    case "reversed":
      return [`${what} was reversed.`];
  }
}
