"use client";

import { useSyncExternalStore } from "react";

const shapes = {
  /** `21 Nov 2026, 10:31` */
  minute: { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  /** `21 Nov, 10:31`: where the year is obvious. */
  short: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  /** `21 Nov 2026, 10:31:07 UTC`, with the zone. */
  exact: {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  },
  /** `21 Nov 2026` */
  day: { day: "numeric", month: "short", year: "numeric" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

interface LocalTimeProps {
  at: Date;
  shape?: keyof typeof shapes;
}

/** A time in the reader's own zone; in UTC until the browser has hydrated. The exact time, in UTC, is its title. */
export function LocalTime({ at, shape = "minute" }: LocalTimeProps) {
  const text = useSyncExternalStore(
    subscribeToNothing,
    () => timeText(at, shape),
    () => timeText(at, shape, "UTC"),
  );
  return (
    <time dateTime={at.toISOString()} title={at.toISOString()} className="whitespace-nowrap">
      {text}
    </time>
  );
}

const subscribeToNothing = () => () => undefined;

/** British order and months, independent of the reader's language: the page around it is English. */
function timeText(at: Date, shape: keyof typeof shapes, timeZone?: string): string {
  return new Intl.DateTimeFormat("en-GB", { ...shapes[shape], timeZone }).format(at).replace(/\bSept\b/, "Sep");
}
