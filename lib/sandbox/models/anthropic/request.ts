// Reads a messages request as strictly as Anthropic does: unknown fields, empty text and a missing limit are refused.
// Source: docs.anthropic.com/en/api/messages, docs.anthropic.com/en/api/versioning.

import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod/mini";
import { firstIssue } from "../schema-issue";
import type { BrokenRule, CallReading } from "../vendor";
import { readCacheWishes } from "./cache-marks";
import { findMessageRule, findThoughtlessTurn, findThoughtRule, messages, textBlock, textOf, toSimulatedMessages } from "./messages";
import { findModelRule, thinksByBudget } from "./model-rules";
import { findFormatRule, findToolRule, outputConfig, outputFormat, readTools, toolChoice, tools } from "./tools";

const unread = z.optional(z.unknown());

const request = z.strictObject({
  model: z.string().check(z.minLength(1)),
  messages,
  max_tokens: z.int().check(z.minimum(1)),
  system: z.optional(z.union([z.string(), z.array(textBlock)])),
  stream: z.optional(z.boolean()),
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  top_p: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  top_k: z.optional(z.int().check(z.minimum(0))),
  stop_sequences: z.optional(z.array(z.string())),
  metadata: z.optional(z.strictObject({ user_id: z.nullish(z.string()) })),
  service_tier: z.optional(z.enum(["auto", "standard_only"])),
  thinking: z.optional(z.looseObject({ type: z.enum(["enabled", "disabled", "adaptive", "between_tools"]) })),
  tools: z.optional(tools),
  tool_choice: z.optional(toolChoice),
  output_config: z.optional(outputConfig),
  output_format: z.nullish(outputFormat),
  cache_control: unread,
  container: unread,
  context_management: unread,
  inference_geo: unread,
  mcp_servers: unread,
});

/** A count takes the fields that the input is made of. */
const countRequest = z.extend(
  z.omit(request, { stream: true, temperature: true, top_p: true, top_k: true, stop_sequences: true, metadata: true, service_tier: true }),
  { max_tokens: z.optional(z.undefined()) },
);

/** Reads the body of `POST /v1/messages`, or of a count of its tokens. */
export function readAnthropicCall(body: unknown, headers: IncomingHttpHeaders, isCount: boolean): CallReading {
  if (headers["anthropic-version"] === undefined) {
    return {
      refusal: {
        kind: "invalid",
        issue: { path: ["anthropic-version"], kind: "bad_value", expected: "header is required", received: undefined },
      },
    };
  }
  const parsed = isCount ? countRequest.safeParse(body) : request.safeParse(body);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
  const data: RequestFields = parsed.data;
  const rule =
    findModelRule(data) ??
    findToolRule(data) ??
    findFormatRule(data) ??
    findStopRule(data.stop_sequences) ??
    findMessageRule(data.messages) ??
    findThoughtRule(data.messages, data.model) ??
    (thinksByBudget(data.thinking) ? findThoughtlessTurn(data.messages) : null);
  if (rule !== null) return { refusal: { kind: "broken_rule", ...rule } };
  const byMessage = data.messages.map(toSimulatedMessages);
  const spoken = byMessage.flat();
  return {
    call: {
      model: data.model,
      stream: data.stream ?? false,
      messages: data.system === undefined ? spoken : [{ role: "system", text: textOf(data.system) }, ...spoken],
      maxOutputTokens: data.max_tokens,
      temperature: data.temperature,
      ...readTools(data),
      stop: data.stop_sequences ?? [],
      cache: readCacheWishes(
        data,
        byMessage.map(({ length }) => length),
      ),
      wantsUsage: true,
    },
  };
}

type RequestFields = Omit<z.infer<typeof request>, "max_tokens"> & { max_tokens?: number | undefined };

function findStopRule(sequences: readonly string[] = []): BrokenRule | null {
  const isBlank = sequences.some((sequence) => sequence.trim() === "");
  return isBlank ? { message: "stop_sequences: each stop sequence must contain non-whitespace" } : null;
}
