// A run from its request to its end, as its events arrive.

import type { Run, ToolCall } from "./run";
import { type PlaygroundEndpoints, type RunBody, type RunEvent, requestAnswer, type ToolCallPiece, unreachable } from "./run-request";

interface Following {
  endpoints: PlaygroundEndpoints;
  signal: AbortSignal;
  isStopped: () => boolean;
  onProgress: (changes: Partial<Run>) => void;
}

type Known = Partial<Run> & { text: string; reasoning: string; toolCalls: readonly ToolCall[] };

/** Of an answer of so many characters the page renders less often than once per frame: each time takes longer. */
const LONG_ANSWER = 100_000;
const LONG_PAUSE_MS = 200;

/** Follows a run to its end; resolves with its facts known by then. */
export async function follow(body: RunBody, { endpoints, signal, isStopped, onProgress }: Following): Promise<Partial<Run>> {
  const startedAt = performance.now();
  const sinceStart = () => Math.round(performance.now() - startedAt);
  const known: Known = { text: "", reasoning: "", toolCalls: [], requestId: null };
  const drawing = drawSoon(
    () => onProgress({ ...known }),
    () => known.text.length + known.reasoning.length,
  );
  try {
    for await (const event of requestAnswer(endpoints, body, signal)) {
      take(event, known, sinceStart);
      drawing.draw();
    }
    if (known.state !== "done" && known.state !== "failed") Object.assign(known, { state: "failed", problem: unreachable(true) });
  } catch {
    // The reader stopped it, or the connection broke.
    Object.assign(known, isStopped() ? { state: "stopped" } : { state: "failed", problem: unreachable(known.state === "writing") });
  }
  drawing.end();
  return { ...known, totalMs: sinceStart() };
}

function take(event: RunEvent, known: Known, sinceStart: () => number): void {
  switch (event.type) {
    case "opened":
      Object.assign(known, { state: "writing", requestId: event.requestId, firstTokenMs: sinceStart() });
      break;
    case "text":
      known.text += event.text;
      break;
    case "reasoning":
      known.reasoning += event.text;
      break;
    case "tool_call":
      known.toolCalls = addCallPiece(known.toolCalls, event);
      break;
    case "finish":
      known.finish = event.reason;
      break;
    case "done":
      Object.assign(known, { state: "done", receipt: event.receipt, payment: event.payment });
      break;
    case "failed":
      Object.assign(known, { state: "failed", problem: event.problem, requestId: event.problem.requestId ?? known.requestId });
  }
}

export function addCallPiece(calls: readonly ToolCall[], { index, id, name, arguments: more }: ToolCallPiece): readonly ToolCall[] {
  const known = calls[index];
  if (!known) return [...calls, { id: id ?? `call_${index}`, name: name ?? "", arguments: more }];
  return calls.with(index, { ...known, arguments: known.arguments + more });
}

/** A model may send hundreds of pieces a second; the page renders once per frame, and a long answer a few times a second. */
function drawSoon(drawNow: () => void, length: () => number) {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    frame = 0;
    timer = undefined;
    drawNow();
  };
  return {
    draw: () => {
      if (frame || timer) return;
      if (length() > LONG_ANSWER) timer = setTimeout(draw, LONG_PAUSE_MS);
      else frame = requestAnimationFrame(draw);
    },
    end: () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    },
  };
}
