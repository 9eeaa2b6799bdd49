// Node's own HTTP server: every path under /api/v1/, health, readiness, metrics and x402's discovery path go straight to the
// gateway; everything else is a page and goes to `pages`.

import { isUtf8 } from "node:buffer";
import { once as nextEvent } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { log } from "@/lib/base/observe/log";
import { isDraining } from "@/lib/gateway/http/endpoint";
import { type GatewayReply, type IncomingRequest, MAX_BODY_BYTES, MAX_DISCARDED_BYTES } from "@/lib/gateway/http/request";
import { answer } from "@/lib/gateway/http/router";
import { answerTransportFault } from "./transport-fault";

export type PageHandler = (message: IncomingMessage, response: ServerResponse) => Promise<void>;

interface HttpServerOptions {
  pages: PageHandler;
  /** How long a client may take to send a whole request, headers and body. */
  requestTimeoutMs?: number;
  /** How long a client may leave written data unread before it counts as gone. */
  stallTimeoutMs?: number;
}

const gatewayPaths = new Set(["/api/health", "/api/ready", "/api/metrics", "/.well-known/x402"]);

const isGatewayPath = (path: string): boolean => path.startsWith("/api/v1/") || gatewayPaths.has(path);

/** Creates the server; the caller makes it listen. */
export function createHttpServer({ pages, requestTimeoutMs = 30_000, stallTimeoutMs = 30_000 }: HttpServerOptions): Server {
  const serve = (message: IncomingMessage, response: ServerResponse): void => {
    const url = originForm(message.url ?? "/");
    const queryAt = url.indexOf("?");
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    const query = queryAt < 0 ? "" : url.slice(queryAt + 1);
    const work = isGatewayPath(path)
      ? answerApi(message, response, { path, query, stallTimeoutMs })
      : showPage(pages, { message, response, stallTimeoutMs });
    work.catch((error: unknown) => {
      response.destroy();
      log().error({ err: error }, "answering a connection failed");
    });
  };
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
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
  // Node's own answer to an unknown expectation has no body; the expectation may be ignored.
  server.on("checkExpectation", serve);
  server.on("clientError", (error, socket) => {
    // The server listens on TCP alone, so every connection is a Socket.
    answerTransportFault(error, socket as Socket, ((socket as CountedSocket)[answering] ?? 0) > 0);
  });
  return server;
}

interface PageRequest {
  message: IncomingMessage;
  response: ServerResponse;
  stallTimeoutMs: number;
}

function showPage(pages: PageHandler, { message, response, stallTimeoutMs }: PageRequest): Promise<void> {
  // A page that takes long to render has nothing waiting to be read, and is left alone.
  response.setTimeout(stallTimeoutMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
  response.prependOnceListener("finish", () => void response.socket?.setTimeout(0));
  return pages(message, response);
}

/** The request target in origin form: as to a proxy, a client may send the whole URL (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith("/") || !URL.canParse(target)) return target;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

interface ApiOptions {
  path: string;
  query: string;
  stallTimeoutMs: number;
}

/** How many whole requests of one connection are being answered; pipelining allows several. */
const answering = Symbol("requests being answered");

type CountedSocket = Socket & { [answering]?: number };

async function answerApi(message: IncomingMessage, response: ServerResponse, options: ApiOptions): Promise<void> {
  const { path, query, stallTimeoutMs } = options;
  const body = await readBody(message);
  if (!body) return;
  const socket: CountedSocket = message.socket;
  socket[answering] = (socket[answering] ?? 0) + 1;
  try {
    const incoming = new HttpRequest({ message, path, query, body, response });
    const reply = await answer(incoming);
    if (body.bodyProblem === "too_large" || isDraining()) reply.headers.connection = "close";
    if (typeof reply.body === "string") writeWhole(response, reply, reply.body, stallTimeoutMs);
    else await writeStream(response, { reply, chunks: reply.body, gone: incoming.signal, stallTimeoutMs });
  } finally {
    socket[answering] -= 1;
  }
}

type Body = Pick<IncomingRequest, "bodyText" | "bodyProblem">;

const tooLarge: Body = { bodyText: "", bodyProblem: "too_large" };

/** Resolves with the body or its problem; null when the client disconnected before its end. */
export function readBody(message: IncomingMessage): Promise<Body | null> {
  if (message.method === "GET" || message.method === "HEAD") return Promise.resolve({ bodyText: "" });
  if (Number(message.headers["content-length"]) > MAX_DISCARDED_BYTES) return Promise.resolve(tooLarge);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      if (bytes <= MAX_DISCARDED_BYTES) return;
      // The rest is not read; the reply closes the connection.
      message.removeAllListeners("data");
      message.pause();
      resolve(tooLarge);
    });
    message.on("end", () => resolve(bytes > MAX_BODY_BYTES ? tooLarge : decode(chunks)));
    message.on("close", () => resolve(null));
    message.on("error", () => resolve(null));
  });
}

function decode(chunks: Buffer[]): Body {
  const [first] = chunks;
  const whole = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  return isUtf8(whole) ? { bodyText: whole.toString("utf8") } : { bodyText: "", bodyProblem: "not_utf8" };
}

interface HttpExchange {
  message: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: string;
  body: Body;
}

/** A class for its getter, as in gateway/http/request.ts. */
class HttpRequest implements IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingRequest["headers"];
  readonly bodyText: string;
  readonly bodyProblem: IncomingRequest["bodyProblem"];
  readonly remoteAddress: string;
  readonly #response: ServerResponse;
  #gone: AbortController | undefined;

  constructor({ message, response, path, query, body }: HttpExchange) {
    this.method = message.method ?? "GET";
    this.path = path;
    this.query = query;
    // Node makes only set-cookie a list, and no client sends it.
    this.headers = message.headers as Record<string, string | undefined>;
    this.bodyText = body.bodyText;
    this.bodyProblem = body.bodyProblem;
    this.remoteAddress = message.socket.remoteAddress ?? "";
    this.#response = response;
  }

  /** Created on first use, which JSON requests never need. */
  get signal(): AbortSignal {
    this.#gone ??= abortWhenGone(this.#response);
    return this.#gone.signal;
  }
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
  reply.headers["content-length"] = `${bytes}`;
  response.writeHead(reply.status, reply.headers);
  // For pure ASCII, latin1 writes the same bytes with half the work.
  response.end(body, bytes === body.length ? "latin1" : "utf8");
  cutOffStalled(response, stallTimeoutMs);
}

/** What the system does not take at once waits in our memory: without a timeout, forever for a client that never reads on. */
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
