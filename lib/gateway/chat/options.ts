// The options of a chat completion that shape its answer: how it is drawn, how much the model thinks, and the form of the answer. An option
// that would change the meaning of a call and is not supported is refused, with the cure.

import { z } from "zod";
import { type SamplingField, type SamplingOptions, samplingOptions } from "@/lib/providers/sampling";
import type { CallOptions, ReasoningOptions, ResponseFormat } from "@/lib/providers/types";
import { between, effortFault, reasoningEffort, refusedField } from "../http/dialect-fields";
import { jsonObject } from "../http/json-object";
import { functionName } from "./tools";

const responseFormat = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text") }),
    z.object({ type: z.literal("json_object") }),
    z.object({
      type: z.literal("json_schema"),
      json_schema: z.object({
        name: functionName,
        description: z.string().nullish(),
        schema: jsonObject.nullish(),
        strict: z.boolean().nullish(),
      }),
    }),
  ],
  "must be text, json_object or json_schema",
);

const thinkingTokens = z.int("must be a whole number").min(0, "must be at least 0").nullish();

const isEmpty = (value: unknown): boolean => typeof value === "object" && value !== null && Object.keys(value).length === 0;
const isText = (value: unknown): boolean => Array.isArray(value) && value.every((one) => one === "text");

/** Fields that ask for something no model here does: they are refused, with the cure. */
export const refusedOptions = {
  logprobs: refusedField("is not supported. Remove it"),
  top_logprobs: refusedField("is not supported. Remove it", (value) => value === 0),
  logit_bias: refusedField("is not supported. Remove it", isEmpty),
  modalities: refusedField("must contain only text. Audio output is not supported", isText),
  audio: refusedField("is not supported, because models here don't return audio. Remove it"),
  web_search_options: refusedField("is not supported. Send a function that searches instead"),
  moderation: refusedField("is not supported. Remove it"),
  functions: refusedField("is deprecated. Use tools instead"),
  function_call: refusedField("is deprecated. Use tool_choice instead"),
};

export const optionFields = {
  response_format: responseFormat.nullish(),
  /** `default` is Groq's word for what the model does by itself: console.groq.com/docs/reasoning. */
  reasoning_effort: z.union([reasoningEffort, z.literal("default")], effortFault).nullish(),
  /** OpenRouter's form: openrouter.ai/docs/guides/best-practices/reasoning-tokens. */
  reasoning: z.object({ effort: reasoningEffort.nullish(), max_tokens: thinkingTokens, enabled: z.boolean().nullish() }).nullish(),
  /** Anthropic's form, which LiteLLM and DeepSeek take in chat completions as well. */
  /** Z.ai's has no type where only `clear_thinking` is set: docs.z.ai/guides/capabilities/thinking-mode. */
  thinking: z.object({ type: z.enum(["enabled", "adaptive", "disabled"]).nullish(), budget_tokens: thinkingTokens }).nullish(),
  verbosity: z.enum(["low", "medium", "high"], "must be low, medium or high").nullish(),
  ...refusedOptions,
};

/** A number of each row of samplingRows. */
export const samplingFields = Object.fromEntries(
  samplingOptions.map(([, { field, least, most }]) => [field, between(least, most).nullish()]),
) as Record<SamplingField, z.ZodOptional<z.ZodNullable<z.ZodNumber>>>;

const fields = z.object({ ...samplingFields, ...optionFields });

type OptionFields = z.infer<typeof fields>;

export const readAnswerOptions = (
  body: OptionFields,
): Pick<CallOptions, "responseFormat" | "reasoning" | "verbosity"> & SamplingOptions => ({
  responseFormat: readFormat(body.response_format),
  reasoning: readReasoning(body),
  verbosity: body.verbosity ?? undefined,
  ...readSampling(body),
});

function readSampling(body: OptionFields): SamplingOptions {
  const sampling: SamplingOptions = {};
  for (const [option, { field }] of samplingOptions) sampling[option] = body[field] ?? undefined;
  return sampling;
}

/** OpenAI's own field counts before the others'. */
function readReasoning({ reasoning_effort, reasoning, thinking }: OptionFields): ReasoningOptions | undefined {
  if (reasoning_effort && reasoning_effort !== "default") return { effort: reasoning_effort };
  if (reasoning) {
    const mode = reasoning.enabled === false ? "off" : reasoning.enabled ? "on" : undefined;
    const wanted = { mode, effort: reasoning.effort ?? undefined, budgetTokens: reasoning.max_tokens ?? undefined } as const;
    return Object.values(wanted).some((value) => value !== undefined) ? wanted : undefined;
  }
  if (!thinking?.type) return undefined;
  return { mode: thinking.type === "disabled" ? "off" : "on", budgetTokens: thinking.budget_tokens ?? undefined };
}

function readFormat(format: OptionFields["response_format"]): ResponseFormat | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json_object" };
  const { name, description, schema, strict } = format.json_schema;
  return { type: "json_schema", name, description: description ?? undefined, schema: schema ?? {}, strict: strict ?? undefined };
}
