// Node's own HTTP server: every path under /api/v1/, health, readiness, metrics, x402's discovery path and the playground's prompts go
// straight to the gateway; everything else is a page and goes to `pages`.

import { once as nextEvent } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { log } from "@/lib/base/observe/log";
import { MAX_BODY_BYTES, MAX_DISCARDED_BYTES } from "@/lib/gateway/http/body-sizes";
import { contentCoding } from "@/lib/gateway/http/content-coding";
import { isDraining } from "@/lib/gateway/http/endpoint";
import { isMisplaced } from "@/lib/gateway/http/no-endpoint";
import { isNormalPath } from "@/lib/gateway/http/normal-path";
import { type GatewayReply, type IncomingRequest, type ReadBody, readText } from "@/lib/gateway/http/request";
import { answer, answerElsewhere } from "@/lib/gateway/http/router";
import { LARGE_BODY_MS, readArrivingBody } from "./arriving-body";
import { type ConnectionLimits, limitConnections } from "./connections";
import { type PageHandler, showPage } from "./pages/page-request";
import { answerPlayground, playgroundPaths } from "./playground";
import { answerTransportFault } from "./transport-fault";

export interface HttpServerOptions {
  pages: PageHandler;
  /** False in a process without the role `api`: it answers health, readiness and metrics only. */
  servesApi?: boolean;
  /** How long a client may take to send a whole request, headers and body; a body above 1 MiB has more. */
  requestTimeoutMs?: number;
  /** How long a client may leave written data unread before it counts as gone. */
  stallTimeoutMs?: number;
  /** Unlimited without. */
  connections?: ConnectionLimits;
}

const ofEveryProcess = new Set(["/api/health", "/api/ready", "/api/metrics"]);

const isGatewayPath = (path: string): boolean =>
  path.startsWith("/api/v1/") || ofEveryProcess.has(path) || path === "/.well-known/x402" || playgroundPaths.has(path) || isMisplaced(path);

/** Creates the server; the caller makes it listen. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { pages, servesApi = true, requestTimeoutMs = 30_000, stallTimeoutMs = 30_000, connections } = options;
  const answerOf = (path: string): typeof answer => {
    if (!servesApi && isGatewayPath(path) && !ofEveryProcess.has(path)) return answerElsewhere;
    return playgroundPaths.has(path) ? answerPlayground : answer;
  };
  const serve = (message: IncomingMessage, response: ServerResponse): void => {
    const url = originForm(message.url ?? "/");
    message.url = url;
    const queryAt = url.indexOf("?");
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    const query = queryAt < 0 ? "" : url.slice(queryAt + 1);
    // Next resolves dots and decodes letters: a path that it could take for one of the gateway's is refused there, before anything else.
    const work =
      isGatewayPath(path) || !isNormalPath(path)
        ? answerApi(message, response, { answer: answerOf(path), path, query, requestTimeoutMs, stallTimeoutMs })
        : showPage(pages, { message, response, requestTimeoutMs, stallTimeoutMs });
    work.catch((error: unknown) => {
      response.destroy();
      log().error({ err: error }, "could not answer a connection");
    });
  };
  const server = createServer(
    {
      // Bodies have a timeout of their own, which knows how large they may be.
      requestTimeout: requestTimeoutMs + LARGE_BODY_MS,
      headersTimeout: Math.min(requestTimeoutMs, 15_000),
      connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs / 2),
      // Above the 60 s for which load balancers keep idle connections, so that they close first.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      // Nothing here reads the Host header, and Node's own refusal of a missing one has no body.
      requireHostHeader: false,
      noDelay: true,
    },
    serve,
  );
  if (connections) limitConnections(server, connections);
  // Node's own answer to an unknown expectation has no body; the expectation may be ignored.
  server.on("checkExpectation", serve);
  server.on("checkContinue", (message: IncomingMessage, response: ServerResponse) => {
    if (isGatewayPath(originForm(message.url ?? "/").split("?", 1)[0] ?? "")) (message as AwaitingMessage)[awaitsContinue] = true;
    else response.writeContinue();
    serve(message, response);
  });
  server.on("clientError", (error, socket) => {
    // The server listens on TCP alone, so every connection is a Socket.
    answerTransportFault(error, socket as Socket, isAnswering(socket as AnsweringSocket));
  });
  return server;
}

/**
 * The request target in origin form: as to a proxy, a client may send the whole URL (RFC 9112, 3.2.2). Its path stays as it was written;
 * `URL` would resolve and decode it.
 */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = /^https?:\/\/[^/?#\\]+(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
}

