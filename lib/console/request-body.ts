// The body of a request to one of our own endpoints, read only up to its limit.

import { readBoundedText } from "@/lib/base/bounded-text";

/** The text, or null when it is longer than `mostBytes`, is not UTF-8, or the client has gone. */
export async function readBodyText({ body }: Request, mostBytes: number): Promise<string | null> {
  if (!body) return "";
  try {
    return await readBoundedText(body, mostBytes);
  } catch {
    return null; // cut off, or not UTF-8
  }
}

/** The JSON of a request, or null when it is invalid or too long. */
export async function readBodyJson(request: Request, mostBytes: number): Promise<unknown> {
  const text = await readBodyText(request, mostBytes);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null; // the caller's schema refuses it
  }
}
