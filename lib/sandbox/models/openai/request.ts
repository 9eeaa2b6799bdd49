// Reads a chat completions request as strictly as OpenAI does. xAI and DeepSeek take the same form, but ignore fields that
// they do not know.
// Source: platform.openai.com/docs/api-reference/chat/create, docs.x.ai, api-docs.deepseek.com.

import { z } from "zod/mini";
import { firstIssue, type SchemaIssue } from "../schema-issue";
import type { CallReading, SimulatedMessage } from "../vendor";

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const otherPart = z.looseObject({ type: z.enum(["image_url", "input_audio", "file", "refusal"]) });
const content = z.union([z.string(), z.array(z.union([textPart, otherPart]))]);

// An assistant that called tools may have said nothing; everybody else has to say something.
const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["system", "developer", "user", "tool"]), content, name: z.optional(z.string()) }),
  z.looseObject({ role: z.literal("assistant"), content: z.nullish(content), name: z.optional(z.string()) }),
]);

const positive = z.nullish(z.int().check(z.minimum(1)));
const penalty = z.nullish(z.number().check(z.minimum(-2), z.maximum(2)));

const fields = {
  model: z.string(),
  messages: z.array(message).check(z.minLength(1)),
  stream: z.nullish(z.boolean()),
  stream_options: z.nullish(z.looseObject({ include_usage: z.optional(z.boolean()) })),
  max_tokens: positive,
  max_completion_tokens: positive,
  temperature: z.nullish(z.number().check(z.minimum(0), z.maximum(2))),
  top_p: z.nullish(z.number().check(z.minimum(0), z.maximum(1))),
  n: positive,
  stop: z.nullish(z.union([z.string(), z.array(z.string())])),
  seed: z.nullish(z.int()),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  user: z.optional(z.string()),
  logprobs: z.nullish(z.boolean()),
  top_logprobs: z.nullish(z.int().check(z.minimum(0), z.maximum(20))),
  reasoning_effort: z.nullish(z.string()),
  service_tier: z.nullish(z.string()),
  store: z.nullish(z.boolean()),
  parallel_tool_calls: z.optional(z.boolean()),
};

/** Taken without a look inside: nothing here acts on them. */
const openaiOnly = [
  "audio",
  "function_call",
  "functions",
  "logit_bias",
  "metadata",
  "modalities",
  "prediction",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "response_format",
  "safety_identifier",
  "tool_choice",
  "tools",
  "verbosity",
  "web_search_options",
] as const;
const unread = Object.fromEntries(openaiOnly.map((name) => [name, z.optional(z.unknown())]));

const strictRequest = z.strictObject({ ...unread, ...fields });
const lenientRequest = z.looseObject(fields);
type ChatRequest = z.infer<typeof lenientRequest>;

const REASONING_MODEL = /^(o\d|gpt-5(?!.*-chat))/;

/** Reads the body of `POST …/chat/completions` at OpenAI itself. */
export function readOpenaiCall(body: unknown): CallReading {
  const parsed = strictRequest.safeParse(body);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
  const issue = reasoningModelIssue(parsed.data);
  return issue === null ? toCall(parsed.data) : { refusal: { kind: "invalid", issue } };
}

/** Reads the same body at a vendor that ignores unknown fields. */
export function readCompatibleCall(body: unknown): CallReading {
  const parsed = lenientRequest.safeParse(body);
  return parsed.success ? toCall(parsed.data) : { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
}

// OpenAI's reasoning models refuse the older limit and any temperature but 1, where its other models take both.
function reasoningModelIssue(request: ChatRequest): SchemaIssue | null {
  if (!REASONING_MODEL.test(request.model)) return null;
  if (typeof request.max_tokens === "number") {
    return { path: ["max_tokens"], kind: "bad_value", expected: "max_completion_tokens", received: request.max_tokens };
  }
  if (typeof request.temperature === "number" && request.temperature !== 1) {
    return { path: ["temperature"], kind: "bad_value", expected: "default", received: request.temperature };
  }
  return null;
}

function toCall(request: ChatRequest): CallReading {
  const stream = request.stream ?? false;
  return {
    call: {
      model: request.model,
      stream,
      messages: request.messages.map(toMessage),
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
      temperature: request.temperature ?? undefined,
      wantsUsage: !stream || request.stream_options?.include_usage === true,
    },
  };
}

function toMessage({ role, content: given }: ChatRequest["messages"][number]): SimulatedMessage {
  const text = typeof given === "string" ? given : (given ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
  if (role === "system" || role === "developer") return { role: "system", text };
  return { role: role === "assistant" ? "assistant" : "user", text };
}
