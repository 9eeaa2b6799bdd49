// The simulated vendors: one HTTP server with the wire formats of OpenAI, Anthropic, Gemini, xAI and DeepSeek, each below its base path. It
// checks keys and requests as strictly as they do, answers at once or at a model's pace, and fails on request.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { randomBase62 } from "@/lib/base/ids";
import { createAnswer, lastQuestion } from "./answer";
import { anthropic } from "./anthropic";
import { type Behaviour, type BehaviourReading, readDirectives, readPromptBehaviour } from "./behaviour";
import { type CallLog, type CallRecord, createCallLog } from "./call-log";
import { findWindowRule } from "./context-window";
import { type Control, createControl } from "./control";
import { deliver, waitBefore } from "./deliver";
import { gemini } from "./gemini";
import { findImageRule } from "./images";
import { deepseek, openai, xai } from "./openai";
import { answerEmbeddings } from "./openai/embeddings";
import { PromptCaches } from "./prompt-caches";
import { countInputTokens } from "./tokens";
import type { Refusal, SimulatedCall, Vendor } from "./vendor";

export interface SimulatedServerOptions {
  /** The key for every vendor and the control endpoint. */
  apiKey: string;
  /** Milliseconds between two deltas of a stream. */
  deltaDelayMs: number;
  /** Additional model names, besides those that look like a vendor's own. */
  extraModels?: readonly string[];
}

interface Simulation extends SimulatedServerOptions {
  log: CallLog;
  control: Control;
  /** Calls whose first attempt failed through `first-status`; oldest first. */
  failedOnce: Set<string>;
  caches: PromptCaches;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  vendor: Vendor;
  requestId: string;
  record: CallRecord;
  gone: AbortSignal;
}

const vendors: readonly Vendor[] = [openai, anthropic, gemini, xai, deepseek];

const MAX_BODY_BYTES = 32 * 1024 * 1024;
const FIRST_FAILURES_KEPT = 10_000;
// Longer than any client keeps an idle connection, so that this side never closes one that is just being reused.
const KEEP_ALIVE_MS = 75_000;

/** Creates the server; the caller listens and closes. */
export function createSimulatedServer(options: SimulatedServerOptions): Server {
  const log = createCallLog();
  const simulation: Simulation = { ...options, log, control: createControl(log), failedOnce: new Set(), caches: new PromptCaches() };
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }, (request, response) => {
    serve(simulation, request, response).catch((error: unknown) => {
      process.stderr.write(`simulated models: ${error instanceof Error ? error.stack : String(error)}\n`);
      response.destroy();
    });
  });
}

async function serve(simulation: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = "", search = ""] = splitOnce(request.url ?? "/", "?");
  if (path === "/control" || path.startsWith("/control/")) return serveControl(simulation, path, request, response);
  const vendor = vendors.find(({ basePath }) => path.startsWith(`${basePath}/`));
  if (vendor === undefined) return sendJson(response, 404, { error: `Nothing is simulated at ${path}.` });

  const { log } = simulation;
  const record = log.open(vendor.provider);
  const goes = new AbortController();
  response.once("close", () => {
    log.close(record, response.writableFinished ? "finished" : "aborted_by_client");
    goes.abort();
  });
  const exchange = { request, response, vendor, requestId: randomBase62(22), record, gone: goes.signal };
  try {
    await serveCall(simulation, exchange, { path: path.slice(vendor.basePath.length), query: new URLSearchParams(search) });
  } catch (error) {
    // Waits throw an abort when the client disconnects, and a body that stops half-way errors; no client is left to respond to.
    if (!goes.signal.aborted && request.errored === null) throw error;
  }
}

async function serveCall(simulation: Simulation, exchange: Exchange, url: { path: string; query: URLSearchParams }): Promise<void> {
  const { request, vendor, record } = exchange;
  const body = await readBody(request);
  record.bytesReceived = body === null ? MAX_BODY_BYTES : Buffer.byteLength(body);
  const key = vendor.readKey(request.headers, url.query);
  if (key === undefined) return refuse(exchange, { kind: "missing_key" });
  if (key !== simulation.apiKey) return refuse(exchange, { kind: "wrong_key", key });
  if (request.method === "POST" && `${vendor.basePath}${url.path}` === EMBEDDINGS_PATH) return serveEmbeddings(simulation, exchange, body);
  const endpoint = request.method === "POST" ? vendor.readPath(url.path, url.query) : null;
  if (endpoint === null) return refuse(exchange, { kind: "unknown_path", path: url.path });
  if (body === null) return refuse(exchange, { kind: "status", status: 413 });
  const json = parseJson(body);
  if (json === undefined) return refuse(exchange, { kind: "bad_json" });
  const reading = vendor.readCall(json.value, endpoint, request.headers);
  if ("refusal" in reading) return refuse(exchange, reading.refusal);
  const { call } = reading;
  const rule = findImageRule(vendor.provider, call);
  if (rule) return refuse(exchange, { kind: "broken_rule", ...rule });
  if (!vendor.modelNames.test(call.model) && !simulation.extraModels?.includes(call.model)) {
    return refuse(exchange, { kind: "unknown_model", model: call.model });
  }
  if (endpoint.isCount && vendor.writeCount) return answerCount(exchange, vendor.writeCount(countInputTokens(call.messages, call.tools)));
  const beyond = findWindowRule(vendor, call);
  if (beyond !== null) return refuse(exchange, { kind: "broken_rule", ...beyond });
  return answerCall(simulation, exchange, call);
}

