// The AI SDK's provider packages as a second opinion: the same bytes go in through a fetch of ours, and what they make of
// them comes out in our words. Each vendor's own package is asked.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createDeepSeek } from "@ai-sdk/deepseek";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import type { FinishReason, ModelCall, ProviderId } from "../types";
import { type Answer, inPieces } from "./replay";

type OracleModel = ReturnType<ReturnType<typeof createOpenAI>["chat"]>;
type OracleOptions = Parameters<OracleModel["doGenerate"]>[0];
type OracleUsage = Awaited<ReturnType<OracleModel["doGenerate"]>>["usage"];

const host = "http://127.0.0.1";

function oracleModel(provider: ProviderId, wireName: string, fetch: typeof globalThis.fetch): OracleModel {
  const apiKey = "test-key";
  switch (provider) {
    case "openai":
      return createOpenAI({ apiKey, baseURL: host, fetch }).chat(wireName);
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
export async function askOracle(provider: ProviderId, bytes: Uint8Array, how: { stream: boolean; size?: number }): Promise<Answer | null> {
  const model = oracleModel(provider, "a-model", async () => {
    const headers = { "content-type": how.stream ? "text/event-stream" : "application/json" };
    return new Response(streamOf(inPieces(bytes, how.size)), { status: 200, headers });
  });
  try {
    return how.stream ? await gatherStream(model) : await gatherReply(model);
  } catch {
    // The packages throw for whatever they cannot read; that they do is all that is compared.
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
  return { text, reason: reasonOf(finishReason.unified), usage: usageFrom(usage) };
}

async function gatherStream(model: OracleModel): Promise<Answer | null> {
  const { stream } = await model.doStream(greeting);
  let text = "";
  let answer: Answer | null = null;
  let failed = false;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const part = read.value;
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "error") failed = true;
    if (part.type === "finish") answer = { text, reason: reasonOf(part.finishReason.unified), usage: usageFrom(part.usage) };
  }
  return failed ? null : answer;
}

function reasonOf(unified: string): FinishReason {
  if (unified === "content-filter") return "content_filter";
  return unified === "stop" || unified === "length" ? unified : "other";
}

function usageFrom({ inputTokens, outputTokens }: OracleUsage): Answer["usage"] {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return null;
  return {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    reasoningTokens: outputTokens.reasoning ?? 0,
  };
}

export interface OracleRequest {
  url: string;
  headers: Headers;
  body: Record<string, unknown>;
}

/** The request that the vendor's package sends for a call. */
export async function oracleRequest(provider: ProviderId, wireName: string, call: ModelCall): Promise<OracleRequest> {
  let sent: OracleRequest | undefined;
  const model = oracleModel(provider, wireName, async (url, init) => {
    sent = { url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) };
    return new Response("{}", { status: 400 });
  });
  const options: OracleOptions = {
    prompt: call.messages.map(promptMessage),
    maxOutputTokens: call.maxOutputTokens,
    temperature: call.temperature,
  };
  try {
    await (call.stream ? model.doStream(options) : model.doGenerate(options));
  } catch {
    // The answer is a refusal, so that both ways end once the request was seen.
  }
  if (sent === undefined) throw new Error("the package sent no request");
  return sent;
}

function promptMessage({ role, content }: ModelCall["messages"][number]): OracleOptions["prompt"][number] {
  return role === "system" ? { role, content } : { role, content: [{ type: "text", text: content }] };
}
