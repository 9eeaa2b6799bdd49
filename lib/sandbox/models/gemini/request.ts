// Reads a generateContent request as strictly as Google does: a field that the protocol buffer does not have is refused.
// Source: ai.google.dev/api/generate-content.

import { z } from "zod/mini";
import { firstIssue } from "../schema-issue";
import type { CallReading, SimulatedMessage, VendorEndpoint } from "../vendor";

const unread = z.optional(z.unknown());

const part = z.strictObject({
  text: z.optional(z.string()),
  thought: z.optional(z.boolean()),
  thoughtSignature: z.optional(z.string()),
  inlineData: unread,
  fileData: unread,
  functionCall: unread,
  functionResponse: unread,
  executableCode: unread,
  codeExecutionResult: unread,
  videoMetadata: unread,
});
const parts = z.array(part).check(z.minLength(1));
const instruction = z.optional(z.strictObject({ role: z.optional(z.string()), parts }));

const generationConfig = z.strictObject({
  maxOutputTokens: z.optional(z.int().check(z.minimum(1))),
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(2))),
  topP: z.optional(z.number()),
  topK: z.optional(z.number()),
  candidateCount: z.optional(z.int()),
  stopSequences: z.optional(z.array(z.string())),
  seed: z.optional(z.int()),
  presencePenalty: z.optional(z.number()),
  frequencyPenalty: z.optional(z.number()),
  responseMimeType: z.optional(z.string()),
  responseSchema: unread,
  responseJsonSchema: unread,
  responseModalities: unread,
  responseLogprobs: z.optional(z.boolean()),
  logprobs: z.optional(z.int()),
  thinkingConfig: z.optional(
    z.strictObject({
      thinkingBudget: z.optional(z.int()),
      thinkingLevel: z.optional(z.string()),
      includeThoughts: z.optional(z.boolean()),
    }),
  ),
  speechConfig: unread,
  mediaResolution: unread,
  imageConfig: unread,
});

const request = z.strictObject({
  contents: z.array(z.strictObject({ role: z.optional(z.enum(["user", "model"])), parts })).check(z.minLength(1)),
  systemInstruction: instruction,
  system_instruction: instruction,
  generationConfig: z.optional(generationConfig),
  safetySettings: z.optional(z.array(z.unknown())),
  tools: z.optional(z.array(z.unknown())),
  toolConfig: unread,
  cachedContent: z.optional(z.string()),
  labels: unread,
});

/** Reads the body of `POST …/models/{model}:generateContent`; model and stream stand in the URL. */
export function readGeminiCall(body: unknown, endpoint: VendorEndpoint): CallReading {
  const parsed = request.safeParse(body);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
  const { contents, generationConfig: config, systemInstruction, system_instruction } = parsed.data;
  const system = systemInstruction ?? system_instruction;
  const turns: SimulatedMessage[] = contents.map((content) => ({
    role: content.role === "model" ? "assistant" : "user",
    text: textOf(content.parts),
  }));
  return {
    call: {
      model: endpoint.model ?? "",
      stream: endpoint.stream ?? false,
      messages: system === undefined ? turns : [{ role: "system", text: textOf(system.parts) }, ...turns],
      maxOutputTokens: config?.maxOutputTokens,
      temperature: config?.temperature,
      wantsUsage: true,
    },
  };
}

const textOf = (given: readonly { text?: string }[]): string => given.map(({ text }) => text ?? "").join("");
