// The AI SDK's provider packages as an oracle: the same bytes go in through our fetch, and what they read comes out in our types. Each
// vendor has its own package.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createDeepSeek } from "@ai-sdk/deepseek";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import { z } from "zod";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { anthropicFormat } from "../anthropic";
import { contentText, type ToolCall } from "../conversation/messages";
import { geminiFormat } from "../gemini";
import type { VendorId } from "../model-route";
import { openaiFormat } from "../openai";
import { responsesFormat } from "../openai-responses";
import type { FinishReason, ModelCall, Tool, ToolChoice, WireFormat } from "../types";
import { type Answer, inPieces, type Thought } from "./replay";

type OracleModel = ReturnType<ReturnType<typeof createOpenAI>["chat"]>;
type OracleOptions = Parameters<OracleModel["doGenerate"]>[0];
type OracleReply = Awaited<ReturnType<OracleModel["doGenerate"]>>;
type OracleUsage = OracleReply["usage"];
type OraclePrompt = OracleOptions["prompt"];

/** A vendor's package, and which interface of it. */
export type OracleId = VendorId | "openai-responses";

/** Our wire formats, which are compared with the packages. */
export const formats: Record<OracleId, WireFormat> = {
  openai: openaiFormat,
  "openai-responses": responsesFormat,
  xai: openaiFormat,
  deepseek: openaiFormat,
  anthropic: anthropicFormat,
  gemini: geminiFormat,
};

const host = "http://127.0.0.1";

function oracleModel(provider: OracleId, wireName: string, fetch: typeof globalThis.fetch): OracleModel {
  const apiKey = "test-key";
  switch (provider) {
    case "openai":
      return createOpenAI({ apiKey, baseURL: host, fetch }).chat(wireName);
    case "openai-responses":
      return createOpenAI({ apiKey, baseURL: host, fetch }).responses(wireName);
    case "xai":
      return createXai({ apiKey, baseURL: host, fetch }).chat(wireName);
    case "deepseek":
      return createDeepSeek({ apiKey, baseURL: host, fetch }).chat(wireName);
    case "anthropic":
      return createAnthropic({ apiKey, baseURL: `${host}/v1`, fetch }).chat(wireName);
    case "gemini":
      return createGoogleGenerativeAI({ apiKey, baseURL: `${host}/v1beta`, fetch }).chat(wireName);
  }
}

const greeting: OracleOptions = { prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] };

/** What the vendor's package reads from these bytes of a 200 answer; null when it reports an error. */
export async function runOracle(provider: OracleId, bytes: Uint8Array, how: { stream: boolean; size?: number }): Promise<Answer | null> {
  const model = oracleModel(provider, "a-model", async () => {
    const headers = { "content-type": how.stream ? "text/event-stream" : "application/json" };
    return new Response(streamOf(inPieces(bytes, how.size)), { status: 200, headers });
  });
  try {
    return how.stream ? await gatherStream(model) : await gatherReply(model);
  } catch {
    // The packages throw for whatever they cannot read; only that they throw is compared.
    return null;
  }
}

function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream {
  return new ReadableStream({
    async start(controller) {
      for await (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

async function gatherReply(model: OracleModel): Promise<Answer> {
  const { content, finishReason, usage } = await model.doGenerate(greeting);
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const reasoning = content
    .flatMap((part) => (part.type === "reasoning" ? thoughtOf(part.text, part.providerMetadata) : []))
    .filter(({ data }) => data !== "");
  return answerOf({ text, toolCalls: content.flatMap(toolCallOf), reasoning }, { finishReason, usage });
}

async function gatherStream(model: OracleModel): Promise<Answer | null> {
  const { stream } = await model.doStream(greeting);
  let text = "";
  const toolCalls: ToolCall[] = [];
  const reasoning: Thought[] = [];
  let answer: Answer | null = null;
  let failed = false;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const part = read.value;
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "tool-call") toolCalls.push(...toolCallOf(part));
    if (part.type === "reasoning-start") reasoning.push({ kind: "thinking", text: "", data: "" });
    if (part.type === "reasoning-start" || part.type === "reasoning-delta") {
      const last = reasoning.at(-1);
      const [piece] = thoughtOf(part.type === "reasoning-delta" ? part.delta : "", part.providerMetadata);
      if (last && piece) Object.assign(last, { kind: piece.kind, text: last.text + piece.text, data: last.data + piece.data });
    }
    if (part.type === "error") failed = true;
    if (part.type === "finish") answer = answerOf({ text, toolCalls, reasoning: reasoning.filter(({ data }) => data !== "") }, part);
  }
  return failed ? null : answer;
}

type Parts = { text: string; toolCalls: ToolCall[]; reasoning: Thought[] };

function answerOf({ text, toolCalls, reasoning }: Parts, { finishReason, usage }: Pick<OracleReply, "finishReason" | "usage">): Answer {
  const parts = { ...(toolCalls.length > 0 && { toolCalls }), ...(reasoning.length > 0 && { reasoning }) };
  return { text, ...parts, reason: reasonOf(finishReason.unified), usage: usageFrom(usage) };
}

const anthropicMetadata = z.object({ anthropic: z.object({ signature: z.string().optional(), redactedData: z.string().optional() }) });

/** Only Anthropic's thoughts, which it wants back. */
function thoughtOf(text: string, metadata: unknown): Thought[] {
  const { success, data } = anthropicMetadata.safeParse(metadata);
  if (!success) return text === "" ? [] : [{ kind: "thinking", text, data: "" }];
  const { signature, redactedData } = data.anthropic;
  return [redactedData === undefined ? { kind: "thinking", text, data: signature ?? "" } : { kind: "redacted", text, data: redactedData }];
}

function toolCallOf(part: OracleReply["content"][number]): ToolCall[] {
  return part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, arguments: part.input }] : [];
}

function reasonOf(unified: string): FinishReason {
  switch (unified) {
    case "content-filter":
      return "content_filter";
    case "tool-calls":
      return "tool_calls";
    case "stop":
    case "length":
      return unified;
    default:
      return "other";
  }
}

function usageFrom({ inputTokens, outputTokens }: OracleUsage): Answer["usage"] {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return null;
  return {
    ...noTokens,
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    cacheWriteTokens: inputTokens.cacheWrite ?? 0,
    reasoningTokens: outputTokens.reasoning ?? 0,
  };
}

export interface OracleRequest {
  url: string;
  headers: Headers;
  body: Record<string, unknown>;
}

/** The request that the vendor's package sends for a call. */
export async function oracleRequest(provider: OracleId, wireName: string, call: ModelCall): Promise<OracleRequest> {
  let sent: OracleRequest | undefined;
  const model = oracleModel(provider, wireName, async (url, init) => {
    sent = { url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) };
    return new Response("{}", { status: 400 });
  });
  const options = oracleOptions(call, provider);
  try {
    await (call.stream ? model.doStream(options) : model.doGenerate(options));
  } catch {
    // The answer is a refusal, so that both kinds of call end once the request was captured.
  }
  if (sent === undefined) throw new Error("the package sent no request");
  return sent;
}

