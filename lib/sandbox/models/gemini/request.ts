// Reads a generateContent request as strictly as Google does: fields that its protocol buffer lacks are refused.
// Source: ai.google.dev/api/generate-content.

import { z } from "zod/mini";
import { firstIssue } from "../schema-issue";
import type { CallReading, VendorEndpoint } from "../vendor";
import { contents, findContentRule, instruction, textOf, toSimulatedMessages } from "./contents";
import { findToolRule, protoSchema, readTools, toolConfig, tools } from "./tools";

const unread = z.optional(z.unknown());
const penalty = z.optional(z.number().check(z.minimum(-2), z.maximum(2)));

const generationConfig = z.strictObject({
  maxOutputTokens: z.optional(z.int().check(z.minimum(1))),
  temperature: z.optional(z.number().check(z.minimum(0), z.maximum(2))),
  topP: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  topK: z.optional(z.number()),
  candidateCount: z.optional(z.int()),
  stopSequences: z.optional(z.array(z.string()).check(z.maxLength(5))),
  seed: z.optional(z.int().check(z.minimum(-(2 ** 31)), z.maximum(2 ** 31 - 1))),
  presencePenalty: penalty,
  frequencyPenalty: penalty,
  responseMimeType: z.optional(z.enum(["text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum"])),
  responseSchema: z.optional(protoSchema),
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
  contents,
  systemInstruction: z.optional(instruction),
  system_instruction: z.optional(instruction),
  generationConfig: z.optional(generationConfig),
  safetySettings: z.optional(z.array(z.unknown())),
  tools: z.optional(tools),
  toolConfig: z.optional(toolConfig),
  cachedContent: z.optional(z.string()),
  labels: unread,
});

/** Reads the body of `POST …/models/{model}:generateContent`; the URL names the model and whether to stream. */
export function readGeminiCall(body: unknown, endpoint: VendorEndpoint): CallReading {
  const parsed = request.safeParse(body);
  if (!parsed.success) return { refusal: { kind: "invalid", issue: firstIssue(parsed.error, body) } };
  const { data } = parsed;
  const model = endpoint.model ?? "";
  const rule = findToolRule(data, model) ?? findContentRule(data.contents, model);
  if (rule !== null) return { refusal: { kind: "broken_rule", ...rule } };
  const { generationConfig: config } = data;
  const system = data.systemInstruction ?? data.system_instruction;
  const turns = data.contents.flatMap((content) =>
    toSimulatedMessages(content, config?.mediaResolution === "MEDIA_RESOLUTION_LOW" ? "low" : "high"),
  );
  return {
    call: {
      model,
      stream: endpoint.stream ?? false,
      messages: system === undefined ? turns : [{ role: "system", text: textOf(system.parts) }, ...turns],
      maxOutputTokens: config?.maxOutputTokens,
      temperature: config?.temperature,
      ...readTools(data),
      stop: config?.stopSequences ?? [],
      wantsUsage: true,
    },
  };
}
