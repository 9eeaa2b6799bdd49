// The simulated vendors: one HTTP server with the wire formats of OpenAI, Anthropic, Gemini, xAI and DeepSeek, each below its base path. It
// checks keys, answers at once or at a model's pace, and fails on request.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { randomBase62 } from "@/lib/base/ids";
import { createAnswer, lastQuestion } from "./answer";
import { anthropic } from "./anthropic";
import { type BehaviourReading, readPromptBehaviour } from "./behaviour";
import { CallLog } from "./call-log";
import { findWindowProblem } from "./context-window";
import { Control } from "./control";
import { deliver, type Exchange, waitBefore } from "./deliver";
import { gemini } from "./gemini";
import { deepseek, openai, xai } from "./openai";
import { answerEmbeddings } from "./openai/embeddings";
import { PromptCaches } from "./prompt-caches";
import { countInputTokens } from "./tokens";
import type { Problem, SimulatedCall, Vendor } from "./vendor";

interface Simulation {
  /** The key for every vendor and the control endpoint. */
  apiKey: string;
  /** Milliseconds between two deltas of a stream. */
  deltaDelayMs: number;
  log: CallLog;
  control: Control;
  caches: PromptCaches;
}

const vendors: readonly Vendor[] = [openai, anthropic, gemini, xai, deepseek];

const EMBEDDINGS_PATH = "/openai/v1/embeddings";
// Longer than any client keeps an idle connection, so that this side never closes a connection that is just being reused.
const KEEP_ALIVE_MS = 75_000;

/** Creates the server; the caller listens and closes. */
export function createSimulatedServer(options: Pick<Simulation, "apiKey" | "deltaDelayMs">): Server {
  const log = new CallLog();
  const simulation: Simulation = { ...options, log, control: new Control(log), caches: new PromptCaches() };
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true }, (request, response) => {
    serve(simulation, request, response).catch((error: unknown) => {
      process.stderr.write(`simulated models: ${error instanceof Error ? error.stack : String(error)}\n`);
      response.destroy();
    });
  });
}

async function serve(simulation: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
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
    await serveCall(simulation, exchange, { path, query });
  } catch (error) {
    // Waits throw an abort when the client disconnects, and a body that stops half-way errors; no client is left to respond to.
    if (!goes.signal.aborted && request.errored === null) throw error;
  }
}

async function serveCall(simulation: Simulation, exchange: Exchange, url: { path: string; query: URLSearchParams }): Promise<void> {
  const { request, vendor, record } = exchange;
  const body = await text(request);
  record.bytesReceived = Buffer.byteLength(body);
  const key = vendor.readKey(request.headers);
  if (key !== simulation.apiKey) return refuse(exchange, key === undefined ? vendor.missingKey : vendor.wrongKey);
  const json = parseJson(body);
  if (json === undefined) return refuse(exchange, { status: 400, message: "The request body is not valid JSON." });
  if (url.path === EMBEDDINGS_PATH) return serveEmbeddings(simulation, exchange, json);
  const endpoint = request.method === "POST" ? vendor.readPath(url.path.slice(vendor.basePath.length), url.query) : null;
  if (endpoint === null) return refuse(exchange, { status: 404, message: `Nothing is at ${url.path}.` });
  const call = readCall(() => vendor.readCall(json, endpoint, request.headers));
  if (typeof call === "string") return refuse(exchange, { status: 400, message: call });
  if (!vendor.modelNames.test(call.model)) return refuse(exchange, vendor.unknownModel(call.model));
  if (endpoint.isCount && vendor.writeCount) return sendWhole(exchange, vendor.writeCount(countInputTokens(call.messages, call.tools)));
  const beyond = findWindowProblem(vendor.provider, call);
  return beyond ? refuse(exchange, beyond) : answerCall(simulation, exchange, call);
}

/** The call that `read` reads, or why there is none. */
function readCall(read: () => SimulatedCall | string): SimulatedCall | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError) return `The request does not have this API's form: ${error.message}`;
    throw error;
  }
}

async function serveEmbeddings(simulation: Simulation, exchange: Exchange, json: unknown): Promise<void> {
  const answer = answerEmbeddings(json);
  if (answer === null) return refuse(exchange, exchange.vendor.unknownModel("of this name"));
  const { model, question, body } = answer;
  simulation.log.describe(exchange.record, { model, stream: false, question });
  const { behaviour } = decideBehaviour(simulation, exchange, { model, question });
  if (behaviour.status !== undefined) return refuseWith(exchange, behaviour.status);
  const { noUsage, usage } = behaviour;
  const told = noUsage ? "null" : usage && `{"prompt_tokens":${usage.inputTokens},"total_tokens":${usage.inputTokens}}`;
  sendWhole(exchange, told ? body.replace(/"usage":.*/s, `"usage":${told}}`) : body);
}

async function answerCall(simulation: Simulation, exchange: Exchange, call: SimulatedCall): Promise<void> {
  const { vendor, record } = exchange;
  const question = lastQuestion(call);
  const { model, stream, maxOutputTokens, temperature } = call;
  simulation.log.describe(record, { model, stream, maxOutputTokens, temperature, question });
  const { behaviour, problems } = decideBehaviour(simulation, exchange, { model, question });
  const answer = createAnswer(vendor, call, { behaviour, problems, caches: simulation.caches });
  const delivery = { ...exchange, call, answer, behaviour, deltaDelayMs: simulation.deltaDelayMs, log: simulation.log };
  await waitBefore(delivery);
  if (behaviour.status !== undefined) return refuseWith(exchange, behaviour.status, behaviour.retryAfterSeconds);
  await deliver(delivery);
}

// Rules of the control endpoint take precedence over the prompt.
function decideBehaviour({ control }: Simulation, { vendor }: Exchange, call: { model: string; question: string }): BehaviourReading {
  const { behaviour, problems } = readPromptBehaviour(call.question);
  return { behaviour: { ...behaviour, ...control.takeBehaviour({ ...call, provider: vendor.provider }) }, problems };
}

/** Refuses with the status of a directive. */
function refuseWith(exchange: Exchange, status: number, retryAfterSeconds?: number): void {
  const { statuses } = exchange.vendor;
  const words = statuses.get(status) ?? (status >= 500 ? statuses.get(500) : undefined);
  const message = `The simulated vendor was told to answer ${status}.`;
  refuse(exchange, { status, message, ...words }, retryAfterSeconds);
}

function refuse(exchange: Exchange, problem: Problem, retryAfterSeconds?: number): void {
  const { vendor, requestId, response } = exchange;
  if (response.headersSent) return void response.end();
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  sendWhole(exchange, vendor.writeError(problem, { requestId, retryAfterSeconds }), problem.status, headers);
}

function sendWhole({ vendor, requestId, response, record }: Exchange, body: string, status = 200, headers = {}): void {
  record.status = status;
  record.bytesSent = Buffer.byteLength(body);
  const common = { "content-type": "application/json", "content-length": String(record.bytesSent) };
  response.writeHead(status, { ...common, ...vendor.replyHeaders(requestId), ...headers }).end(body);
}

async function serveControl(
  { apiKey, control }: Simulation,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await text(request);
  if (request.headers.authorization !== `Bearer ${apiKey}`)
    return sendJson(response, 401, { error: "Send the key of the simulated models: Authorization: Bearer <key>." });
  const answer = control.answer(request.method ?? "", path, body);
  sendJson(response, answer.status, answer.body);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
