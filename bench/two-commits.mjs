// The floor of what money costs: the passthrough of raw-passthrough.mjs that waits for one row to be on the disk before it asks the
// provider, and for another before it answers. No limits, no prices, no books: whoever sets money aside before a call and charges
// it before the answer cannot be sooner.
// `node two-commits.mjs <upstream origin> <port> <database url>`

import { createServer } from "node:http";
import pg from "pg";
import { Pool } from "undici";

const ROWS = 1_000;

const [, , upstream, port, databaseUrl] = process.argv;
const pool = new Pool(upstream, { connections: 1024, pipelining: 1, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 });
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
await client.query("CREATE TABLE IF NOT EXISTS wallet (id integer PRIMARY KEY, changes bigint NOT NULL) WITH (fillfactor = 50)");
await client.query("INSERT INTO wallet SELECT id, 0 FROM generate_series(1, $1::integer) id ON CONFLICT DO NOTHING", [ROWS]);

let commits = 0;
const commit = () => {
  commits++;
  return client.query({ name: "commit", text: "UPDATE wallet SET changes = changes + 1 WHERE id = $1", values: [1 + (commits % ROWS)] });
};

async function pass(message, body, response) {
  await commit();
  const headers = { "content-type": message.headers["content-type"], authorization: message.headers.authorization };
  const answer = await pool.request({ method: message.method, path: message.url, headers, body });
  const text = await answer.body.text();
  await commit();
  response.writeHead(answer.statusCode, { "content-type": answer.headers["content-type"], "content-length": Buffer.byteLength(text) });
  response.end(text);
}

const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (message, response) => {
  const chunks = [];
  message.on("data", (chunk) => chunks.push(chunk));
  message.on("end", () => {
    pass(message, Buffer.concat(chunks), response).catch(() => response.writeHead(502).end());
  });
});
server.listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
