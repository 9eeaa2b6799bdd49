// Reads a messages request as strictly as Anthropic does: unknown fields, empty text and a missing limit are refused.
// Source: docs.anthropic.com/en/api/messages, docs.anthropic.com/en/api/versioning.

import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod/mini";
import { firstIssue } from "../schema-issue";
import type { CallReading } from "../vendor";

const textBlock = z.strictObject({
  type: z.literal("text"),
  text: z.string().check(z.minLength(1)),
  cache_control: z.optional(z.unknown()),
  citations: z.optional(z.unknown()),
});
const otherBlock = z.looseObject({
  type: z.enum(["image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result", "search_result"]),
});
const content = z.union([z.string().check(z.minLength(1)), z.array(z.union([textBlock, otherBlock])).check(z.minLength(1))]);

const request = z.strictObject({
  model: z.string().check(z.minLength(1)),
  messages: z.array(z.strictObject({ role: z.enum(["user", "assistant"]), content })).check(z.minLength(1)),
  max_tokens: z.int().check(z.minimum(1)),
  system: z.optional(z.union([z.string(), z.array(textBlock)])),
  stream: z.optional(z.boolean()),
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  top_p: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  top_k: z.optional(z.int().check(z.minimum(0))),
  stop_sequences: z.optional(z.array(z.string())),
  metadata: z.optional(z.strictObject({ user_id: z.nullish(z.string()) })),
  service_tier: z.optional(z.enum(["auto", "standard_only"])),
  thinking: z.optional(z.looseObject({ type: z.enum(["enabled", "disabled", "adaptive"]) })),
  tools: z.optional(z.array(z.unknown())),
  tool_choice: z.optional(z.unknown()),
  output_config: z.optional(z.unknown()),
  container: z.optional(z.unknown()),
  context_management: z.optional(z.unknown()),
  mcp_servers: z.optional(z.unknown()),
});
type Content = string | readonly { type: string; text?: unknown }[];

/** Reads the body of `POST /v1/messages`. */
export function readAnthropicCall(body: unknown, headers: IncomingHttpHeaders): CallReading {
  if (headers["anthropic-version"] === undefined) {
    return {
      refusal: {
        kind: "invalid",
        issue: { path: ["anthropic-version"], kind: "bad_value", expected: "header is required", received: undefined },
      },
    };
  }
  const parsed = request.safeParse(body);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
  const { model, max_tokens, messages, stream, system, temperature } = parsed.data;
  return {
    call: {
      model,
      stream: stream ?? false,
      messages: [
        ...(system === undefined ? [] : [{ role: "system" as const, text: textOf(system) }]),
        ...messages.map((message) => ({ role: message.role, text: textOf(message.content) })),
      ],
      maxOutputTokens: max_tokens,
      temperature,
      wantsUsage: true,
    },
  };
}

function textOf(content: Content): string {
  return typeof content === "string" ? content : content.map((block) => (typeof block.text === "string" ? block.text : "")).join("");
}
