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
  const [counted, setCounted] = useState({ from: nowMs, ms: 0 });
  useEffect(() => {
    // A browser's own clock may be wrong by hours; only how far it moves is used.
    const start = performance.now();
    const timer = setInterval(() => setCounted({ from: nowMs, ms: performance.now() - start }), EVERY_MS);
    return () => clearInterval(timer);
  }, [nowMs]);
  // What was counted from an older page says nothing about a newer one.
  const passed = counted.from === nowMs ? counted.ms : 0;
  return (
    <time dateTime={at.toISOString()} title={momentText(at)} className="whitespace-nowrap">
      {agoText(at, nowMs + passed)}
    </time>
  );
}
