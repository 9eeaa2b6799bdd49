// A real HTTP server whose answers a test scripts, one for each request, down to the byte and the broken connection.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach } from "vitest";

interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Answers one request; the client sees exactly what it does with the response. */
export type Step = (response: ServerResponse) => void | Promise<void>;

export interface ScriptedService {
  readonly url: string;
  /** The requests received, oldest first. */
  readonly received: Received[];
  /** The answers to the next requests, in order; the last one answers all that follow. */
  answer(...steps: Step[]): void;
}

export const REQUEST_ID = "req_0123456789abcdefghij";

/** Starts a server for a test file, and stops it at its end. */
export function openScriptedService(): ScriptedService {
  let steps: Step[] = [];
  const received: Received[] = [];
  const server = createServer(async (message, response) => {
    const step = steps.length > 1 ? steps.shift() : steps[0];
    received.push({ method: message.method, path: message.url, headers: message.headers, body: await text(message) });
    await step?.(response);
  });
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    steps = [];
    received.length = 0;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    get url() {
      return url;
    },
    received,
    answer: (...next) => {
      steps = next;
    },
  };
}

/** An answer in JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", "x-request-id": REQUEST_ID, ...headers })
      .end(JSON.stringify(body));

/** An error of the service. */
export const fault = (status: number, code: string, details: object = {}, headers: Record<string, string> = {}): Step =>
  json(status, { error: `It is ${code}`, code, details: { ...details, docs: "https://penny.example" }, requestId: REQUEST_ID }, headers);

/** A stream of these bytes, in these pieces; `end` says how it ends. */
export const stream =
  (pieces: readonly (string | Uint8Array)[], end: "close" | "reset" | "stay" = "close"): Step =>
  async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": REQUEST_ID });
    for (const piece of pieces) {
      await new Promise((written) => response.write(piece, written));
      // This sends each piece as a separate packet.
      await new Promise(setImmediate);
    }
    if (end === "close") response.end();
    if (end === "reset") response.destroy();
  };

/** Closes the connection before any answer. */
export const reset: Step = (response) => void response.destroy();

/** Never answers. */
export const hang: Step = () => undefined;

export const ANSWER = {
  success: true,
  text: "Grüße, 🦘!\nBye",
  model: "gpt-4o-mini",
  usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12 },
  cost: { inputCost: 0.00000075, outputCost: 0.0000042, totalCost: 0.00000495 },
  requestId: REQUEST_ID,
};

export const event = (name: string, body: unknown): string => `event: ${name}\ndata: ${JSON.stringify(body)}\n\n`;

export const delta = (piece: string): string => event("delta", { text: piece });

/** The stream of ANSWER. */
export const WHOLE_STREAM = `${delta("Grüße, ")}: keep-alive\n\n${delta("🦘!")}${delta("\nBye")}${event("done", ANSWER)}`;
