// Sends requests with keys of accounts without money, at a fixed rate, until it is ended. Every answer must be a 402.

import { readFileSync } from "node:fs";
import { Pool } from "undici";

const { origin, path, headers, body, keys, perSecond } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const EVERY_MS = 5;
const pool = new Pool(origin, { connections: 32 });
let sent = 0;
const startedAt = performance.now();

async function ask(key) {
  const { statusCode, body: answer } = await pool.request({
    path,
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${key}` },
    body,
  });
  await answer.dump();
  if (statusCode !== 402) throw new Error(`An account without money was answered ${statusCode}`);
}

setInterval(() => {
  const due = ((performance.now() - startedAt) / 1000) * perSecond;
  for (; sent < due; sent++) void ask(keys[sent % keys.length]);
}, EVERY_MS);
process.on("SIGTERM", () => process.exit(0));
