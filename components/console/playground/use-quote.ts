"use client";

import { useEffect, useState } from "react";
import type { PromptFields } from "./code-lines";
import { fetchPrice, type PlaygroundDoor, type RunQuote } from "./run-request";

const TYPING_PAUSE_MS = 500;

/**
 * The price of what is in the form, asked for when the typing pauses; null while there is none. `version` asks anew: the balance
 * has changed.
 */
export function useQuote(door: PlaygroundDoor, fields: PromptFields | null, version: number): RunQuote | null {
  const [quote, setQuote] = useState<RunQuote | null>(null);
  const body = fields && JSON.stringify(fields);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `version` is there to ask anew; the door is the page's own for good
  useEffect(() => {
    if (body === null) return setQuote(null);
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        setQuote(await fetchPrice(door, JSON.parse(body) as PromptFields, stop.signal));
      } catch {
        // Typed on, or out of reach: the run itself will say so.
      }
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [body, version]);
  return quote;
}