interface ApiOptions {
  answer: typeof answer;
  path: string;
  query: string;
  requestTimeoutMs: number;
  stallTimeoutMs: number;
}

/** The answers under way on a connection; pipelining allows several. */
const answering = Symbol("answers under way");
/** Set on a request whose client sends the body only once it is asked for. */
const awaitsContinue = Symbol("awaits 100 Continue");

type AnsweringSocket = Socket & { [answering]?: Set<ServerResponse> };
type AwaitingMessage = IncomingMessage & { [awaitsContinue]?: boolean };

/** True once a whole request is being answered: an answer to a fault would be taken for that request's. */
function isAnswering({ [answering]: responses }: AnsweringSocket): boolean {
  for (const response of responses ?? []) if (response.req.complete || response.headersSent) return true;
  return false;
}

async function answerApi(message: IncomingMessage, response: ServerResponse, options: ApiOptions): Promise<void> {
  const { answer: answerRequest, path, query, requestTimeoutMs, stallTimeoutMs } = options;
  const socket: AnsweringSocket = message.socket;
  socket[answering] ??= new Set();
  const responses = socket[answering].add(response);
  try {
    const incoming = new HttpRequest({ message, path, query, response, requestTimeoutMs });
    const reply = await answerRequest(incoming);
    if (isDraining() || !mayDiscardRest(message)) reply.headers.connection = "close";
    if (!message.complete) discardRest(message, requestTimeoutMs);
    if (typeof reply.body === "string") writeWhole(response, reply, reply.body, stallTimeoutMs);
    else await writeStream(response, { reply, chunks: reply.body, gone: incoming.signal, stallTimeoutMs });
  } finally {
    if (message.complete || message.destroyed) responses.delete(response);
    else message.once("close", () => responses.delete(response));
  }
}

/** False for a body whose rest is too long to be read, or that its client may never send. */
function mayDiscardRest(message: AwaitingMessage): boolean {
  return message.complete || (!message[awaitsContinue] && !(Number(message.headers["content-length"]) > MAX_DISCARDED_BYTES));
}

/** Reads the rest that an endpoint did not: a client that is still sending when its connection closes is reset, and may miss the answer. */
function discardRest(message: IncomingMessage, timeoutMs: number): void {
  let bytes = 0;
  const timer = setTimeout(() => void message.socket.destroy(), timeoutMs);
  message.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_DISCARDED_BYTES) message.socket.destroy();
  });
  message.once("close", () => clearTimeout(timer));
  message.resume();
}

interface HttpExchange {
  message: AwaitingMessage;
  response: ServerResponse;
  path: string;
  query: string;
  requestTimeoutMs: number;
}

