// A model call in the words of Gemini's generateContent. Tool declarations and image parts belong here once they exist.

import type { ModelCall, WireRequest } from "../types";

export function buildGeminiRequest(call: ModelCall, wireName: string, apiKey: string): WireRequest {
  const system = call.messages.filter(({ role }) => role === "system");
  const method = call.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return {
    path: `v1beta/models/${encodeURIComponent(wireName)}:${method}`,
    headers: { "content-type": "application/json", "x-goog-api-key": apiKey },
    body: JSON.stringify({
      // There is no system role among the contents: wherever it stood, it comes first.
      systemInstruction: system.length === 0 ? undefined : { parts: system.map(({ content }) => ({ text: content })) },
      contents: call.messages
        .filter(({ role }) => role !== "system")
        .map(({ role, content }) => ({ role: role === "assistant" ? "model" : "user", parts: [{ text: content }] })),
      // The limit covers thoughts too. Temperature is 0 to 2, as ours.
      generationConfig: { maxOutputTokens: call.maxOutputTokens, temperature: call.temperature },
    }),
  };
}
