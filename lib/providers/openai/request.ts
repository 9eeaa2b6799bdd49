// A model call in the words of chat completions. Tool definitions and image parts belong here once they exist.

import type { ModelCall, ProviderId, WireRequest } from "../types";

/** The request of one chat completion; `provider` decides between the two names of the output limit. */
export function buildOpenAIRequest(call: ModelCall, wireName: string, apiKey: string, provider: ProviderId): WireRequest {
  return {
    path: "chat/completions",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model: wireName,
      // `system` everywhere: OpenAI reads it as its newer `developer` role, which the compatible servers do not know.
      messages: call.messages.map(({ role, content }) => ({ role, content })),
      // OpenAI's reasoning models refuse `max_tokens`; DeepSeek and most compatible servers know nothing else.
      [provider === "openai" ? "max_completion_tokens" : "max_tokens"]: call.maxOutputTokens,
      temperature: takesTemperature(wireName) ? call.temperature : undefined,
      stream: call.stream || undefined,
      stream_options: call.stream ? { include_usage: true } : undefined,
    }),
  };
}

// OpenAI's reasoning models (o1, o3-mini, gpt-5, gpt-5.1 …, not gpt-5-chat) and its search previews answer 400 to any
// temperature but the default: https://platform.openai.com/docs/guides/reasoning. The customer is served without it.
const withoutTemperature = /^(?:.*\/)?(?:o\d+(?:-|$)|gpt-(?:[5-9]|\d\d)(?!-chat)(?:[.-]|$)|gpt-4o(?:-mini)?-search-preview)/;

function takesTemperature(wireName: string): boolean {
  return !withoutTemperature.test(wireName);
}
