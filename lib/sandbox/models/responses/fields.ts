// The fields of a Responses request, with types and limits. Source: platform.openai.com/docs/api-reference/responses/create (read
// 2026-11-26), and error bodies quoted in public issue threads of its clients.

import { z } from "zod/mini";

const text = z.nullish(z.string());
const MIN_OUTPUT_TOKENS = 16;
const LONGEST_ID = 64;
const id = z.optional(z.nullable(z.string().check(z.maxLength(LONGEST_ID))));
const callId = z.string().check(z.minLength(1), z.maxLength(LONGEST_ID));
const status = z.nullish(z.enum(["in_progress", "completed", "incomplete"]));

const inputPart = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("input_text"), text: z.string() }),
  z.looseObject({
    type: z.literal("input_image"),
    image_url: z.optional(z.string()),
    detail: z.optional(z.enum(["auto", "low", "high", "original"])),
  }),
  z.looseObject({ type: z.literal("input_file") }),
]);
const outputPart = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("output_text"), text: z.string() }),
  z.looseObject({ type: z.literal("refusal"), refusal: z.string() }),
]);

const asked = z.strictObject({
  type: z.literal("message"),
  role: z.enum(["user", "system", "developer"]),
  content: z.union([z.string(), z.array(inputPart)]),
  id,
  status,
});
const answered = z.strictObject({
  type: z.literal("message"),
  role: z.literal("assistant"),
  content: z.union([z.string(), z.array(outputPart)]),
  id,
  status,
  phase: z.nullish(z.enum(["commentary", "final_answer"])),
});
const name = z.string().check(z.regex(/^[a-zA-Z0-9_-]{1,128}$/));
const output = z.union([z.string(), z.array(inputPart)]);

const item = z.discriminatedUnion("type", [
  z.discriminatedUnion("role", [asked, answered]),
  z.strictObject({ type: z.literal("function_call"), call_id: callId, name, arguments: z.string(), id, status }),
  z.strictObject({ type: z.literal("function_call_output"), call_id: callId, output, id, status }),
  z.strictObject({ type: z.literal("custom_tool_call"), call_id: callId, name, input: z.string(), id, status }),
  z.strictObject({ type: z.literal("custom_tool_call_output"), call_id: callId, output, id }),
  z.strictObject({
    type: z.literal("reasoning"),
    id,
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
    content: z.nullish(z.array(z.looseObject({ type: z.literal("reasoning_text"), text: z.string() }))),
    encrypted_content: text,
    status,
  }),
]);

export type ResponsesItem = z.infer<typeof item>;

const schema = z.record(z.string(), z.unknown());
const functionTool = z.strictObject({
  type: z.literal("function"),
  name,
  description: text,
  parameters: z.nullable(schema),
  strict: z.nullish(z.boolean()),
});
const customTool = z.strictObject({
  type: z.literal("custom"),
  name,
  description: z.optional(z.string()),
  format: z.optional(
    z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("text") }),
      z.strictObject({ type: z.literal("grammar"), syntax: z.enum(["lark", "regex"]), definition: z.string() }),
    ]),
  ),
});
const namedTool = z.strictObject({ type: z.enum(["function", "custom"]), name: z.string() });

const textFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({ type: z.literal("json_schema"), name, description: text, schema, strict: z.nullish(z.boolean()) }),
]);

/** Accepted without validation: nothing here acts on them. */
const unread = Object.fromEntries(
  [
    "background",
    "max_tool_calls",
    "metadata",
    "prompt_cache_retention",
    "safety_identifier",
    "service_tier",
    "stream_options",
    "top_logprobs",
    "truncation",
    "user",
  ].map((field) => [field, z.optional(z.unknown())]),
);

const fields = {
  prompt_cache_key: z.nullish(z.string()),
  prompt_cache_options: z.nullish(z.looseObject({ mode: z.optional(z.enum(["implicit", "explicit"])) })),
  model: z.string(),
  input: z.union([z.string(), z.array(item).check(z.minLength(1))]),
  instructions: text,
  store: z.nullish(z.boolean()),
  include: z.nullish(z.array(z.enum(["reasoning.encrypted_content", "message.output_text.logprobs"]))),
  max_output_tokens: z.nullish(z.int().check(z.minimum(MIN_OUTPUT_TOKENS))),
  temperature: z.nullish(z.number().check(z.minimum(0), z.maximum(2))),
  top_p: z.nullish(z.number().check(z.minimum(0), z.maximum(1))),
  reasoning: z.nullish(
    z.strictObject({
      effort: z.nullish(z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"])),
      summary: z.nullish(z.enum(["auto", "concise", "detailed"])),
      context: z.nullish(z.enum(["auto", "current_turn", "all_turns"])),
    }),
  ),
  tools: z.nullish(z.array(z.discriminatedUnion("type", [functionTool, customTool]))),
  tool_choice: z.nullish(z.union([z.enum(["none", "auto", "required"]), namedTool])),
  parallel_tool_calls: z.nullish(z.boolean()),
  text: z.nullish(z.strictObject({ format: z.optional(textFormat), verbosity: z.nullish(z.enum(["low", "medium", "high"])) })),
  stream: z.nullish(z.boolean()),
  previous_response_id: text,
};

export const responsesRequest = z.strictObject({ ...unread, ...fields });
const common = z.object(fields);
export type ResponsesRequest = z.infer<typeof common>;

/** A message may leave its type out; the other items have one. */
export function withItemTypes(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("input" in body) || !Array.isArray(body.input)) return body;
  const isMessage = (given: unknown) => typeof given === "object" && given !== null && "role" in given && !("type" in given);
  return { ...body, input: body.input.map((given: unknown) => (isMessage(given) ? { type: "message", ...(given as object) } : given)) };
}
