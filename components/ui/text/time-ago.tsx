"use client";

import { useEffect, useState } from "react";
import { agoText, momentText } from "./time-text";

const EVERY_MS = 15_000;

interface TimeAgoProps {
  at: Date;
  /** The server's clock when the page was rendered, Unix milliseconds: the browser counts on from there. */
  nowMs: number;
}

/** How long ago something was, kept up to date; the exact time on hover. */
export function TimeAgo({ at, nowMs }: TimeAgoProps) {
  const [counted, setCounted] = useState({ from: nowMs, ms: 0 });
  useEffect(() => {
    // A browser's own clock may be wrong by hours; only its progress is used.
    const start = performance.now();
    const timer = setInterval(() => setCounted({ from: nowMs, ms: performance.now() - start }), EVERY_MS);
    return () => clearInterval(timer);
  }, [nowMs]);
  // A count that started from an older page does not apply to a newer one.
  const passed = counted.from === nowMs ? counted.ms : 0;
  return (
    <time dateTime={at.toISOString()} title={momentText(at)} className="whitespace-nowrap">
      {agoText(at, nowMs + passed)}
    </time>
  );
}
