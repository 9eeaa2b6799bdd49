// The form of an answer: Anthropic's structured outputs where the model and the schema allow it, words in the system prompt
// elsewhere (https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs). There is no mode for "any JSON".

import type { ResponseFormat } from "../types";
import { takesOutputFormat } from "./abilities";
import { narrowSchema } from "./schema";

interface OutputFormat {
  output_config?: { format: { type: "json_schema"; schema: Record<string, unknown> } };
  /** For the system prompt. */
  instruction?: string;
}

const jsonOnly = "Answer with one JSON object and nothing else: no code fence, no words before or after it.";

/** The format's name is left out, which Anthropic does not know; its description goes into the schema. */
export function anthropicOutputFormat(format: ResponseFormat | undefined, wireName: string): OutputFormat {
  if (format === undefined) return {};
  if (format.type === "json_object") return { instruction: jsonOnly };
  const schema = format.description === undefined ? format.schema : { description: format.description, ...format.schema };
  const narrowed = takesOutputFormat(wireName) ? narrowSchema(schema) : undefined;
  if (narrowed !== undefined) return { output_config: { format: { type: "json_schema", schema: narrowed } } };
  return { instruction: `${jsonOnly} It follows this JSON Schema: ${JSON.stringify(schema)}` };
}
