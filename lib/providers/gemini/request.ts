// A model call as a request to Gemini's generateContent, documented at https://ai.google.dev/api/generate-content.

import type { ImagePart } from "../conversation/images";
import { type ChatMessage, contentText, type Content as MessageContent } from "../conversation/messages";
import { isBlankText, normaliseConversation } from "../conversation/normalise";
import { shapeRules } from "../conversation/shape-rules";
import { imagesOf } from "../image-bound/bound";
import { type MediaResolution, mediaResolution } from "../image-bound/gemini";
import { hasImages, wireBody } from "../image-bound/wire-images";
import type { ModelCall, ResponseFormat, Tool, ToolChoice, WireRequest } from "../types";
import { readJsonObject } from "../wire-value";
import { geminiCallId, geminiName, isSinceGemini3, noThoughtSignature, splitCallId } from "./call-id";
import { GeminiSchemas } from "./schema";
import { geminiThinking } from "./thinking";

export function buildGeminiRequest(call: ModelCall, wireName: string, apiKey: string): WireRequest {
  const messages = normaliseConversation(call.messages, shapeRules.gemini, geminiCallId);
  const system = messages.filter(({ role }) => role === "system");
  const method = call.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const { tools, toolChoice, responseFormat } = functionsAndFormat(call, wireName);
  const schemas = new GeminiSchemas();
  return {
    path: `v1beta/models/${encodeURIComponent(wireName)}:${method}`,
    headers: { "content-type": "application/json", "x-goog-api-key": apiKey },
    ...wireBody(
      JSON.stringify({
        // Gemini has no system role among the contents.
        systemInstruction: system.length === 0 ? undefined : { parts: system.map(({ content }) => ({ text: contentText(content) })) },
        contents: geminiContents(messages, wireName),
        tools: tools && [{ functionDeclarations: tools.map((tool) => functionDeclaration(tool, schemas)) }],
        toolConfig: tools && toolConfig(tools, toolChoice),
        generationConfig: {
          ...samplingConfig(call),
          ...formatConfig(responseFormat, schemas),
          thinkingConfig: geminiThinking(call, wireName),
          ...mediaConfig(call.messages),
        },
      }),
      call.messages,
    ),
  };
}

/**
 * Gemini has no field for `parallelToolCalls`. It has penalties, but the models answer 400 "Penalty is not enabled for this model" to
 * any but 0 (https://github.com/google-gemini/cookbook/issues/1290): the customer is served without them.
 */
function samplingConfig({ maxOutputTokens, temperature, topP, topK, seed, stop }: ModelCall): Record<string, unknown> {
  return {
    // The limit includes thoughts. Temperature is 0 to 2, as ours.
    maxOutputTokens,
    temperature,
    topP,
    topK: topK || undefined,
    // Gemini's seed has 32 bits; the low bits of a longer one are as good.
    seed: seed === undefined ? undefined : seed | 0,
    // At most five; OpenAI accepts four.
    stopSequences: stop?.length ? stop : undefined,
  };
}

/** Plain JSON Schema has its own field; `responseSchema` accepts a part of OpenAPI's and refuses unknown keywords. */
function formatConfig(format: ResponseFormat | undefined, schemas: GeminiSchemas): Record<string, unknown> {
  if (format === undefined) return {};
  return {
    responseMimeType: "application/json",
    responseJsonSchema: format.type === "json_schema" ? schemas.of(format.schema) : undefined,
  };
}

/** As with the response format: `parameters` would be OpenAPI's, and refuse `additionalProperties` and `$schema`. */
function functionDeclaration({ name, description, parameters }: Tool, schemas: GeminiSchemas): Record<string, unknown> {
  return { name: geminiName(name), description, parametersJsonSchema: parameters && schemas.of(parameters) };
}

/** https://ai.google.dev/api/caching#FunctionCallingConfig */
function toolConfig(tools: readonly Tool[], choice: ToolChoice | undefined): object | undefined {
  const functionCallingConfig = functionCallingConfigOf(tools, choice);
  return functionCallingConfig && { functionCallingConfig };
}

function functionCallingConfigOf(tools: readonly Tool[], choice: ToolChoice | undefined): object | undefined {
  if (choice === "none") return { mode: "NONE" };
  // ANY enforces schemas in any case.
  if (choice === "required") return { mode: "ANY" };
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [geminiName(choice.name)] };
  // VALIDATED is AUTO with calls held to their schemas; it applies to all functions or to none.
  if (tools.some(({ strict }) => strict)) return { mode: "VALIDATED" };
  return choice && { mode: "AUTO" };
}

