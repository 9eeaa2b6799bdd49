// For tests: a real HTTP server on 127.0.0.1 that plays a provider, well or badly, and a small wire format for it.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { noTokens } from "@/lib/base/tokens/token-kinds";
import { type ProviderEvent, ProviderFailure, type WireFormat } from "../types";

export interface ProviderServer {
  url: string;
  /** Requests seen so far. */
  requests: { path: string; headers: IncomingMessage["headers"]; body: string }[];
  /** Connections accepted so far. */
  accepted: () => number;
  /** Answers whose connection was closed before they were complete. */
  cutOff: () => number;
  close: () => Promise<void>;
}

export type Behaviour = (response: ServerResponse, nth: number, request: IncomingMessage) => void;

/** Starts a server that answers every request with `behave`; `nth` counts from 0. */
export async function startProvider(behave: Behaviour): Promise<ProviderServer> {
  const sockets = new Set<Socket>();
  const requests: ProviderServer["requests"] = [];
  let accepted = 0;
  let cutOff = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      response.on("close", () => {
        if (!response.writableFinished) cutOff += 1;
      });
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      behave(response, requests.length - 1, request);
    });
  });
  server.on("connection", (socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 2_048 }, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    accepted: () => accepted,
    cutOff: () => cutOff,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port without a listener. */
export async function closedPort(): Promise<string> {
  const server = await startProvider(() => undefined);
  await server.close();
  return server.url;
}

/** Lines of `text …`, ended by `end <inputTokens> <outputTokens>` or `end`; a JSON call gets the same lines at once. */
export const lineFormat: WireFormat = {
  id: "openai",
  buildRequest: (call, wireName, apiKey, provider) => ({
    path: "say",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "text/plain" },
    body: JSON.stringify({ wireName, provider, stream: call.stream }),
  }),
  readReply: (body) => body.split("\n").filter(Boolean).map(readLine),
  readStream: async function* (chunks) {
    let rest = "";
    for await (const chunk of chunks) {
      rest += Buffer.from(chunk).toString();
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const event = readLine(line);
        yield event;
        if (event.type === "finish") return;
      }
    }
    throw new ProviderFailure("malformed", "no end", { accepted: true });
  },
  readError: (status, headers, body) => {
    const kind = status === 400 ? "rejected" : status === 401 ? "misconfigured" : "unavailable";
    const retryAfter = headers["retry-after"];
    return new ProviderFailure(kind, `HTTP ${status}: ${body}`, {
      httpStatus: status,
      busy: status === 429 || status === 529,
      retryAfterMs: typeof retryAfter === "string" ? Number(retryAfter) * 1_000 : undefined,
    });
  },
};

function readLine(line: string): ProviderEvent {
  const [word, ...rest] = line.split(" ");
  if (word === "text") return { type: "text", text: rest.join(" ") };
  if (word === "overloaded") throw new ProviderFailure("unavailable", "overloaded", { accepted: true });
  if (word !== "end") throw new ProviderFailure("malformed", `not a line of this format: ${line.slice(0, 40)}`);
  const [input, output] = rest.map(Number);
  const usage = input === undefined || output === undefined ? null : { ...noTokens, inputTokens: input, outputTokens: output };
  return { type: "finish", reason: "stop", usage };
}
