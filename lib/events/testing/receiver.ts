// A receiver of webhooks for tests: a real server on this machine that keeps what it was sent, and answers as it is told.

import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  path: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Replaces the answer from now on. Without one it is 200 with a short body. */
  answer: (respond: Respond) => void;
  close: () => Promise<void>;
}

type Respond = (response: ServerResponse, received: Received) => void;

export const withStatus =
  (status: number, headers: Record<string, string> = {}): Respond =>
  (response) =>
    void response.writeHead(status, headers).end("ok");

export async function openReceiver(tls?: { key: string; cert: string }): Promise<Receiver> {
  const received: Received[] = [];
  let respond: Respond = withStatus(200);
  const listener: RequestListener = async (request, response) => {
    let body = "";
    try {
      for await (const chunk of request) body += chunk;
    } catch {
      return; // the sender went away
    }
    const got = { headers: request.headers, body, path: request.url ?? "" };
    received.push(got);
    respond(response, got);
  };
  const server = tls ? createHttpsServer(tls, listener) : createHttpServer(listener);
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? "https" : "http"}://localhost:${port}/`,
    received,
    answer: (wanted) => {
      respond = wanted;
    },
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}
