// A model call in the words of Gemini's generateContent, documented at https://ai.google.dev/api/generate-content. Image parts
// belong here once they exist.

import type { ChatMessage, ModelCall, ResponseFormat, Tool, ToolChoice, WireRequest } from "../types";
import { readJsonObject } from "../wire-value";
import { isSinceGemini3, noThoughtSignature, splitCallId } from "./call-id";

export function buildGeminiRequest(call: ModelCall, wireName: string, apiKey: string): WireRequest {
  const system = call.messages.filter(({ role }) => role === "system");
  const method = call.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const { tools, toolChoice, responseFormat } = functionsAndFormat(call, wireName);
  return {
    path: `v1beta/models/${encodeURIComponent(wireName)}:${method}`,
    headers: { "content-type": "application/json", "x-goog-api-key": apiKey },
    body: JSON.stringify({
      // There is no system role among the contents: wherever it stood, it comes first.
      systemInstruction: system.length === 0 ? undefined : { parts: system.map(({ content }) => ({ text: content })) },
      contents: geminiContents(call.messages, wireName),
      tools: tools && [{ functionDeclarations: tools.map(functionDeclaration) }],
      toolConfig: tools && toolConfig(tools, toolChoice),
      generationConfig: { ...samplingConfig(call), ...formatConfig(responseFormat) },
    }),
  };
}

/**
 * `parallelToolCalls` has no word here. The penalties do, but the models answer 400 "Penalty is not enabled for this model" to
 * any but 0 (https://github.com/google-gemini/cookbook/issues/1290): the customer is served without them.
 */
function samplingConfig({ maxOutputTokens, temperature, topP, seed, stop }: ModelCall): Record<string, unknown> {
  return {
    // The limit covers thoughts too. Temperature is 0 to 2, as ours.
    maxOutputTokens,
    temperature,
    topP,
    // 32 bits wide; of a longer one the low bits are as good a seed.
    seed: seed === undefined ? undefined : seed | 0,
    // At most five; OpenAI takes four.
    stopSequences: stop?.length ? stop : undefined,
  };
}

/** Plain JSON Schema has a field of its own; `responseSchema` takes a part of OpenAPI's and refuses what it does not know. */
function formatConfig(format: ResponseFormat | undefined): Record<string, unknown> {
  if (format === undefined) return {};
  return { responseMimeType: "application/json", responseJsonSchema: format.type === "json_schema" ? format.schema : undefined };
}

/** As with the answer's format: `parameters` would be OpenAPI's, and refuse `additionalProperties` and `$schema`. */
function functionDeclaration({ name, description, parameters }: Tool): Record<string, unknown> {
  return { name, description, parametersJsonSchema: parameters };
}

/** https://ai.google.dev/api/caching#FunctionCallingConfig */
function toolConfig(tools: readonly Tool[], choice: ToolChoice | undefined): object | undefined {
  const functionCallingConfig = functionCallingConfigOf(tools, choice);
  return functionCallingConfig && { functionCallingConfig };
}

function functionCallingConfigOf(tools: readonly Tool[], choice: ToolChoice | undefined): object | undefined {
  if (choice === "none") return { mode: "NONE" };
  // Schemas are held to here in any case.
  if (choice === "required") return { mode: "ANY" };
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] };
  // AUTO, with calls that are held to their schemas; it is said for all functions or for none.
  if (tools.some(({ strict }) => strict)) return { mode: "VALIDATED" };
  return choice && { mode: "AUTO" };
}

/**
 * The call's functions and its format, as far as the model takes them together. Before Gemini 3 it is one or the other
 * (https://ai.google.dev/gemini-api/docs/structured-output): the functions, unless they must not be called.
 */
function functionsAndFormat(call: ModelCall, wireName: string): Pick<ModelCall, "tools" | "toolChoice" | "responseFormat"> {
  const { toolChoice, responseFormat } = call;
  const tools = call.tools?.length ? call.tools : undefined;
  if (!tools || !responseFormat || isSinceGemini3(wireName)) return { tools, toolChoice, responseFormat };
  return toolChoice === "none" ? { responseFormat } : { tools, toolChoice };
}

type Part =
  | { text: string }
  | { functionCall: { id: string; name: string; args: Record<string, unknown> }; thoughtSignature?: string }
  | { functionResponse: { id: string; name: string; response: Record<string, unknown> } };

interface Content {
  role: "user" | "model";
  parts: Part[];
}

/**
 * All messages but the system's, which have no place among the contents. Function calls are parts of the model's turn, and their results
 * are the user's next: https://ai.google.dev/gemini-api/docs/function-calling, https://ai.google.dev/api/caching#FunctionResponse.
 */
function geminiContents(messages: readonly ChatMessage[], wireName: string): Content[] {
  const signsCalls = isSinceGemini3(wireName);
  const functionNames = new Map<string, string>();
  const contents: Content[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "system":
        break;
      case "user":
        contents.push({ role: "user", parts: [{ text: message.content }] });
        break;
      case "assistant":
        for (const { id, name } of message.toolCalls ?? []) functionNames.set(id, name);
        contents.push({ role: "model", parts: modelParts(message, signsCalls) });
        break;
      case "tool":
        addFunctionResponse(contents, message, functionNames.get(message.toolCallId));
        break;
    }
  }
  return contents;
}

function modelParts({ content, toolCalls = [] }: ChatMessage & { role: "assistant" }, signsCalls: boolean): Part[] {
  const calls = toolCalls.map((call, index) => {
    const { id, thoughtSignature } = splitCallId(call.id);
    // Of calls made together only the first is signed, and only its signature is asked for.
    const signature = thoughtSignature ?? (index === 0 ? noThoughtSignature : undefined);
    return {
      functionCall: { id, name: call.name, args: readJsonObject(call.arguments) ?? unreadableArguments(call.arguments) },
      thoughtSignature: signsCalls ? signature : undefined,
    };
  });
  return content === "" && calls.length > 0 ? calls : [{ text: content }, ...calls];
}

/** Results in a row are one turn: a turn of calls must be followed by one that answers them all, and holds nothing else. */
function addFunctionResponse(contents: Content[], message: ChatMessage & { role: "tool" }, name: string | undefined): void {
  const part: Part = {
    functionResponse: {
      id: splitCallId(message.toolCallId).id,
      // A result of no call is refused by Google whatever it is called, but the field has to be there.
      name: name ?? "unknown",
      // `output` is the field for what is no object.
      response: readJsonObject(message.content) ?? { output: message.content },
    },
  };
  const last = contents.at(-1);
  if (last?.parts.every((other) => "functionResponse" in other)) last.parts.push(part);
  else contents.push({ role: "user", parts: [part] });
}

/** `args` has to be an object: none for no text, else one that keeps what the model wrote. */
function unreadableArguments(text: string): Record<string, unknown> {
  return text.trim() === "" ? {} : { arguments: text };
}