function answerCount({ vendor, requestId, response, record }: Exchange, body: string): void {
  record.status = 200;
  record.bytesSent = Buffer.byteLength(body);
  response.writeHead(200, { "content-type": "application/json", ...vendor.replyHeaders(requestId) }).end(body);
}

const EMBEDDINGS_PATH = "/openai/v1/embeddings";

async function serveEmbeddings(simulation: Simulation, exchange: Exchange, body: string | null): Promise<void> {
  const { record, response } = exchange;
  if (body === null) return refuse(exchange, { kind: "status", status: 413 });
  const json = parseJson(body);
  if (json === undefined) return refuse(exchange, { kind: "bad_json" });
  const answer = answerEmbeddings(json.value);
  if ("rule" in answer) return refuse(exchange, { kind: "broken_rule", ...answer.rule });
  if ("unknownModel" in answer) return refuse(exchange, { kind: "unknown_model", model: answer.unknownModel });
  const { model, question } = answer;
  simulation.log.describe(record, { model, stream: false }, question);
  const { behaviour } = decideBehaviour(simulation, exchange, { model, question });
  if (behaviour.status !== undefined) return refuse(exchange, { kind: "status", status: behaviour.status });
  const text = behaviour.noUsage ? answer.body.replace(/"usage":.*$/, '"usage":null}') : answer.body;
  record.status = 200;
  record.bytesSent = Buffer.byteLength(text);
  response.writeHead(200, { "content-type": "application/json", "x-request-id": `req_${exchange.requestId}` }).end(text);
}

async function answerCall(simulation: Simulation, exchange: Exchange, call: SimulatedCall): Promise<void> {
  const { vendor, record } = exchange;
  const question = lastQuestion(call);
  simulation.log.describe(record, call, question);
  const { behaviour, problems } = decideBehaviour(simulation, exchange, { model: call.model, question });
  const answer = createAnswer(vendor, call, { behaviour, problems, caches: simulation.caches });
  const delivery = { ...exchange, call, answer, behaviour, deltaDelayMs: simulation.deltaDelayMs, log: simulation.log };
  await waitBefore(delivery);
  const status = behaviour.status ?? firstStatus(simulation, behaviour, `${vendor.provider} ${call.model} ${question}`);
  if (status !== undefined) return refuse(exchange, { kind: "status", status, retryAfterSeconds: behaviour.retryAfterSeconds });
  await deliver(delivery);
}

// Rules of the control endpoint take precedence over the header, and the header over the prompt.
function decideBehaviour(
  { control }: Simulation,
  { request, vendor }: Exchange,
  call: { model: string; question: string },
): BehaviourReading {
  const prompt = readPromptBehaviour(call.question);
  const header = readDirectives([request.headers["x-simulate"]].flat().join(" "));
  const said: Behaviour = { ...prompt.behaviour, ...header.behaviour };
  const meant = said.only === undefined || said.only === vendor.provider ? said : {};
  return {
    behaviour: { ...meant, ...control.takeBehaviour({ ...call, provider: vendor.provider }) },
    problems: [...prompt.problems, ...header.problems],
  };
}

/** The status for the first of two equal calls; the second one clears the mark. */
function firstStatus({ failedOnce }: Simulation, behaviour: Behaviour, call: string): number | undefined {
  if (behaviour.firstStatus === undefined) return undefined;
  const mark = createHash("sha256").update(call).digest("base64");
  if (failedOnce.delete(mark)) return undefined;
  failedOnce.add(mark);
  const [oldest] = failedOnce;
  if (failedOnce.size > FIRST_FAILURES_KEPT && oldest !== undefined) failedOnce.delete(oldest);
  return behaviour.firstStatus;
}

function refuse({ vendor, requestId, response, record }: Exchange, refusal: Refusal): void {
  if (response.headersSent) return void response.end();
  const { status, headers, body } = vendor.refuse(refusal, requestId);
  record.status = status;
  record.bytesSent = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, "content-length": String(record.bytesSent) }).end(body);
}

async function serveControl(
  { apiKey, control }: Simulation,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (request.headers.authorization !== `Bearer ${apiKey}`)
    return sendJson(response, 401, { error: "Send the key of the simulated models: Authorization: Bearer <key>." });
  const answer = control.answer(request.method ?? "", path, body ?? "");
  sendJson(response, answer.status, answer.body);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** The whole body as text; null when it is too large, after reading it to the end. */
function readBody(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    });
    request.on("end", () => resolve(bytes > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString("utf8")));
    request.on("error", reject);
  });
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
