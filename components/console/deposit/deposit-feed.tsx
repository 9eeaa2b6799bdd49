"use client";

import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { formatUsd } from "@/lib/base/money";
import type { DepositRow, DepositView } from "@/lib/console/views/deposit";
import { chainNames } from "../../ui/chain-names";
import { followView } from "./follow-view";

interface Feed {
  view: DepositView;
  isLive: boolean;
}

const FeedContext = createContext<Feed | null>(null);

/** The current view. @throws Error outside a DepositFeed */
export function useDepositFeed(): Feed {
  const feed = useContext(FeedContext);
  if (!feed) throw new Error("a live part of the deposit page stands inside a DepositFeed");
  return feed;
}

interface DepositFeedProps {
  /** The view that the server rendered. */
  initial: DepositView;
  /** The URL of the event stream. */
  url: string;
  children: ReactNode;
}

/** Keeps its view up to date, and announces changes to screen readers. */
export function DepositFeed({ initial, url, children }: DepositFeedProps) {
  const [latest, setLatest] = useState({ view: initial, news: "" });
  const [isLive, setLive] = useState(true);

  // Views arrive on the stream and with the page, when an action re-renders it: the later one counts.
  const take = useCallback((view: DepositView) => {
    setLatest((known) =>
      view === known.view || view.readAtMs < known.view.readAtMs ? known : { view, news: newsBetween(known.view, view) || known.news },
    );
  }, []);
  useEffect(() => take(initial), [take, initial]);
  useEffect(() => followView(url, { onView: take, onLive: setLive, onOver: () => window.location.reload() }), [url, take]);

  return (
    <FeedContext.Provider value={{ view: latest.view, isLive }}>
      {children}
      <p role="status" className="sr-only">
        {latest.news}
      </p>
    </FeedContext.Provider>
  );
}

/** What happened between two views, as sentences for screen readers; empty for nothing noteworthy, such as rising confirmations. */
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
