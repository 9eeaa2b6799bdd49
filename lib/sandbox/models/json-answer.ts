// Answers in JSON: where the request's format asks for it, or its system prompt does in words, as a gateway has to ask a model
// that knows no formats. A real model follows such words; this one knows the two sentences that are common.

import { sampleOf } from "./schema-sample";
import type { SimulatedCall } from "./vendor";

const IN_WORDS = /\bone JSON object and nothing else\b/i;
const SCHEMA_IN_WORDS = "JSON Schema: ";

/** The JSON text of an answer that would say `text` otherwise; null where no JSON is asked for. */
export function composeJson(call: SimulatedCall, text: string): string | null {
  const instructions = call.messages.filter(({ role }) => role === "system").map((message) => message.text);
  const schema = call.json?.schema ?? findSchema(instructions);
  if (schema !== undefined) return JSON.stringify(sampleOf(schema));
  const isAsked = call.json !== undefined || instructions.some((instruction) => IN_WORDS.test(instruction));
  return isAsked ? JSON.stringify({ answer: text }) : null;
}

/** The schema that an instruction ends with. */
function findSchema(instructions: readonly string[]): object | undefined {
  for (const instruction of instructions) {
    const at = instruction.lastIndexOf(SCHEMA_IN_WORDS);
    if (at === -1) continue;
    try {
      const schema: unknown = JSON.parse(instruction.slice(at + SCHEMA_IN_WORDS.length));
      if (typeof schema === "object" && schema !== null) return schema;
    } catch {
      // Words that only look like it.
    }
  }
  return undefined;
}
