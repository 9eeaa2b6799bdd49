// The fields of a chat completions request, with types and limits. Source: platform.openai.com/docs/api-reference/chat/create, docs.x.ai,
// api-docs.deepseek.com.

import { z } from "zod/mini";
import { messages } from "./messages";
import { lenientTools, responseFormat, strictTools, type ToolFields, toolChoice } from "./tools";

const positive = z.nullish(z.int().check(z.minimum(1)));
const penalty = z.nullish(z.number().check(z.minimum(-2), z.maximum(2)));
const MAX_STOPS = 4;

const fields = {
  model: z.string(),
  messages,
  stream: z.nullish(z.boolean()),
  stream_options: z.nullish(z.looseObject({ include_usage: z.optional(z.boolean()) })),
  max_tokens: positive,
  max_completion_tokens: positive,
  temperature: z.nullish(z.number().check(z.minimum(0), z.maximum(2))),
  top_p: z.nullish(z.number().check(z.minimum(0), z.maximum(1))),
  n: positive,
  stop: z.nullish(z.union([z.string(), z.array(z.string()).check(z.maxLength(MAX_STOPS))])),
  seed: z.nullish(z.int()),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  user: z.optional(z.string()),
  logprobs: z.nullish(z.boolean()),
  top_logprobs: z.nullish(z.int().check(z.minimum(0), z.maximum(20))),
  reasoning_effort: z.nullish(z.string()),
  service_tier: z.nullish(z.string()),
  store: z.nullish(z.boolean()),
  tool_choice: z.nullish(toolChoice),
  parallel_tool_calls: z.nullish(z.boolean()),
  response_format: z.nullish(responseFormat),
  prompt_cache_options: z.nullish(z.looseObject({ mode: z.optional(z.enum(["implicit", "explicit"])) })),
  prompt_cache_key: z.nullish(z.string()),
};

/** Accepted without validation: nothing here acts on them. */
const openaiOnly = [
  "audio",
  "function_call",
  "functions",
  "logit_bias",
  "metadata",
  "modalities",
  "prediction",
  "prompt_cache_retention",
  "safety_identifier",
  "verbosity",
  "web_search_options",
] as const;
const unread = Object.fromEntries(openaiOnly.map((name) => [name, z.optional(z.unknown())]));

/** OpenAI's own schema. */
export const strictRequest = z.strictObject({ ...unread, ...fields, tools: z.nullish(strictTools) });
/** The schema of the vendors that ignore unknown fields. */
export const lenientRequest = z.looseObject({
  ...fields,
  tools: z.nullish(lenientTools),
  thinking: z.nullish(z.looseObject({ type: z.string() })),
  user_id: z.nullish(z.string()),
});

const common = z.object(fields);

/** A request parsed by either. */
export interface ChatRequest extends z.infer<typeof common> {
  tools?: ToolFields["tools"];
  thinking?: { type: string } | null;
  /** DeepSeek's. */
  user_id?: string | null;
}
