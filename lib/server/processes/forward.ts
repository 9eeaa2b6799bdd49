// Passes a page's request on to the process that renders pages, and its answer back. Both are streams: nothing is held in memory, and when
// one side leaves the other ends.

import { Agent, type ClientRequest, type IncomingMessage, request as openRequest, type Server, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { writePageClient } from "@/lib/access/page-client";
import { log } from "@/lib/base/observe/log";
import type { PageHandler } from "../pages/page-request";
import { showAway } from "./away-page";

/** Headers of one connection (RFC 9110, 7.6.1), and what our own server has answered already. */
const ofConnection = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect"]);

/** Shows pages of the process at `socketPath`; while there is none, a page that says so. */
export function forwardPages(socketPath: () => string | null): PageHandler {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  return async (message, response) => {
    const path = socketPath();
    if (path === null) return showAway(message, response);
    writePageClient(message);
    const onward = openRequest({
      socketPath: path,
      agent,
      method: message.method,
      path: message.url,
      headers: headersOf(message),
      setHost: false,
    });
    const leave = () => onward.destroy();
    response.once("close", leave);
    try {
      await passBack(await send(message, onward), response);
    } catch (error) {
      onward.destroy();
      if (response.destroyed) return; // the client has left, or has seen a part of the answer
      if (response.headersSent) return void response.destroy();
      log().warn({ err: error }, "the process for pages did not answer");
      showAway(message, response);
    } finally {
      response.off("close", leave);
    }
  };
}

function headersOf({ headers }: IncomingMessage): Record<string, string | string[]> {
  const named = new Set(
    (headers.connection ?? "")
      .toLowerCase()
      .split(",", 32)
      .map((name) => name.trim()),
  );
  const onward: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !ofConnection.has(name) && !named.has(name)) onward[name] = value;
  }
  // Node frames no body of a GET by itself: there the body would be the connection's next request.
  if (headers["transfer-encoding"] !== undefined) onward["transfer-encoding"] = "chunked";
  return onward;
}

/** Sends the whole request on; resolves with the answer, which may come before all of the request was sent. */
function send(message: IncomingMessage, onward: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    onward.once("response", resolve).on("error", reject);
    message.pipe(onward);
  });
}

async function passBack(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers: string[] = [];
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = answer.rawHeaders.slice(at, at + 2);
    if (!ofConnection.has(name.toLowerCase())) headers.push(name, value);
  }
  response.writeHead(answer.statusCode ?? 502, headers);
  response.flushHeaders(); // a stream of events may say nothing for a while
  await pipeline(answer, response);
}

/** In development: passes on the socket by which Next's pages learn of changes. Nothing else is upgraded. */
export function forwardUpgrades(server: Server, socketPath: () => string | null): void {
  server.on("upgrade", (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = message.url?.startsWith("/_next/") ? socketPath() : null;
    if (path === null) return void socket.destroy();
    const onward = connect(path);
    const lines = [`${message.method} ${message.url} HTTP/1.1`];
    for (let at = 0; at + 1 < message.rawHeaders.length; at += 2) lines.push(`${message.rawHeaders[at]}: ${message.rawHeaders[at + 1]}`);
    onward.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
    onward.write(head);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on("error", () => other.destroy()).pipe(other);
    }
  });
}
