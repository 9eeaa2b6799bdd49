// Writes generateContent responses and streams like Google: indented JSON, or `data:` lines that end in CRLF, with running usage in every
// chunk and no end marker. `candidatesTokenCount` excludes thoughts.
// Source: ai.google.dev/api/generate-content, ai.google.dev/gemini-api/docs/thinking.

import { countCall, readArguments } from "../tool-calls";
import type { Frame, SimulatedAnswer, TokenCounts } from "../vendor";
import { isSigned } from "./request";

// Calls end with STOP, like text.
const FINISH_REASONS = { stop: "STOP", tool_calls: "STOP", length: "MAX_TOKENS", filtered: "SAFETY" } as const;
const SIGNATURE = "c2ltdWxhdGVk";

export function writeContent(answer: SimulatedAnswer): string {
  const text = answer.pieces.join("");
  const parts = [...(text === "" ? [] : [{ text }]), ...callParts(answer).map(({ part }) => part)];
  return JSON.stringify(chunk(answer, { parts, isLast: true, usage: answer.usage }), null, 2);
}

/** One chunk per token, and one per call: Google sends a call whole. */
export function* writeContentChunks(answer: SimulatedAnswer): Generator<Frame> {
  const texts = answer.pieces.map((text) => ({ part: { text }, tokens: 1 }));
  const sent = [...texts, ...callParts(answer)];
  const { usage } = answer;
  let tokens = 0;
  for (const [index, one] of sent.entries()) {
    const isLast = index === sent.length - 1;
    tokens += one.tokens;
    // Until the last chunk the count covers the tokens sent so far; a usage set by a directive appears in the last chunk only.
    const running = usage === null || isLast ? usage : { ...usage, text: Math.min(tokens, Math.abs(usage.text)) };
    yield { text: line(chunk(answer, { parts: [one.part], isLast, usage: running })), isDelta: true };
  }
  if (sent.length === 0) yield { text: line(chunk(answer, { parts: [], isLast: true, usage })), isDelta: false };
}

const line = (body: object): string => `data: ${JSON.stringify(body)}\r\n\r\n`;

// Gemini 3 and later give each call an id, and sign the first.
function callParts({ toolCalls, model }: SimulatedAnswer): { part: object; tokens: number }[] {
  // A call that the limit cut off is not sent at all.
  const whole = toolCalls.filter(({ isWhole }) => isWhole);
  return whole.map((call, index) => {
    const functionCall = { ...(isSigned(model) && { id: call.id.slice(0, 8) }), name: call.name, args: readArguments(call) };
    return { part: { functionCall, ...(isSigned(model) && index === 0 && { thoughtSignature: SIGNATURE }) }, tokens: countCall(call) };
  });
}

interface Chunk {
  parts: readonly object[];
  isLast: boolean;
  usage: TokenCounts | null;
}

function chunk(answer: SimulatedAnswer, { parts, isLast, usage }: Chunk) {
  return {
    candidates: [
      {
        // A model that spent its whole limit on thoughts returns content without parts.
        content: { ...(parts.length > 0 && { parts }), role: "model" },
        ...(isLast && { finishReason: FINISH_REASONS[answer.finish] }),
        index: 0,
      },
    ],
    ...(usage !== null && { usageMetadata: usageMetadata(usage) }),
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

function usageMetadata({ input, cached, text, reasoning }: TokenCounts) {
  return {
    promptTokenCount: input,
    ...(text !== 0 && { candidatesTokenCount: text }),
    totalTokenCount: input + text + reasoning,
    ...(cached > 0 && { cachedContentTokenCount: cached, cacheTokensDetails: [{ modality: "TEXT", tokenCount: cached }] }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  };
}
