// Requests to a running service, and what its books record about them.

import { until } from "./service";

export interface PromptAnswer {
  status: number;
  headers: Headers;
  body: { requestId: string; code?: string; text?: string; details?: Record<string, unknown>; cost?: { totalCost: number } };
}

export interface Target {
  baseUrl: string;
  apiKey: string;
}

const promptBody = (prompt: string, more: object) => JSON.stringify({ model: "gpt-4-turbo", prompt, ...more });

const post = ({ baseUrl, apiKey }: Target, body: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${baseUrl}/api/v1/prompt`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    body,
  });

/** Requests a whole answer. `prompt` may tell the simulated models how to behave. */
export async function requestWhole(
  target: Target,
  prompt: string,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<PromptAnswer> {
  const response = await post(target, promptBody(prompt, more), headers);
  return { status: response.status, headers: response.headers, body: (await response.json()) as PromptAnswer["body"] };
}

export interface StreamedAnswer {
  status: number;
  /** The text of all events, as received; rejects when the connection is cut. */
  rest: Promise<string>;
}

/** Requests a stream and resolves when it has begun. */
export async function requestStream(target: Target, prompt: string, more: object = {}): Promise<StreamedAnswer> {
  const response = await post(target, promptBody(prompt, { stream: true, ...more }), {});
  const rest = response.text();
  rest.catch(() => undefined); // a test that cuts the stream on purpose may never await it
  return { status: response.status, rest };
}

export interface FollowedStream {
  /** Resolves once some of it has arrived. */
  begun: () => Promise<void>;
  /** Everything that has arrived. */
  text: () => string;
  /** The longest time between two arrivals. */
  longestPauseMs: () => number;
  /** How it ended: with its last event, or cut. */
  ended: Promise<"whole" | "cut">;
}

/** Requests a stream and follows what arrives of it. */
export async function followStream(target: Target, prompt: string, headers: Record<string, string>): Promise<FollowedStream> {
  const response = await post(target, promptBody(prompt, { stream: true }), headers);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let arrivedAt = performance.now();
  let longestMs = 0;
  const follow = async (): Promise<"whole" | "cut"> => {
    try {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        text += part.value;
        longestMs = Math.max(longestMs, performance.now() - arrivedAt);
        arrivedAt = performance.now();
      }
    } catch {
      return "cut";
    }
    return text.includes("event: done") ? "whole" : "cut";
  };
  return {
    begun: async () => until("a stream has begun", () => text.length > 200),
    text: () => text,
    longestPauseMs: () => longestMs,
    ended: follow(),
  };
}

export async function readBalance({ baseUrl, apiKey }: Target): Promise<{ balance: number; held: number; available: number }> {
  const response = await fetch(`${baseUrl}/api/v1/balance`, { headers: { authorization: `Bearer ${apiKey}` } });
  return (await response.json()) as { balance: number; held: number; available: number };
}

export async function readReadiness(baseUrl: string): Promise<{ status: number; checks: Record<string, boolean> }> {
  const response = await fetch(`${baseUrl}/api/ready`);
  return { status: response.status, checks: ((await response.json()) as { checks: Record<string, boolean> }).checks };
}
