// Sends a request of the reference to this service. The key goes into its header and nowhere else: it is kept in no storage, URL or log.

import { isJson, prettyJson } from "../../ui/text/pretty-json";
import type { TryItForm } from "./try-it-form";

/** The part of a body that is shown; the rest is read and dropped, since closing an answer early would not stop its charge. */
const MOST_SHOWN_CHARACTERS = 65_536;

export interface Filled {
  key: string;
  body: string;
  /** By the name of the field. */
  fields: Readonly<Record<string, string>>;
}

export interface TriedAnswer {
  status: number;
  ms: number;
  /** Those that matter, in order. */
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
  isCut: boolean;
  /** USD as the service wrote it; null for an answer that names no cost. */
  charged: string | null;
}

/** The path with its fields filled in. Optional fields that are empty are left out. */
export function urlOf({ path, fields }: Pick<TryItForm, "path" | "fields">, filled: Filled["fields"]): string {
  const query = new URLSearchParams();
  let url = path;
  for (const { name, place } of fields) {
    const value = (filled[name] ?? "").trim();
    if (place === "path") url = url.replace(`{${name}}`, value.split("/").map(encodeURIComponent).join("/"));
    else if (value !== "") query.set(name, value);
  }
  return query.size === 0 ? url : `${url}?${query}`;
}

/** Why the form cannot be sent, by field; empty when it can. */
export function problemsOf({ needsKey, body, fields }: TryItForm, filled: Filled): Record<string, string> {
  const problems: Record<string, string> = {};
  if (needsKey && !/^pp_[\x21-\x7e]+$/.test(filled.key.trim())) problems.key = "Enter an API key. It starts with pp_.";
  for (const { name, isRequired } of fields) if (isRequired && !filled.fields[name]?.trim()) problems[name] = `Enter ${name}.`;
  if (body !== null && !isJson(filled.body)) problems.body = "The body is not valid JSON.";
  return problems;
}

/** @throws Error when there is no answer: the connection failed, or `signal` was aborted */
export async function sendRequest(form: TryItForm, filled: Filled, signal: AbortSignal): Promise<TriedAnswer> {
  const startedAt = performance.now();
  const answer = await fetch(urlOf(form, filled.fields), {
    method: form.method,
    headers: {
      ...(form.needsKey && { authorization: `Bearer ${filled.key.trim()}` }),
      ...(form.body !== null && { "content-type": "application/json" }),
    },
    body: form.body === null ? null : filled.body,
    credentials: "omit",
    cache: "no-store",
    signal,
  });
  const { text, isCut, end } = await readText(answer);
  return {
    status: answer.status,
    ms: Math.round(performance.now() - startedAt),
    headers: shownHeaders.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
    body: isCut ? text : prettyJson(text),
    isCut,
    // A list of past requests has costs, too.
    charged: form.isCharged ? chargedOf(end) : null,
  };
}

const shownHeaders = ["Content-Type", "X-Request-Id", "RateLimit", "Retry-After", "X-Clipped-To", "X-Dropped-Tools", "Server-Timing"];

/** The beginning of the answer, and its end, where the cost is. */
async function readText(answer: Response): Promise<{ text: string; isCut: boolean; end: string }> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let [text, end, isCut] = ["", "", false];
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) return { text, isCut, end };
    const space = MOST_SHOWN_CHARACTERS - text.length;
    text += piece.value.slice(0, space);
    isCut ||= piece.value.length > space;
    end = (end + piece.value).slice(-MOST_SHOWN_CHARACTERS);
  }
}

/** The last cost in the answer, digit by digit: our own form's total, else that of a usage in another form. */
function chargedOf(text: string): string | null {
  const own = [...text.matchAll(/"totalCost":\s*([\d.]+)/g)].at(-1) ?? [...text.matchAll(/"cost":\s*([\d.]+)/g)].at(-1);
  return own?.[1] ?? null;
}
