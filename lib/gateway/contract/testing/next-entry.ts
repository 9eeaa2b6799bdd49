// The Next server without Next: an HTTP server that builds web Requests for the route handlers and pipes their Responses back, like Next's
// own Node server: the request's signal aborts, and the response's body is cancelled, when the client goes.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import * as x402Route from "@/app/.well-known/x402/route";
import * as otherRoute from "@/app/api/[...path]/route";
import * as apiRoute from "@/app/api/v1/[...path]/route";

type RouteMethod = keyof typeof otherRoute & keyof typeof apiRoute & ("GET" | "POST");

/**
 * The server; the caller listens and closes. It keeps idle connections as long as our own does: a client in this process that was busy for
 * longer than Node's 5 s would send on one that is being closed.
 */
export const createNextEntry = (): Server =>
  createServer({ keepAliveTimeout: 65_000 }, (message, response) => void serveNextRoute(message, response));

/** Answers as Next would: with the route whose folder matches the path, otherwise with a page. */
export async function serveNextRoute(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (message.url ?? "/").split("?")[0] ?? "/";
  const ofApi = /^\/(?:api\/)?v1\/./.test(path) ? apiRoute : /^\/api\/./.test(path) ? otherRoute : null;
  const route = path === "/.well-known/x402" ? x402Route : ofApi;
  const answer = route?.[message.method as RouteMethod];
  if (!answer) return void response.writeHead(route ? 405 : 404, { "content-type": "text/html" }).end("<h1>A page</h1>");
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    await send(await answer(webRequest(message, gone.signal)), response, gone.signal);
  } catch {
    response.destroy(); // the client has gone, or the handler failed: an error cannot be sent either way
  }
}

function webRequest(message: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET" } = message;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) if (value !== undefined) headers.set(name, [value].flat().join(", "));
  const body = method === "GET" || method === "HEAD" ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Request(`http://${message.headers.host ?? "127.0.0.1"}${message.url}`, {
    method,
    headers,
    body,
    signal,
    duplex: "half",
  } as RequestInit);
}

async function send(reply: Response, response: ServerResponse, signal: AbortSignal): Promise<void> {
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  if (!reply.body) return void response.end();
  const sink = new WritableStream<Uint8Array>({
    write: (chunk) =>
      response.write(chunk) ? undefined : new Promise<void>((resolve) => response.once("drain", resolve).once("close", resolve)),
    close: () => void response.end(),
    abort: () => void response.destroy(),
  });
  await reply.body.pipeTo(sink, { signal });
}