function oracleOptions(call: ModelCall, provider: OracleId): OracleOptions {
  const { maxOutputTokens, temperature, topP, frequencyPenalty, presencePenalty, seed, stop, responseFormat: format } = call;
  return {
    prompt: call.messages.map((message) => promptMessage(message, call.messages)),
    maxOutputTokens,
    temperature,
    topP,
    frequencyPenalty,
    presencePenalty,
    seed,
    stopSequences: stop && [...stop],
    tools: call.tools?.map(oracleTool),
    toolChoice: call.toolChoice && oracleToolChoice(call.toolChoice),
    responseFormat: format && (format.type === "json_object" ? { type: "json" } : { ...format, type: "json" }),
    providerOptions: { openai: { ...(provider === "openai-responses" && { store: false }), ...oracleOpenaiOptions(call) } },
  };
}

/** Only what the call sets: the package refuses options without a value. */
function oracleOpenaiOptions({ parallelToolCalls, reasoning, reasoningSummary, verbosity }: ModelCall) {
  return {
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    ...(reasoning?.effort !== undefined && { reasoningEffort: reasoning.effort }),
    ...(reasoningSummary !== undefined && { reasoningSummary }),
    ...(verbosity !== undefined && { textVerbosity: verbosity }),
  };
}

function oracleTool({
  name,
  description,
  parameters = { type: "object" },
  strict,
  custom,
}: Tool): NonNullable<OracleOptions["tools"]>[number] {
  if (custom) return { type: "provider", id: "openai.custom", name, args: { name, ...custom } };
  return { type: "function", name, description, inputSchema: parameters as { type: "object" }, strict };
}

function oracleToolChoice(choice: ToolChoice): OracleOptions["toolChoice"] {
  return typeof choice === "object" ? { type: "tool", toolName: choice.name } : { type: choice };
}

function promptMessage(message: ModelCall["messages"][number], all: ModelCall["messages"]): OraclePrompt[number] {
  const text = contentText(message.content);
  switch (message.role) {
    case "system":
      return { role: "system", content: text };
    case "user":
      return { role: "user", content: [{ type: "text", text }] };
    case "assistant": {
      const toolCalls = message.toolCalls ?? [];
      const calls = toolCalls.map(({ id, name, arguments: json, custom }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input: custom ? JSON.parse(json).input : JSON.parse(json),
      }));
      const texts = text === "" && calls.length > 0 ? [] : [{ type: "text" as const, text }];
      const thoughts = (message.reasoning ?? []).map((block) => ({
        type: "reasoning" as const,
        text: block.text,
        providerOptions: { openai: { itemId: block.id ?? "", reasoningEncryptedContent: block.data } },
      }));
      return { role: "assistant", content: [...thoughts, ...texts, ...calls] };
    }
    case "tool": {
      const calls = all.flatMap((other) => (other.role === "assistant" ? (other.toolCalls ?? []) : []));
      const toolName = calls.find(({ id }) => id === message.toolCallId)?.name ?? "";
      const output = { type: "text" as const, value: text };
      return { role: "tool", content: [{ type: "tool-result", toolCallId: message.toolCallId, toolName, output }] };
    }
  }
}
