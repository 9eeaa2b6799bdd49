// An HTTP server that records what a client sends.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Recorder {
  url: string;
  requests: { path: string; key: string; body: unknown }[];
  clear: () => void;
  stop: () => void;
}

export async function startRecorder(): Promise<Recorder> {
  const requests: Recorder["requests"] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    // Pieces end anywhere, also inside a character.
    request.setEncoding("utf8");
    for await (const chunk of request) body += String(chunk);
    const { authorization = "", "x-api-key": apiKey } = request.headers;
    requests.push({ path: request.url ?? "", key: String(apiKey ?? authorization.replace(/^Bearer /, "")), body: JSON.parse(body) });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    clear: () => void requests.splice(0),
    stop: () => void server.close(),
  };
}
