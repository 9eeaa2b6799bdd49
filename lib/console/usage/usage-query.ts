// The usage page's URL parameters. The page and the export of its rows read them the same way.

import { z } from "zod";
import { DAY_MS, nowMs } from "@/lib/base/clock";
import { type Split, splits } from "@/lib/ledger/usage-summary";
import { type RequestStatus, statuses } from "../views/failures";

/** The `key` of charges without a key: the playground's. */
export const PLAYGROUND = "playground";
/** Spans to choose with one click, in days up to today. */
export const presets = [7, 30, 90] as const;
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

/** Where a page of the table begins: older or newer than a request in the listing identified by `mark`. */
export interface UsageCursor {
  direction: "older" | "newer";
  requestId: string;
  mark: bigint;
}

export interface UsageQuery {
  /** The first and the last day, UTC: `2026-01-31`. */
  fromDay: string;
  toDay: string;
  /** The preset that these days match, in days up to today. */
  preset: (typeof presets)[number] | null;
  model: string | null;
  /** A key id or `PLAYGROUND`. */
  key: string | null;
  split: Split;
  /** Which requests the table lists. */
  status: RequestStatus;
  /** For refused and failed requests: the last row of the previous page. */
  before: string | null;
  cursor: UsageCursor | null;
  /** Excludes newer charges, as the page did whose rows are exported. */
  mark: bigint | null;
  /** Which parameters were ignored, for the reader. */
  problem: string | null;
}

export type UsageParams = Readonly<Record<string, string | string[] | undefined>>;

const markText = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform(BigInt);
const requestId = z.string().regex(/^req_[0-9A-Za-z]{20}$/);
const cursor = z.templateLiteral([requestId, ".", z.string().regex(/^\d{1,18}$/)]);

const schema = z.object({
  // The years that PostgreSQL and Date both support.
  from: z.iso
    .date()
    .refine((day) => day >= "1970-01-01")
    .optional(),
  to: z.iso
    .date()
    .refine((day) => day >= "1970-01-01")
    .optional(),
  days: z.enum(["7", "30", "90"]).transform(Number).optional(),
  model: z
    .string()
    .regex(/^[\x21-\x7e]{1,100}$/)
    .optional(),
  key: z.union([z.literal(PLAYGROUND), z.string().regex(/^key_[0-9A-Za-z]{20}$/)]).optional(),
  by: z.enum(splits).optional(),
  status: z.enum(statuses).optional(),
  before: requestId.optional(),
  older: cursor.optional(),
  newer: cursor.optional(),
  mark: markText.optional(),
});

/** Reads the URL; unreadable parameters are ignored and named in `problem`. */
export function readUsageQuery(params: UsageParams): UsageQuery {
  const given: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const value = params[name];
    const text = Array.isArray(value) ? value[0] : value;
    if (text) given[name] = text; // an empty field is not a filter
  }
  const parsed = schema.safeParse(given);
  const faulty = parsed.success ? [] : [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))];
  for (const name of faulty) delete given[name];
  const accepted = parsed.success ? parsed.data : schema.parse(given);
  const days = readDays(accepted);
  return {
    ...days,
    model: accepted.model ?? null,
    key: accepted.key ?? null,
    split: accepted.by ?? "day",
    status: accepted.status ?? "charged",
    before: accepted.before ?? null,
    cursor: readCursor(accepted),
    mark: accepted.mark ?? null,
    problem: faulty.length > 0 ? `Ignored an invalid filter in the URL: ${faulty.join(", ")}.` : days.problem,
  };
}

type Days = Pick<UsageQuery, "fromDay" | "toDay" | "preset" | "problem">;

/** Both days are in the span. With only one of them the other is 30 days away, or today. */
function readDays({ from, to, days }: z.infer<typeof schema>): Days {
  const today = dayOf(nowMs());
  const toDay = to ?? today;
  const fromDay = from ?? addDays(toDay, 1 - (days ?? DEFAULT_DAYS));
  const count = (Date.parse(toDay) - Date.parse(fromDay)) / DAY_MS + 1;
  const preset = toDay === today ? (presets.find((length) => length === count) ?? null) : null;
  const instead = { fromDay: addDays(today, 1 - DEFAULT_DAYS), toDay: today, preset: DEFAULT_DAYS } as const;
  if (count < 1) return { ...instead, problem: "The start date is after the end date. Showing the last 30 days instead." };
  if (count > MAX_DAYS) return { ...instead, problem: `Choose at most ${MAX_DAYS} days. Showing the last 30 days instead.` };
  return { fromDay, toDay, preset, problem: null };
}

function readCursor({ older, newer }: z.infer<typeof schema>): UsageCursor | null {
  const [id, mark] = (older ?? newer ?? "").split(".");
  if (!id || !mark) return null;
  return { direction: older ? "older" : "newer", requestId: id, mark: BigInt(mark) };
}

/** The UTC day of a time. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day `count` days later. */
export const addDays = (day: string, count: number): string => dayOf(Date.parse(day) + count * DAY_MS);
