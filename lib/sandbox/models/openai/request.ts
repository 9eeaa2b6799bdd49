// Reads a chat completions request as strictly as OpenAI does. xAI and DeepSeek accept the same format, but ignore unknown fields, and have
// other rules.

import { firstIssue } from "../schema-issue";
import type { BrokenRule, CallReading } from "../vendor";
import { type ChatRequest, lenientRequest, strictRequest } from "./fields";
import { findOpenaiMessageRule, findOrderRule, toSimulatedMessage } from "./messages";
import { findDeepseekRule, findReasoningRule, findXaiRule } from "./model-rules";
import { findJsonModeRule, findToolRule, readTools } from "./tools";

/** Reads the body of `POST …/chat/completions` at OpenAI. */
export function readOpenaiCall(body: unknown): CallReading {
  const parsed = strictRequest.safeParse(body);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
  return toReading(parsed.data, findReasoningRule(parsed.data) ?? findOpenaiMessageRule(parsed.data.messages));
}

/** Reads the same body at xAI. */
export function readXaiCall(body: unknown): CallReading {
  const parsed = lenientRequest.safeParse(body);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
  return toReading(parsed.data, findXaiRule(parsed.data));
}

/** Reads the same body at DeepSeek, which sends usage with every stream, requested or not. */
export function readDeepseekCall(body: unknown): CallReading {
  const parsed = lenientRequest.safeParse(body);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
  const reading = toReading(parsed.data, findDeepseekRule(parsed.data));
  return "call" in reading ? { call: { ...reading.call, wantsUsage: true } } : reading;
}

/** OpenAI's cache is off when only breakpoints may write and there are none; DeepSeek and OpenAI keep scopes apart. */
function readCacheWishes({ prompt_cache_options, prompt_cache_key, user_id }: ChatRequest) {
  return { isOff: prompt_cache_options?.mode === "explicit", scope: user_id ?? prompt_cache_key ?? undefined };
}

function toReading(request: ChatRequest, ownRule: BrokenRule | null): CallReading {
  const simulated = request.messages.map(toSimulatedMessage);
  const texts = simulated.map(({ text }) => text);
  const rule = ownRule ?? findToolRule(request) ?? findOrderRule(request.messages) ?? findJsonModeRule(request.response_format, texts);
  if (rule !== null) return { refusal: { kind: "broken_rule", ...rule } };
  const stream = request.stream ?? false;
  return {
    call: {
      model: request.model,
      stream,
      messages: simulated,
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
      temperature: request.temperature ?? undefined,
      ...readTools(request),
      stop: [request.stop ?? []].flat(),
      cache: readCacheWishes(request),
      wantsUsage: !stream || request.stream_options?.include_usage === true,
    },
  };
}