/** A class for its getter, as in gateway/http/request.ts. */
class HttpRequest implements IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingRequest["headers"];
  readonly remoteAddress: string;
  readonly #exchange: HttpExchange;
  #gone: AbortController | undefined;

  constructor(exchange: HttpExchange) {
    const { message, path, query } = exchange;
    this.method = message.method ?? "GET";
    this.path = path;
    this.query = query;
    // Node makes only set-cookie a list, and no client sends it.
    this.headers = message.headers as Record<string, string | undefined>;
    this.remoteAddress = message.socket.remoteAddress ?? "";
    this.#exchange = exchange;
  }

  readBody(limitBytes: number, bounds: Parameters<IncomingRequest["readBody"]>[1]): ReadBody | Promise<ReadBody> {
    const { message } = this.#exchange;
    if (this.method === "GET" || this.method === "HEAD") return { text: "" };
    const coding = message.headers["content-encoding"];
    if (coding !== undefined) contentCoding(coding); // an unknown coding is refused before anything is read
    // A large body is asked for once there is space for it.
    if (message[awaitsContinue] && !(Number(message.headers["content-length"]) > MAX_BODY_BYTES)) this.#writeContinue();
    if (message.complete) return this.#readRest(limitBytes, bounds);
    // A short body arrives with its headers, but Node parses it only once everything that waits for the headers has run, microtasks and
    // ticks included: in the next turn it needs no listeners and no timer.
    return new Promise((resolve) => setImmediate(() => resolve(this.#readRest(limitBytes, bounds))));
  }

  #writeContinue(): void {
    const { message, response } = this.#exchange;
    if (!message[awaitsContinue]) return;
    message[awaitsContinue] = false;
    response.writeContinue();
  }

  #readRest(limitBytes: number, bounds: Parameters<IncomingRequest["readBody"]>[1]): ReadBody | Promise<ReadBody> {
    const { message, requestTimeoutMs } = this.#exchange;
    const isPlain = message.headers["content-encoding"] === undefined;
    if (isPlain && message.complete && message.readableLength <= Math.min(limitBytes, MAX_BODY_BYTES)) {
      const bytes = message.read() as Buffer | null;
      return bytes === null ? { text: "" } : readText(bytes);
    }
    return readArrivingBody(message, {
      limitBytes,
      bounds,
      gone: () => this.signal,
      onGranted: () => this.#writeContinue(),
      timeoutMs: requestTimeoutMs,
      cut: () => cutSlow(message),
    });
  }

  /** Created on first use, which JSON requests never need. */
  get signal(): AbortSignal {
    this.#gone ??= abortWhenGone(this.#exchange.response);
    return this.#gone.signal;
  }
}

function cutSlow({ socket }: IncomingMessage): void {
  const fault = Object.assign(new Error("the body did not arrive in time"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  answerTransportFault(fault, socket, isAnswering(socket));
}

function abortWhenGone(response: ServerResponse): AbortController {
  const gone = new AbortController();
  if (response.closed && !response.writableFinished) gone.abort();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone;
}

function writeWhole(response: ServerResponse, reply: GatewayReply, body: string, stallTimeoutMs: number): void {
  const bytes = Buffer.byteLength(body);
  if (reply.status !== 204) reply.headers["content-length"] = `${bytes}`;
  response.writeHead(reply.status, reply.headers);
  // For pure ASCII, latin1 writes the same bytes with half the work.
  response.end(body, bytes === body.length ? "latin1" : "utf8");
  cutOffStalled(response, stallTimeoutMs);
}

/** Bytes that the system does not take at once wait in our memory: without a timeout, forever for a client that never reads on. */
function cutOffStalled(response: ServerResponse, stallTimeoutMs: number): void {
  if (response.writableLength === 0) return;
  // Node restarts a socket's timeout whenever some waiting data has gone out, so a slow reader is still served.
  response.setTimeout(stallTimeoutMs, () => void response.destroy());
  // Prepended: it must run before Node sets its own timeout for the idle connection.
  response.prependOnceListener("finish", () => void response.socket?.setTimeout(0));
}

interface StreamedReply {
  reply: GatewayReply;
  chunks: AsyncIterable<string>;
  gone: AbortSignal;
  stallTimeoutMs: number;
}

async function writeStream(response: ServerResponse, { reply, chunks, gone, stallTimeoutMs }: StreamedReply): Promise<void> {
  try {
    response.writeHead(reply.status, reply.headers);
    for await (const chunk of chunks) {
      if (response.destroyed) break;
      if (!response.write(chunk)) await writable(response, gone, stallTimeoutMs);
    }
    response.end();
    cutOffStalled(response, stallTimeoutMs);
  } finally {
    await reply.end();
  }
}

/** Resolves when the client has read on; a stalled client is cut off. */
async function writable(response: ServerResponse, gone: AbortSignal, stallTimeoutMs: number): Promise<void> {
  // Not AbortSignal.timeout() inside AbortSignal.any(): in Node 20 the garbage collector collects it, and it never fires.
  const stall = setTimeout(() => void response.destroy(), stallTimeoutMs);
  try {
    await nextEvent(response, "drain", { signal: gone });
  } catch {
    response.destroy(); // stalled or gone: both end the response
  } finally {
    clearTimeout(stall);
  }
}
