// JSON answers: when the request's format requires it, or its system prompt does in words, as a gateway must for models without formats. A
// real model follows any such words; this one recognizes the two common sentences.

import { sampleOf } from "./schema-sample";
import type { SimulatedCall } from "./vendor";

const IN_WORDS = /\bone JSON object and nothing else\b/i;
const SCHEMA_IN_WORDS = "JSON Schema: ";

/** The JSON form of an answer with `text`; null when no JSON is requested. */
export function composeJson(call: SimulatedCall, text: string): string | null {
  const instructions = call.messages.filter(({ role }) => role === "system").map((message) => message.text);
  const schema = call.json?.schema ?? findSchema(instructions);
  if (schema !== undefined) return JSON.stringify(sampleOf(schema));
  const isAsked = call.json !== undefined || instructions.some((instruction) => IN_WORDS.test(instruction));
  return isAsked ? JSON.stringify({ answer: text }) : null;
}

/** The schema at the end of an instruction. */
function findSchema(instructions: readonly string[]): object | undefined {
  for (const instruction of instructions) {
    const at = instruction.lastIndexOf(SCHEMA_IN_WORDS);
    if (at === -1) continue;
    try {
      const schema: unknown = JSON.parse(instruction.slice(at + SCHEMA_IN_WORDS.length));
      if (typeof schema === "object" && schema !== null) return schema;
    } catch {
      // Not a schema after all.
    }
  }
  return undefined;
}
