// A proxy in front of a simulated provider: it keeps what we sent, and passes it on.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Endpoints, endpointAt } from "@/lib/providers/endpoints";
import type { ProviderId } from "@/lib/providers/model-route";

interface RecordedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export interface Recorder {
  requests: RecordedRequest[];
  endpoints: Endpoints;
  stop(): Promise<void>;
}

/** Starts a recorder in front of one provider of `behind`. */
export async function recordRequests(behind: Endpoints, provider: ProviderId): Promise<Recorder> {
  const target = behind.get(provider);
  if (!target) throw new Error(`${provider} is not simulated`);
  const requests: RecordedRequest[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    requests.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(sent) as Record<string, unknown> });
    const { host: _host, "content-length": _length, connection: _connection, ...headers } = request.headers;
    const answer = await fetch(`${target.baseUrl}${request.url}`, {
      method: "POST",
      headers: headers as Record<string, string>,
      body: sent,
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
    response.end(await answer.text());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    requests,
    endpoints: new Map([...behind, [provider, endpointAt(provider, baseUrl, target.apiKey)]]),
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
