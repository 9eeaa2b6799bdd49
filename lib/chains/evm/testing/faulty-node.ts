// A node that fails on purpose: a real server in front of a real node, which drops, delays, refuses or changes calls as configured.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface Fault {
  /** Closes the connection without a response. */
  drop?: boolean;
  delayMs?: number;
  /** Responds once this has resolved. */
  until?: Promise<unknown>;
  /** Responds with this status and no JSON. */
  status?: number;
  /** Responds with this JSON-RPC error. */
  error?: { code: number; message: string; data?: string };
  /** Responds with what this makes of the call's parameters; the node behind it never hears of the call. */
  claim?: (params: readonly unknown[]) => unknown;
  /** Changes the true result. */
  rewrite?: (result: unknown, params: readonly unknown[]) => unknown;
}

interface Call {
  method: string;
  params: unknown[];
}

/** The reply of the node at `url`; null when it is gone: a call may still be delayed when its test has stopped the chain. */
export async function forward(url: string, body: string): Promise<{ result?: unknown } | null> {
  try {
    const answer = await fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } });
    return (await answer.json()) as { result?: unknown };
  } catch {
    return null;
  }
}

/** `decide` runs at each call; null forwards the call. The caller closes the node. */
export async function startFaultyNode(behindIt: string, decide: (call: Call) => Fault | null) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const call = JSON.parse(body) as Call;
    calls.push(call);
    const fault = decide(call) ?? {};
    if (fault.delayMs) await sleep(fault.delayMs);
    await fault.until;
    if (fault.drop) return void response.destroy();
    if (fault.status) return void response.writeHead(fault.status).end("<html>no</html>");
    const send = (reply: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply }));
    if (fault.error) return void send({ error: fault.error });
    if (fault.claim) return void send({ result: fault.claim(call.params) });
    const reply = await forward(behindIt, body);
    if (!reply) return void response.destroy();
    send(fault.rewrite && "result" in reply ? { result: fault.rewrite(reply.result, call.params) } : reply);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((closed) => server.close(() => closed()));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, close };
}
