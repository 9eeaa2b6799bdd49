// The playground's requests to its own origin: an answer as an event stream, and the price of a prompt.

import { type NanoUsd, parseUsd } from "@/lib/base/money";
import type { WhenLeft } from "@/lib/base/when-left";
import type { ChatBody } from "./chat/body";
import type { RunFields, RunPayment, RunProblem, RunReceipt } from "./run";

export interface PlaygroundEndpoints {
  answerUrl: string;
  quoteUrl: string;
  /** Proves that the page belongs to the session. */
  csrfToken: string;
}

export type RunEvent =
  | { type: "opened"; requestId: string | null }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | ToolCallPiece
  | { type: "finish"; reason: string }
  | { type: "done"; receipt: RunReceipt; payment: RunPayment | null }
  | { type: "failed"; problem: RunProblem };

/** Of each call the first piece has its id and name; the arguments of its pieces, joined, are the whole. */
export interface ToolCallPiece {
  type: "tool_call";
  index: number;
  id?: string | undefined;
  name?: string | undefined;
  arguments: string;
}

/** A conversation's turn, or a prompt alone. */
export type RunBody = ChatBody | RunFields;

export interface RunQuote {
  /** Reserved while it runs, and so its maximum cost; nano-USD. */
  ceiling: bigint;
  /** An upper bound, at most the model's context window. */
  inputTokens: number;
  available: bigint;
  affordableMaxTokens: number;
  /** Its end when it is stopped. */
  whenLeft: WhenLeft;
}

const send = (url: string, csrfToken: string, body: RunBody, signal: AbortSignal): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-csrf-token": csrfToken },
    body: JSON.stringify(body),
    signal,
  });

/** Runs the prompt. @throws what fetch throws when the service is unreachable, or `signal` aborts */
export async function* requestAnswer(endpoints: PlaygroundEndpoints, body: RunBody, signal: AbortSignal): AsyncGenerator<RunEvent> {
  const response = await send(endpoints.answerUrl, endpoints.csrfToken, body, signal);
  const requestId = response.headers.get("x-request-id");
  if (!response.ok || !response.body) {
    yield { type: "failed", problem: readProblem(await response.text()) };
    return;
  }
  yield { type: "opened", requestId };
  for await (const block of eventBlocks(response.body)) {
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    if (data === undefined) continue; // a comment, which keeps a quiet connection alive
    yield readEvent(name, data);
  }
}

function readEvent(name: string | undefined, data: string): RunEvent {
  switch (name) {
    case "delta":
    case "reasoning":
      return { type: name === "delta" ? "text" : "reasoning", text: (JSON.parse(data) as { text: string }).text };
    case "tool_call":
      return { type: "tool_call", ...(JSON.parse(data) as Omit<ToolCallPiece, "type">) };
    case "finish":
      return { type: "finish", reason: (JSON.parse(data) as { reason: string }).reason };
    case "done":
      return { type: "done", receipt: readReceipt(data), payment: readPayment(data) };
    default:
      return { type: "failed", problem: readProblem(data) };
  }
}

async function* eventBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const blocks = (rest + decoder.decode(chunk.value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      yield* blocks;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it may have ended already
  }
}

function readReceipt(json: string): RunReceipt {
  const { usage } = JSON.parse(json) as { usage: { inputTokens: number; outputTokens: number } };
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    inputCost: readAmount(json, "inputCost") ?? 0n,
    outputCost: readAmount(json, "outputCost") ?? 0n,
    lines: [],
    borne: 0n,
  };
}

function readPayment(json: string): RunPayment | null {
  const { payment } = JSON.parse(json) as { payment?: { transaction: string | null; changeBelongsTo: "account" | "address" } };
  if (!payment) return null;
  return { transaction: payment.transaction, changeBelongsTo: payment.changeBelongsTo, change: readAmount(json, "change") ?? 0n };
}

interface ProblemBody {
  error?: string;
  code?: string;
  reason?: string;
  requestId?: string;
  details?: { affordableMaxTokens?: number; retryAfterMs?: number; reason?: string };
}

function readProblem(json: string): RunProblem {
  let body: ProblemBody = {};
  try {
    body = JSON.parse(json) as ProblemBody;
  } catch {
    body = { error: "The service sent a reply that this page cannot read.", reason: "unreadable" }; // a proxy's page, not ours
  }
  return {
    code: body.code ?? null,
    reason: body.reason ?? body.details?.reason ?? "unreadable",
    message: body.error ?? "The request failed.",
    requestId: body.requestId ?? null,
    deficit: readAmount(json, "deficit"),
    affordableMaxTokens: body.details?.affordableMaxTokens ?? null,
    retryAfterMs: body.details?.retryAfterMs ?? null,
    cost: readAmount(json, "totalCost"),
  };
}

/** The answer never arrived, or broke off. */
export const unreachable = (hadBegun: boolean): RunProblem => ({
  code: null,
  reason: hadBegun ? "broke_off" : "unreachable",
  message: hadBegun ? "The connection dropped before the answer was complete." : "Could not reach the service.",
  requestId: null,
  deficit: null,
  affordableMaxTokens: null,
  retryAfterMs: null,
  cost: null,
});

/** Prices a prompt; the run itself reports a prompt's problems. */
export async function fetchPrice(endpoints: PlaygroundEndpoints, body: RunBody, signal: AbortSignal): Promise<RunQuote | null> {
  const response = await send(endpoints.quoteUrl, endpoints.csrfToken, body, signal);
  if (!response.ok) return null;
  const json = await response.text();
  const { affordableMaxTokens, inputTokens, whenLeft } = JSON.parse(json) as Omit<RunQuote, "ceiling" | "available">;
  const [ceiling, available] = [readAmount(json, "ceiling"), readAmount(json, "available")];
  return ceiling === null || available === null ? null : { ceiling, available, inputTokens, affordableMaxTokens, whenLeft };
}

/** The first amount called `name` in this JSON text, or null: read digit by digit, since numbers of a parsed value would be floats. Text inside strings has its quotes escaped, so it never matches. */
function readAmount(json: string, name: string): NanoUsd | null {
  const label = `"${name}":`;
  const start = json.indexOf(label);
  const digits = start < 0 ? undefined : /^-?[0-9.]+/.exec(json.slice(start + label.length))?.[0];
  return digits === undefined ? null : parseUsd(digits);
}
