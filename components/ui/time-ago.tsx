"use client";

import { useEffect, useState } from "react";
import { agoText, momentText } from "./time-text";

const EVERY_MS = 15_000;

interface TimeAgoProps {
  at: Date;
  /** The server's clock when the page was made, Unix milliseconds: what the browser counts on from. */
  nowMs: number;
}

/** How long ago something was, kept up to date; the moment itself on hover. */
export function TimeAgo({ at, nowMs }: TimeAgoProps) {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    // A browser's own clock may be wrong by hours; only how far it moves is used.
    const start = performance.now();
    setPassed(0);
    const timer = setInterval(() => setPassed(performance.now() - start), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at.toISOString()} title={momentText(at)} className="whitespace-nowrap">
      {agoText(at, nowMs + passed)}
    </time>
  );
}
