// Texts that are made of all pages are the same for everybody until the catalogue changes, which it does at midnight UTC: each is written
// once a day, so that no stranger can keep the process busy with them.

import { DAY_MS, nowMs } from "@/lib/base/clock";
import { processSingleton } from "@/lib/base/process-singleton";

const texts = processSingleton("texts of the docs", () => new Map<string, { day: number; text: string }>());

/** The text of this name; `write` is called when there is none of today. Names come from our own lists, never from a request. */
export function onceADay(name: string, write: () => string): string {
  const day = Math.floor(nowMs() / DAY_MS);
  const kept = texts().get(name);
  if (kept?.day === day) return kept.text;
  const text = write();
  texts().set(name, { day, text });
  return text;
}
