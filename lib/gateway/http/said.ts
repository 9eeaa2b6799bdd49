// A request's remarks about itself in a vendor's dialect, kept with its charge. They are read from the body as it was sent, since a field
// of a form that nobody can keep is ignored. Nothing of it reaches a provider.

import { isUtf8 } from "node:buffer";
import type { Said } from "@/lib/ledger/commit/codec";
import { isRecord } from "@/lib/providers/wire-value";
import type { GatewayRequest } from "./request";

/** In OpenAI's dialects; `sent` is the body. */
export function saidToOpenAI(request: GatewayRequest, sent: unknown): Said {
  const { metadata, safety_identifier, user } = recordOf(sent);
  return {
    tag: readTitle(request) ?? readText(recordOf(metadata).tag),
    endUser: readText(safety_identifier) ?? readText(user),
  };
}

/** In Anthropic's dialect; `sent` is the body. */
export function saidToAnthropic(request: GatewayRequest, sent: unknown): Said {
  return { tag: readTitle(request), endUser: readText(recordOf(recordOf(sent).metadata).user_id) };
}

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** The name of the calling application, in the two headers that clients of OpenRouter send: openrouter.ai/docs/app-attribution. */
const readTitle = ({ headers }: GatewayRequest): string | null =>
  readHeader(headers["x-title"]) ?? readHeader(headers["x-openrouter-title"]);

/** Node reads the bytes of a header as Latin-1; most clients write UTF-8. */
function readHeader(value: string | undefined): string | null {
  if (value === undefined) return null;
  const bytes = Buffer.from(value, "latin1");
  return readText(isUtf8(bytes) ? bytes.toString("utf8") : value);
}

/** As PostgreSQL's length() counts them: code points. */
const MAX_CHARACTERS = 64;
/** No more of a text is looked at. */
const MAX_UNITS_READ = 4_096;

/**
 * Null for an empty text, and for a value that is no text. The result shares no memory with the body, which must not stay as long as an
 * answer takes.
 */
function readText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value
    .slice(0, MAX_UNITS_READ)
    .toWellFormed()
    .replace(/\p{Cc}/gu, "")
    .trim();
  return Array.from(text).slice(0, MAX_CHARACTERS).join("").trimEnd() || null;
}
