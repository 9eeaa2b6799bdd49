// Times as text. Days and hours are UTC, as in the books: the server and every browser write the same.

const day = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `21 Nov 2026` */
export const dayText = (at: Date): string => day.format(at).replace("Sept", "Sep");

/** `21 Nov 2026, 10:31 UTC` */
export const momentText = (at: Date): string => `${dayText(at)}, ${clock.format(at)} UTC`;

/** `just now`, `2 min ago`, `3 h ago`, `yesterday`, `12 days ago`, and after a month the day. */
export function agoText(at: Date, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - at.getTime()) / 1_000);
  if (seconds < MINUTE) return "just now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  if (seconds < 2 * DAY) return "yesterday";
  if (seconds < 30 * DAY) return `${Math.floor(seconds / DAY)} days ago`;
  return dayText(at);
}
