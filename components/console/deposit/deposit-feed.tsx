"use client";

import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import type { DepositView } from "@/lib/console/views/deposit";
import { newsBetween } from "./deposit-news";
import { followView } from "./follow-view";

interface Feed {
  view: DepositView;
  isLive: boolean;
}

const FeedContext = createContext<Feed | null>(null);

/** The view as it is now. @throws Error outside a DepositFeed */
export function useDepositFeed(): Feed {
  const feed = useContext(FeedContext);
  if (!feed) throw new Error("a live part of the deposit page stands inside a DepositFeed");
  return feed;
}

interface DepositFeedProps {
  /** As the page was made. */
  initial: DepositView;
  /** Where its changes come from. */
  url: string;
  children: ReactNode;
}

/** Keeps what it holds up to date, and says aloud what happened. */
export function DepositFeed({ initial, url, children }: DepositFeedProps) {
  const [latest, setLatest] = useState({ view: initial, news: "" });
  const [isLive, setLive] = useState(true);

  // Views come on the stream and with the page, when an action makes it anew: the later one counts.
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
