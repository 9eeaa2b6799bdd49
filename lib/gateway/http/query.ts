// What the listings of the API have in common: how their query is read, how many rows a page has, and cursors from page to page.

import { z } from "zod";
import { invalidRequest, parseGiven, readIssues } from "./request";

const MAX_ROWS = 1_000;

/** `limit`: rows on a page. */
export const rowLimit = z
  .string()
  .refine((text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= MAX_ROWS, `must be a whole number from 1 to ${MAX_ROWS}`)
  .transform(Number)
  .default(100);

/**
 * The query of an address, each name once.
 * @throws AppError INVALID_REQUEST
 */
export function readQuery<Shape extends z.ZodRawShape>(text: string, schema: z.ZodObject<Shape>): z.infer<z.ZodObject<Shape>> {
  // A plus sign means a blank there, which nothing here has and every offset from UTC that was not escaped.
  const params = new URLSearchParams(text.replaceAll("+", "%2B"));
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const name of params.keys()) (once.has(name) ? twice : once).add(name);
  if (twice.size > 0)
    throw invalidRequest([...twice].map((name) => ({ path: name.slice(0, 64), message: "is given twice; write it once" })));
  const parsed = parseGiven(schema, Object.fromEntries(params));
  if (!parsed.success) throw invalidRequest(readIssues(parsed.error, Object.keys(schema.shape)));
  return parsed.data;
}

// A cursor is no secret: its reader sees nothing but the account that asks, whatever it says.

export const writeCursor = (cursor: object): string => Buffer.from(JSON.stringify(cursor)).toString("base64url");

/** Null when it is none of these. */
export function readCursor<Cursor>(text: string, schema: z.ZodType<Cursor>): Cursor | null {
  const parsed = schema.safeParse(parseJson(Buffer.from(text, "base64url").toString()));
  return parsed.success ? parsed.data : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the schema refuses it
  }
}