/**
 * The call's functions and its format, as far as the model accepts both. Before Gemini 3 it is one or the other
 * (https://ai.google.dev/gemini-api/docs/structured-output): the functions, unless they must not be called.
 */
function functionsAndFormat(call: ModelCall, wireName: string): Pick<ModelCall, "tools" | "toolChoice" | "responseFormat"> {
  const { toolChoice, responseFormat } = call;
  const tools = call.tools?.length ? call.tools : undefined;
  if (!tools || !responseFormat || isSinceGemini3(wireName)) return { tools, toolChoice, responseFormat };
  return toolChoice === "none" ? { responseFormat } : { tools, toolChoice };
}

/** One resolution for the whole request, the highest that an image asks for: per image it is still experimental. */
function mediaConfig(messages: readonly ChatMessage[]): { mediaResolution?: MediaResolution } {
  const images = imagesOf(messages);
  if (images.length === 0) return {};
  return { mediaResolution: mediaResolution(images.some(({ detail }) => detail !== "low") ? "high" : "low") };
}

type Part =
  | { text: string }
  | { inlineData: { mimeType: string; data: string } }
  | { functionCall: { id: string; name: string; args: Record<string, unknown> }; thoughtSignature?: string }
  | { functionResponse: { id: string; name: string; response: Record<string, unknown> } };

interface Content {
  role: "user" | "model";
  parts: Part[];
}

/**
 * All messages except system ones, which do not belong among the contents. Function calls are parts of the model's turn, and their
 * results are the user's next: https://ai.google.dev/gemini-api/docs/function-calling,
 * https://ai.google.dev/api/caching#FunctionResponse.
 */
function geminiContents(messages: readonly ChatMessage[], wireName: string): Content[] {
  const signsCalls = isSinceGemini3(wireName);
  const functionNames = new Map<string, string>();
  const contents: Content[] = [];
  /** The parts of a turn of results: consecutive ones are one turn, since the turn after calls answers all of them and holds nothing else. */
  let results: Part[] | undefined;
  for (const message of messages) {
    switch (message.role) {
      case "system":
        break;
      case "user":
        results = undefined;
        contents.push({ role: "user", parts: userParts(message.content) });
        break;
      case "assistant":
        results = undefined;
        for (const { id, name } of message.toolCalls ?? []) functionNames.set(id, geminiName(name));
        addModel(contents, modelParts(message, signsCalls));
        break;
      case "tool":
        if (results === undefined) {
          results = [];
          contents.push({ role: "user", parts: results });
        }
        results.push(functionResponse(message, functionNames.get(message.toolCallId)));
        break;
    }
  }
  return contents;
}

/** Calls come after a turn of the user or of results: two answers in a row are one turn. */
function addModel(contents: Content[], parts: readonly Part[]): void {
  const last = contents.at(-1);
  if (last?.role === "model") last.parts.push(...parts);
  else contents.push({ role: "model", parts: [...parts] });
}

function userParts(content: MessageContent): Part[] {
  if (!hasImages(content)) return [{ text: contentText(content) }];
  return content.flatMap((part) => (part.type === "image" ? imageParts(part) : [{ text: part.text }]));
}

/** An image that a provider would have to fetch is refused before it gets here. */
const imageParts = ({ source }: ImagePart): Part[] =>
  source.kind === "bytes" ? [{ inlineData: { mimeType: source.mediaType, data: `${source.base64}` } }] : [];

function modelParts({ content, toolCalls = [] }: ChatMessage & { role: "assistant" }, signsCalls: boolean): Part[] {
  const text = contentText(content);
  const calls = toolCalls.map((call, index) => {
    const { id, thoughtSignature } = splitCallId(call.id);
    // Of calls made together only the first is signed, and only its signature is required.
    const signature = thoughtSignature ?? (index === 0 ? noThoughtSignature : undefined);
    return {
      functionCall: { id, name: geminiName(call.name), args: readJsonObject(call.arguments) ?? unreadableArguments(call.arguments) },
      thoughtSignature: signsCalls ? signature : undefined,
    };
  });
  return isBlankText(text) && calls.length > 0 ? calls : [{ text }, ...calls];
}

function functionResponse({ toolCallId, content }: ChatMessage & { role: "tool" }, name: string | undefined): Part {
  return {
    functionResponse: {
      id: splitCallId(toolCallId).id,
      // Google refuses a result without a call under any name, but the field is required.
      name: name ?? "unknown",
      // `output` is the field for values that are not an object.
      response: readJsonObject(contentText(content)) ?? { output: contentText(content) },
    },
  };
}

/** `args` must be an object: {} for empty text, otherwise an object that keeps the model's text. */
function unreadableArguments(text: string): Record<string, unknown> {
  return text.trim() === "" ? {} : { arguments: text };
}
