// Shared by the API's listings: parsing their query, the number of rows per page, and cursors from page to page.

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
 * Parses a query string, in which each name may occur once.
 * @throws AppError INVALID_REQUEST
 */
export function readQuery<Shape extends z.ZodRawShape>(text: string, schema: z.ZodObject<Shape>): z.infer<z.ZodObject<Shape>> {
  // A plus sign in a query means a space. No value here has a space, and every unescaped UTC offset has a plus.
  const params = new URLSearchParams(text.replaceAll("+", "%2B"));
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const name of params.keys()) (once.has(name) ? twice : once).add(name);
  if (twice.size > 0) throw invalidRequest([...twice].map((name) => ({ path: name.slice(0, 64), message: "appears twice. Send it once" })));
  const parsed = parseGiven(schema, Object.fromEntries(params));
  if (!parsed.success) throw invalidRequest(readIssues(parsed.error, Object.keys(schema.shape)));
  return parsed.data;
}

// A cursor is not secret: whatever it says, its reader sees only the requesting account.

export const writeCursor = (cursor: object): string => Buffer.from(JSON.stringify(cursor)).toString("base64url");

/** Null when it does not match the schema. */
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
