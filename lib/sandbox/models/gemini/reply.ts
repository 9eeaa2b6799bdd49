// Writes generateContent answers and their streams as Google does: indented JSON, or `data:` lines that end in CRLF, with
// running usage on every chunk and no closing mark. `candidatesTokenCount` leaves thoughts out.
// Source: ai.google.dev/api/generate-content, ai.google.dev/gemini-api/docs/thinking.

import type { Frame, SimulatedAnswer, TokenCounts } from "../vendor";

const FINISH_REASONS = { stop: "STOP", length: "MAX_TOKENS", filtered: "SAFETY" } as const;

export function writeContent(answer: SimulatedAnswer): string {
  return JSON.stringify(chunk(answer, { text: answer.pieces.join(""), isLast: true, usage: answer.usage }), null, 2);
}

export function* writeContentChunks(answer: SimulatedAnswer): Generator<Frame> {
  const { pieces, usage } = answer;
  const last = Math.max(1, pieces.length);
  for (let index = 0; index < last; index++) {
    const isLast = index === last - 1;
    // Until the end the count is of what was sent so far; a usage told by a directive shows at the end only.
    const running = usage === null || isLast ? usage : { ...usage, text: Math.min(index + 1, Math.abs(usage.text)) };
    const text = pieces[index] ?? "";
    yield { text: `data: ${JSON.stringify(chunk(answer, { text, isLast, usage: running }))}\r\n\r\n`, isDelta: text !== "" };
  }
}

function chunk(answer: SimulatedAnswer, { text, isLast, usage }: { text: string; isLast: boolean; usage: TokenCounts | null }) {
  return {
    candidates: [
      {
        // A model that spent its whole limit on thoughts sends content without parts.
        content: { ...(text !== "" && { parts: [{ text }] }), role: "model" },
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
