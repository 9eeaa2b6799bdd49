// The minimum cost of Node: http in, undici out over kept-alive connections, the same bytes both ways, nothing parsed. The answer is
// passed on as it arrives, as a gateway for streams must do.
// `node raw-passthrough.mjs <upstream origin> <port>`

import { createServer } from "node:http";
import { Pool } from "undici";

const [, , upstream, port] = process.argv;
const pool = new Pool(upstream, { connections: 1024, pipelining: 1, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 });

const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (message, response) => {
  const chunks = [];
  message.on("data", (chunk) => chunks.push(chunk));
  message.on("end", () => {
    const headers = { "content-type": message.headers["content-type"], authorization: message.headers.authorization };
    pool.request({ method: message.method, path: message.url, headers, body: Buffer.concat(chunks) }, (error, answer) => {
      if (error) {
        response.writeHead(502).end();
        return;
      }
      const { "content-type": type, "content-length": length } = answer.headers;
      response.writeHead(
        answer.statusCode,
        length === undefined ? { "content-type": type } : { "content-type": type, "content-length": length },
      );
      answer.body.on("error", () => response.destroy());
      answer.body.pipe(response);
    });
  });
});
server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
