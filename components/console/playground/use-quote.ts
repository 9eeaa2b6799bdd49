"use client";

import { useEffect, useState } from "react";
import type { PromptFields } from "./code-lines";
import { fetchPrice, type PlaygroundEndpoints, type RunQuote } from "./run-request";

const TYPING_PAUSE_MS = 500;

/**
 * The price of the form's prompt, fetched when typing pauses; null while there is none. A new `version` fetches it again: the balance
 * has changed.
 */
export function useQuote(endpoints: PlaygroundEndpoints, fields: PromptFields | null, version: number): RunQuote | null {
  const [quote, setQuote] = useState<RunQuote | null>(null);
  const body = fields && JSON.stringify(fields);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` triggers a refetch; the page's endpoints never changes
  useEffect(() => {
    if (body === null) return setQuote(null);
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        setQuote(await fetchPrice(endpoints, JSON.parse(body) as PromptFields, stop.signal));
      } catch {
        // Typing went on, or the service is unreachable: the run itself will report that.
      }
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [body, version]);
  return quote;
}
