// The minimum cost of Node: http in, undici out over kept-alive connections, the same bytes both ways, nothing parsed. The answer is
// passed on as it arrives, as a gateway for streams must do. The header x-upstream names the provider.
// `node raw-passthrough.mjs <port>`

import { createServer } from "node:http";
import { Pool } from "undici";

const pools = new Map();
function poolOf(origin) {
  const pool =
    pools.get(origin) ??
    new Pool(origin, { connections: 1024, pipelining: 1, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 });
  pools.set(origin, pool);
  return pool;
}

const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (message, response) => {
  const chunks = [];
  message.on("data", (chunk) => chunks.push(chunk));
  message.on("end", () => {
    const { "x-upstream": origin, "content-type": type, authorization } = message.headers;
    if (!origin) return response.writeHead(404).end();
    const headers = { "content-type": type, authorization };
    poolOf(origin).request({ method: message.method, path: message.url, headers, body: Buffer.concat(chunks) }, (error, answer) => {
      if (error) return response.writeHead(502).end();
      const { "content-type": answerType, "content-length": length } = answer.headers;
      const known = length === undefined ? { "content-type": answerType } : { "content-type": answerType, "content-length": length };
      response.writeHead(answer.statusCode, known);
      answer.body.on("error", () => response.destroy());
      answer.body.pipe(response);
    });
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
