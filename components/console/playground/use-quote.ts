"use client";

import { useEffect, useMemo, useState } from "react";
import { fetchPrice, type PlaygroundEndpoints, type RunBody, type RunQuote } from "./run-request";

const TYPING_PAUSE_MS = 500;

interface UseQuoteOptions {
  endpoints: PlaygroundEndpoints;
  /** Null while there is nothing to price. */
  fields: RunBody | null;
  /** A new version fetches the price again: the balance has changed. */
  version: number;
  onQuote: (quote: RunQuote) => void;
}

/** The price of the form's prompt, fetched when typing pauses; null while there is none. `isCurrent` is false while one is awaited. */
export function useQuote({ endpoints, fields, version, onQuote }: UseQuoteOptions): { quote: RunQuote | null; isCurrent: boolean } {
  const [priced, setPriced] = useState<{ body: string; quote: RunQuote } | null>(null);
  const body = useMemo(() => fields && JSON.stringify(fields), [fields]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` triggers a refetch; endpoints and callback never change
  useEffect(() => {
    if (body === null) return setPriced(null);
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const quote = await fetchPrice(endpoints, JSON.parse(body) as RunBody, stop.signal);
        setPriced(quote && { body, quote });
        if (quote) onQuote(quote);
      } catch {
        // Typing went on, or the service is unreachable: the run itself will report that.
      }
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [body, version]);
  return { quote: priced?.quote ?? null, isCurrent: priced?.body === body };
}
