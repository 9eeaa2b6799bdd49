// An x402 facilitator with scripted answers and actions.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { forgetSingleton } from "@/lib/base/process-singleton";
import type { Payload } from "./x402";

export interface FacilitatorPart {
  /** Its answer to /verify; `isValid: true` by default. */
  verify?: object;
  /** Its answer to /settle, after its scripted action. Null never answers. */
  settle: (payload: Payload) => Promise<object | null>;
}

/** Starts a server that settles on `network`, and is this service's facilitator until it is closed. */
export async function startFacilitator(network: string) {
  const part: { now: FacilitatorPart } = { now: { settle: async () => null } };
  const asked: string[] = [];
  const answer = async (path: string, body: string): Promise<object | null> => {
    if (path === "/supported") return { kinds: [{ x402Version: 2, scheme: "exact", network }], extensions: [], signers: {} };
    if (path === "/verify") return part.now.verify ?? { isValid: true };
    return part.now.settle((JSON.parse(body) as { paymentPayload: Payload }).paymentPayload);
  };
  const open = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    open.add(response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked.push(request.url ?? "");
    const said = await answer(request.url ?? "", Buffer.concat(chunks).toString());
    if (said) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const forget = () => {
    for (const name of ["config", "x402 facilitator"]) forgetSingleton(name);
  };
  process.env.X402_FACILITATOR_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  forget();
  return {
    asked,
    play: (next: FacilitatorPart) => {
      part.now = next;
      asked.length = 0;
    },
    close: async () => {
      delete process.env.X402_FACILITATOR_URL;
      forget();
      for (const response of open) response.destroy();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
