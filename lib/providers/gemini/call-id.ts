// Ids of function calls. Gemini 3 refuses a call that comes back without its thought signature, and of what OpenAI's clients
// hand back only the id is ours to fill: the signature travels in it, as `<id>__thought__<signature in base64url>`.
// Documented at https://ai.google.dev/gemini-api/docs/thought-signatures.

import { randomBase62 } from "@/lib/base/ids";

// Letters, digits, _ and - are all that Anthropic takes in an id, should the conversation go on there.
const separator = "__thought__";
const RANDOM_DIGITS = 24;

/** The documented stand-in for the signature of a call that has none: another model made it, or the customer did. */
export const noThoughtSignature = "skip_thought_signature_validator";

/**
 * The models that sign their calls and refuse them unsigned; an unknown name counts as a newer one. Those before sign them
 * too, but need no signature back and may not know another generation's, so that theirs are left out.
 */
export function isSinceGemini3(modelName: string): boolean {
  return /^gemini-(?![12](?:[.-]|$))/.test(modelName);
}

/** The id that the customer gets. `id` is Gemini's own, which only Gemini 3 and later send; `thoughtSignature` is base64. */
export function joinCallId(id: string | null | undefined, thoughtSignature: string | null | undefined): string {
  const own = id || `call_${randomBase62(RANDOM_DIGITS)}`;
  return thoughtSignature ? `${own}${separator}${Buffer.from(thoughtSignature, "base64").toString("base64url")}` : own;
}

/** The parts of a customer's id; one that no signature was joined to comes back as it is. */
export function splitCallId(callId: string): { id: string; thoughtSignature?: string } {
  const end = callId.indexOf(separator);
  if (end === -1) return { id: callId };
  const thoughtSignature = Buffer.from(callId.slice(end + separator.length), "base64url").toString("base64");
  return { id: callId.slice(0, end), thoughtSignature: thoughtSignature || undefined };
}
