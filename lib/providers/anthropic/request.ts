// A model call in the words of Anthropic's messages. Tool definitions and image blocks belong here once they exist.

import type { ModelCall, WireRequest } from "../types";

export function buildAnthropicRequest(call: ModelCall, wireName: string, apiKey: string): WireRequest {
  const system = call.messages.filter(({ role }) => role === "system").map(({ content }) => content);
  return {
    path: "v1/messages",
    headers: { "content-type": "application/json", "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: wireName,
      max_tokens: call.maxOutputTokens,
      // There is no system role among the messages: wherever it stood, it comes first.
      system: system.length === 0 ? undefined : system.join("\n\n"),
      messages: call.messages.filter(({ role }) => role !== "system").map(({ role, content }) => ({ role, content })),
      temperature: takesTemperature(wireName) ? clampTemperature(call.temperature) : undefined,
      stream: call.stream || undefined,
    }),
  };
}

/**
 * Ours is 0 to 2 as at OpenAI, Anthropic's 0 to 1. The numbers mean the same up to 1, so they are kept and cut there:
 * halving them would change every answer that was asked for at 0.7 or 1.
 */
function clampTemperature(temperature: number | undefined): number | undefined {
  return temperature === undefined ? undefined : Math.min(temperature, 1);
}

/** From Claude Opus 4.7 on, a temperature is answered with 400: https://docs.anthropic.com/en/docs/about-claude/models/migration-guide */
function takesTemperature(wireName: string): boolean {
  const version = /claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(wireName);
  if (version === null) return true;
  const [, major, minor = "0"] = version;
  return Number(major) * 100 + Number(minor) < 407;
}
