// Ids and names of function calls. Gemini 3 refuses a call that is sent back without its thought signature, and OpenAI's clients send back
// only one text that is ours to choose, the id: the signature travels in it, as `<id>__thought__<signature in base64url>`. Documented at
// https://ai.google.dev/gemini-api/docs/thought-signatures.

import { randomBase62 } from "@/lib/base/ids";
import { hashOf, numbered, type WireCallId } from "../conversation/call-ids";
import type { Tool } from "../types";

// Only letters, digits, _ and -: Anthropic accepts no other in an id, should the conversation continue there.
const separator = "__thought__";
const RANDOM_DIGITS = 24;

/** The documented placeholder for a call without a signature: another model made it, or the customer did. */
export const noThoughtSignature = "skip_thought_signature_validator";

/**
 * True for models that sign their calls and refuse unsigned ones; an unknown name counts as a newer model. Earlier models sign too,
 * but need no signature back and may not know another generation's, so their signatures are dropped.
 */
export function isSinceGemini3(modelName: string): boolean {
  return /^gemini-(?![12](?:[.-]|$))/.test(modelName);
}

/** The id that the customer gets. `id` is Gemini's own, which only Gemini 3 and later send; `thoughtSignature` is base64. */
export function joinCallId(id: string | null | undefined, thoughtSignature: string | null | undefined): string {
  const own = id || `call_${randomBase62(RANDOM_DIGITS)}`;
  return thoughtSignature ? `${own}${separator}${Buffer.from(thoughtSignature, "base64").toString("base64url")}` : own;
}

/** The id of a call in a request, with its signature. Two that differ only in that are one to Gemini. */
export const geminiCallId: WireCallId = Object.assign(
  (callId: string, copy: number): string => {
    const end = callId.indexOf(separator);
    return end === -1 ? numbered(callId, copy) : numbered(callId.slice(0, end), copy) + callId.slice(end);
  },
  { sent: (wire: string): string => splitCallId(wire).id },
);

/** The parts of a customer's id; an id without a signature is returned unchanged. */
export function splitCallId(callId: string): { id: string; thoughtSignature?: string } {
  const end = callId.indexOf(separator);
  if (end === -1) return { id: callId };
  const thoughtSignature = Buffer.from(callId.slice(end + separator.length), "base64url").toString("base64");
  return { id: callId.slice(0, end), thoughtSignature: thoughtSignature || undefined };
}

// "Must start with a letter or an underscore" (ai.google.dev/api/caching#FunctionDeclaration); OpenAI's may start with a digit or a hyphen.
// Such a name gets an underscore in front, and so does a name that could be taken for the result.

const MAX_NAME_LENGTH = 64;
/** A name that would be too long with it is shortened, and told from others by its digest. */
const SHORTENED = "long_";
const KEPT_LETTERS = 40;
const DIGEST_LETTERS = 16;

/** A function's name as Gemini gets it. */
export function geminiName(name: string): string {
  if (!/^_*[0-9-]/.test(name)) return name;
  if (name.length < MAX_NAME_LENGTH) return `_${name}`;
  return `${SHORTENED}${name.slice(0, KEPT_LETTERS)}_${hashOf(name).slice(0, DIGEST_LETTERS)}`;
}

/** The customer's name of a function that Gemini calls. */
export const ownName = (name: string): string => (/^_+[0-9-]/.test(name) ? name.slice(1) : name);

/** The same of a name that was too long: it is among those of the request's functions. */
export function ownLongName(name: string, tools: readonly Pick<Tool, "name">[]): string {
  if (!name.startsWith(SHORTENED) || tools.some((tool) => tool.name === name)) return name;
  return tools.find((tool) => geminiName(tool.name) === name)?.name ?? name;
}
