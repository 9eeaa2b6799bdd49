// A proxy between an agent and the service that passes everything on at once and keeps it.

import { createServer, type IncomingHttpHeaders, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Exchange } from "@/lib/gateway/contract/testing/session";

export interface Recorder {
  url: string;
  /** All exchanges since the last `take`. */
  take: () => Exchange[];
  stop: () => Promise<void>;
}

/** Of the connection, of the machine, or secret. */
const left = new Set(["authorization", "connection", "content-length", "host", "transfer-encoding", "x-api-key"]);

const toRecord = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (left.has(name) ? [] : [[name, String(value)]])));

export async function startRecorder(serviceUrl: string): Promise<Recorder> {
  const { hostname, port, host } = new URL(serviceUrl);
  let exchanges: Exchange[] = [];
  const server = createServer((incoming, outgoing) => {
    const [sent, got]: [Buffer[], Buffer[]] = [[], []];
    const call = request(
      { hostname, port, path: incoming.url, method: incoming.method, headers: { ...incoming.headers, host } },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.on("data", (chunk: Buffer) => {
          got.push(chunk);
          outgoing.write(chunk);
        });
        reply.on("end", () => outgoing.end());
        // An agent may hang up once it has read what it wants.
        reply.on("close", () => {
          exchanges.push({
            method: incoming.method ?? "",
            path: incoming.url ?? "",
            headers: toRecord(incoming.headers),
            body: Buffer.concat(sent).toString("utf8"),
            status: reply.statusCode ?? 0,
            answer: Buffer.concat(got).toString("utf8"),
          });
        });
        reply.on("error", () => outgoing.destroy());
      },
    );
    call.on("error", () => outgoing.destroy());
    outgoing.on("close", () => call.destroy());
    incoming.on("data", (chunk: Buffer) => {
      sent.push(chunk);
      call.write(chunk);
    });
    incoming.on("end", () => call.end());
  });
  // Codex offers a websocket first, at OpenAI's own address. What is said of it is passed on as it is.
  server.on("upgrade", ({ method, url, rawHeaders }, socket) => {
    const service = connect(Number(port), hostname);
    const headers = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
    service.write(`${method} ${url} HTTP/1.1\r\n${headers}\r\n`);
    service.pipe(socket).pipe(service);
    for (const end of [service, socket]) end.on("error", () => [service, socket].map((one) => one.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = exchanges;
      exchanges = [];
      return taken;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
