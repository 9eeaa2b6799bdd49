// A client that trusts nothing: it keeps the raw text of an answer beside the parsed one, and parses event streams strictly.

import { connect } from "node:net";
import { expect } from "vitest";
import { type ErrorCode, errorCatalogue } from "@/lib/base/errors";
import { parseUsd } from "@/lib/base/money";
import { findModel } from "@/lib/providers/catalogue";
import type { Model } from "@/lib/providers/types";
import { PROMPT_WORD } from "./log";
import { PUBLIC_URL } from "./service";

export const QUESTION = `Why does a ${PROMPT_WORD} smile?`;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface ErrorBody {
  error: string;
  code: ErrorCode;
  details: Record<string, unknown>;
  requestId: string;
}

export interface PromptBody {
  success: boolean;
  text: string;
  model: string;
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
  cost: { inputCost: number; outputCost: number; totalCost: number };
  requestId: string;
}

interface Ask {
  url: string;
  key?: string;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  /** An object is sent as JSON, text or bytes unchanged. */
  body?: unknown;
  signal?: AbortSignal;
}

/** Sends a request without reading the answer's body. */
export function open({ url, key, path = "/api/v1/prompt", method = "POST", headers = {}, body, signal }: Ask): Promise<Response> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body === undefined;
  return fetch(url + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: isRaw ? (body as string | undefined) : JSON.stringify(body),
    signal,
  });
}

/** Sends a request and reads its whole answer. */
export async function ask(request: Ask): Promise<Answer> {
  const response = await open(request);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export function modelOf(name: string): Model {
  const model = findModel(name);
  if (!model) throw new Error(`${name} is not in the catalogue`);
  return model;
}

/** The usual prompt, overridden by `fields`. */
export const promptOf = (fields: object = {}): object => ({ model: "gpt-4o-mini", prompt: QUESTION, ...fields });

/** A prompt that tells the simulated model how to behave. */
export const misbehaving = (directives: string, fields: object = {}): object =>
  promptOf({ prompt: `${QUESTION} [[simulate: ${directives}]]`, ...fields });

export function readPromptBody(text: string): PromptBody {
  return JSON.parse(text) as PromptBody;
}

/** The error of an answer, after checking everything that the contract promises of every error. */
export function readError(answer: Answer, code: ErrorCode): ErrorBody {
  expect({ status: answer.status, text: answer.text }).toMatchObject({
    status: errorCatalogue[code].status,
    text: expect.stringContaining(code),
  });
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return readErrorBody(answer.text, code, answer.headers);
}

/** The same for an error inside an event stream or from below HTTP. */
export function readErrorBody(text: string, code: ErrorCode, headers?: Headers): ErrorBody {
  const body = JSON.parse(text) as ErrorBody;
  expect(Object.keys(body)).toEqual(["error", "code", "details", "requestId"]);
  expect(body.code).toBe(code);
  expect(body.error).toMatch(/\S/);
  expect(body.details.docs).toBe(`${PUBLIC_URL}/docs/errors/${code}`);
  expect(body.requestId).toMatch(/^req_[0-9A-Za-z]{20}$/);
  expect(text).not.toMatch(/\n\s+at |node_modules|lib\/gateway|\.ts:\d/); // no stack
  if (headers) expectCommonHeaders(headers, body.requestId);
  return body;
}

/** Checks the headers of every answer, errors included. */
export function expectCommonHeaders(headers: Headers, requestId: string): void {
  expect(headers.get("x-request-id")).toBe(requestId);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const policy = headers.get("ratelimit-policy") ?? "";
  const state = headers.get("ratelimit") ?? "";
  if (policy.includes("failed-auth")) {
    expect(policy).toMatch(/^"failed-auth";q=\d+;w=60$/);
    expect(state).toMatch(/^"failed-auth";r=\d+;t=\d+$/);
  } else {
    expect(policy).toMatch(/^"rate";q=\d+;w=60, "concurrency";q=\d+;qu="concurrent-requests"$/);
    expect(state).toMatch(/^"rate";r=\d+;t=\d+, "concurrency";r=\d+$/);
  }
  for (const name of ["limit", "remaining", "reset"]) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
}

export interface StreamEvent {
  event: string;
  data: string;
}

/** The events of a stream's text, without its comment lines. Anything beyond the contract's framing fails. */
export function readEvents(text: string): StreamEvent[] {
  expect(text === "" || text.endsWith("\n\n")).toBe(true);
  return text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => {
      const [, event, data] = /^event: (delta|done|error)\ndata: ([^\n]*)$/.exec(block) ?? [];
      if (event === undefined || data === undefined) throw new Error(`This is no event of the contract: ${block}`);
      return { event, data };
    });
}

/** The text of all deltas. */
export const deltaText = (events: readonly StreamEvent[]): string =>
  events.flatMap(({ event, data }) => (event === "delta" ? [(JSON.parse(data) as { text: string }).text] : [])).join("");

/** The costs of a body as exact nano-USD, read from its digits; fails on rounded, over-long or exponent notation. */
export function readCosts(text: string): { inputCost: bigint; outputCost: bigint; totalCost: bigint } {
  const cost = (name: string) => {
    const digits = new RegExp(`"${name}":([^,}]+)`).exec(text)?.[1] ?? "";
    expect(digits).toMatch(/^(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/);
    return parseUsd(digits);
  };
  return { inputCost: cost("inputCost"), outputCost: cost("outputCost"), totalCost: cost("totalCost") };
}

/** Sends bytes unchanged and resolves with everything received when the server closes. */
export function sendRaw(url: string, parts: readonly (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", () => undefined); // "close" follows
    socket.on("close", () => resolve(received));
    for (const part of parts) socket.write(part);
  });
}

/** Parses a raw HTTP answer. */
export function readRaw(raw: string): Answer {
  const headEnd = raw.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = raw.slice(0, headEnd).split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const rest = raw.slice(headEnd + 4);
  if (headers.get("transfer-encoding") === "chunked") return { status: Number(statusLine.split(" ")[1]), headers, text: readChunks(rest) };
  return { status: Number(statusLine.split(" ")[1]), headers, text: rest.slice(0, Number(headers.get("content-length") ?? rest.length)) };
}

function readChunks(rest: string): string {
  let text = "";
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf("\r\n", at);
    const size = Number.parseInt(rest.slice(at, lineEnd), 16);
    if (!(size > 0)) return text;
    text += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 4 + size;
  }
}
