// Reads a generateContent request. Gemini 3 and later sign the first call of a turn, and require the signature back.
// Source: ai.google.dev/api/generate-content, ai.google.dev/gemini-api/docs/function-calling,
// ai.google.dev/gemini-api/docs/thought-signatures, and error bodies quoted in public issue threads of its clients.

import { findToolProblem } from "../tool-order";
import type { SimulatedCall, SimulatedImage, SimulatedMessage, ToolChoice, VendorEndpoint } from "../vendor";

interface Part {
  text?: string;
  inlineData?: { data: string };
  functionCall?: { name: string; args?: object };
  functionResponse?: { response: Record<string, unknown> };
  thoughtSignature?: string;
}

interface Content {
  role?: string;
  parts: Part[];
}

interface GenerateRequest {
  contents: Content[];
  systemInstruction?: Content;
  generationConfig?: {
    maxOutputTokens?: number;
    temperature?: number;
    stopSequences?: string[];
    responseMimeType?: string;
    responseSchema?: unknown;
    responseJsonSchema?: unknown;
    mediaResolution?: string;
  };
  tools?: { functionDeclarations?: { name: string; description?: string; parameters?: unknown; parametersJsonSchema?: unknown }[] }[];
  toolConfig?: { functionCallingConfig?: { mode?: string; allowedFunctionNames?: string[] } };
}

/** Reads the body of `POST …/models/{model}:generateContent`; the URL names the model and whether to stream. */
export function readGeminiCall(body: unknown, { model = "", stream = false }: VendorEndpoint): SimulatedCall | string {
  const request = body as GenerateRequest;
  const { contents, systemInstruction: system, generationConfig: config = {} } = request;
  const detail = config.mediaResolution === "MEDIA_RESOLUTION_LOW" ? "low" : "high";
  const turns = contents.flatMap((content, index) => toSimulatedMessages(content, index, detail));
  const problem = findToolProblem(turns) ?? (isSigned(model) ? findUnsigned(contents) : null);
  if (problem !== null) return problem;
  const functions = (request.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  return {
    model,
    stream,
    messages: system === undefined ? turns : [{ role: "system", text: textOf(system.parts) }, ...turns],
    maxOutputTokens: config.maxOutputTokens,
    temperature: config.temperature,
    tools: functions.map(({ name, description, parameters, parametersJsonSchema }) => {
      return { name, description, parameters: parametersJsonSchema ?? parameters };
    }),
    toolChoice: readChoice(request.toolConfig?.functionCallingConfig),
    parallelToolCalls: true,
    stop: config.stopSequences ?? [],
    json: config.responseMimeType === "application/json" ? { schema: config.responseJsonSchema ?? config.responseSchema } : undefined,
    wantsUsage: true,
  };
}

function readChoice({ mode, allowedFunctionNames: names }: { mode?: string; allowedFunctionNames?: string[] } = {}): ToolChoice {
  if (mode === "ANY") return { mode: "required", names };
  return { mode: mode === "NONE" ? "none" : "auto", names };
}

export const isSigned = (model: string): boolean => /^gemini-(?![12](?:[.-]|$))/.test(model);

// Only the current turn is checked: everything after the user's last text.
function findUnsigned(contents: readonly Content[]): string | null {
  const start = contents.findLastIndex(({ role, parts }) => role !== "model" && parts.some(({ text }) => text !== undefined));
  for (const { parts } of contents.slice(Math.max(start, 0))) {
    const first = parts.find(({ functionCall }) => functionCall);
    if (first && !first.thoughtSignature) return `Function call is missing a thought_signature in functionCall parts.`;
  }
  return null;
}

/** One message for each function response and one for the rest, in order. Calls and responses belong together by their place in a turn. */
function toSimulatedMessages({ role, parts }: Content, turn: number, detail: "low" | "high"): SimulatedMessage[] {
  const responses = parts.flatMap(({ functionResponse }) => (functionResponse ? [readResult(functionResponse.response)] : []));
  const results = responses.map((text, index): SimulatedMessage => ({ role: "tool", text, callId: `${turn - 1}/${index}` }));
  const others = parts.filter(({ functionResponse }) => functionResponse === undefined);
  if (others.length === 0) return results;
  const calls = others.flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
  const toolCalls = calls.map(({ name, args = {} }, index) => ({ id: `${turn}/${index}`, name, arguments: JSON.stringify(args) }));
  const images = others.flatMap(({ inlineData }): SimulatedImage[] => (inlineData ? [{ data: inlineData.data, detail }] : []));
  const speaker = role === "model" ? "assistant" : "user";
  return [...results, { role: speaker, text: textOf(others), images, ...(toolCalls.length > 0 && { toolCalls }) }];
}

// `output` is the documented field for a result that is not an object.
function readResult(response: Record<string, unknown>): string {
  const [first, ...others] = Object.keys(response);
  return first === "output" && others.length === 0 && typeof response.output === "string" ? response.output : JSON.stringify(response);
}

const textOf = (parts: readonly Part[]): string => parts.map(({ text }) => text ?? "").join("");
