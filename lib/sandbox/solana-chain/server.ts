// The RPC's servers: HTTP on one port, and WebSocket on the next port, where clients expect it by default.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Chain } from "./chain";
import { accountMethods } from "./methods/accounts";
import { clusterMethods } from "./methods/cluster";
import { historyMethods } from "./methods/history";
import { sendMethods } from "./methods/send";
import { answerText, type Methods } from "./rpc/answer";
import { Subscriptions } from "./rpc/subscriptions";
import { acceptWebSocket } from "./rpc/websocket";

export interface ChainServer {
  /** HTTP; WebSocket is one above. */
  port: number;
  /** Call when a slot has begun. */
  notify(): void;
}

const HOST = "127.0.0.1";
const MAX_BYTES = 4 * 2 ** 20;
/** Longer than any client keeps an idle connection; otherwise it could be closed while a request is on its way. */
const KEEP_ALIVE_MS = 65_000;
const PAIRS_TRIED = 50;

/**
 * Listens on `port` and the next port; 0 picks two free ones.
 * @throws Error EADDRINUSE when one of them is taken
 */
export async function serveChain(chain: Chain, port: number): Promise<ChainServer> {
  const all = { ...clusterMethods(chain), ...accountMethods(chain), ...sendMethods(chain), ...historyMethods(chain) };
  const methods: Methods = new Map(Object.entries(all));
  const subscribers = new Set<Subscriptions>();
  const open = () => newServer(chain, methods, subscribers);
  for (let attempt = 1; ; attempt++) {
    const [http, webSocket] = [open(), open()];
    const taken = await listen(http, port);
    try {
      await listen(webSocket, taken + 1);
    } catch (error) {
      http.close();
      if (port !== 0 || attempt === PAIRS_TRIED) throw error;
      continue;
    }
    return {
      port: taken,
      notify: () => {
        for (const subscriptions of subscribers) subscriptions.notify();
      },
    };
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port));
  });
}

function newServer(chain: Chain, methods: Methods, subscribers: Set<Subscriptions>): Server {
  const server = createServer((request, response) => {
    answerRequest(methods, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = KEEP_ALIVE_MS + 1_000;
  server.on("upgrade", (request, socket: Duplex) => {
    const subscriptions = openWebSocket(chain, request, socket);
    if (subscriptions === null) return;
    subscribers.add(subscriptions);
    socket.once("close", () => subscribers.delete(subscriptions));
  });
  return server;
}

async function answerRequest(methods: Methods, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET" && request.url === "/health") return reply(response, 200, "ok", "text/plain");
  if (request.method !== "POST")
    return reply(response, 405, "Used HTTP Method is not allowed. POST or OPTIONS is required\n", "text/plain");
  // A page of another origin cannot send this type without a preflight, which is never granted here.
  if (!request.headers["content-type"]?.startsWith("application/json"))
    return reply(response, 415, "Supplied content type is not allowed. Content-Type: application/json is required\n", "text/plain");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return reply(response, 413, "Payload too large\n", "text/plain");
    chunks.push(chunk);
  }
  reply(response, 200, answerText(methods, Buffer.concat(chunks).toString("utf8")) ?? "", "application/json; charset=utf-8");
}

function reply(response: ServerResponse, status: number, text: string, type: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

function openWebSocket(chain: Chain, request: IncomingMessage, socket: Duplex): Subscriptions | null {
  const subscriptions = new Subscriptions(chain, (text) => peer?.send(text));
  const methods = subscriptions.methods();
  const peer = acceptWebSocket(request, socket, (text) => peer?.send(answerText(methods, text) ?? ""));
  return peer && subscriptions;
}
