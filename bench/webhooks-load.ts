// Load for webhooks: 100 accounts with an endpoint each, one that hangs and one that answers 500, and a child process that delivers.
// Bundled by the bench and run as `node … <seconds>` with DATA_DIR set; its child as `node … deliver <database>`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountId } from "@/lib/base/ids";
import { setSandboxPepper } from "@/lib/base/pepper";
import { databaseUrl, setDatabaseUrl } from "@/lib/db/database-url";
import { startHeartbeat } from "@/lib/db/heartbeat";
import { pool } from "@/lib/db/pool";
import { freeEndpointsOf } from "@/lib/events/delivery/claims";
import { createEndpoint } from "@/lib/events/endpoints";
import { databaseJobs } from "@/lib/jobs/schedule";
import { startJobs } from "@/lib/jobs/scheduler";
import { openCustomers, quantile, withDatabase } from "./chains-database";

const ENDPOINTS = 100;
const PER_SECOND = 10_000 / 60;
const TICK_MS = 100;
const MAX_WAIT_MS = 60_000;
const JOBS = ["number-events", "deliver-events"];

setSandboxPepper("a pepper for the bench, of more than 32 characters");

/** The delivering process: the jobs of events as the service runs them. */
async function deliver(url: string): Promise<void> {
  setDatabaseUrl(url);
  await startHeartbeat({ roles: ["jobs"], onDead: freeEndpointsOf });
  const jobs = startJobs(databaseJobs.filter(({ name }) => JOBS.includes(name)));
  process.stdout.write("ready\n");
  process.stdin.resume();
  await once(process.stdin, "end");
  await jobs.stop();
  process.exit(0);
}

interface Seen {
  atMs: number;
  times: number;
}

/** Receives for all endpoints: the path names the endpoint. */
async function openReceivers() {
  const seen = new Map<string, Seen>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    respond(request.url ?? "", body, response);
  });
  const respond = (path: string, body: string, response: ServerResponse) => {
    if (path === "/0") return; // it hangs
    if (path === "/1") return void response.writeHead(500).end();
    const { id } = JSON.parse(body) as { id: string };
    const known = seen.get(id);
    seen.set(id, { atMs: known?.atMs ?? Date.now(), times: (known?.times ?? 0) + 1 });
    response.end("ok");
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { seen, port: (server.address() as AddressInfo).port, close: () => server.close().closeAllConnections() };
}

/** Writes this many seconds' events, spread over the accounts, each in a commit of the database's. */
async function writeEvents(accounts: readonly string[], seconds: number): Promise<void> {
  const startedAt = performance.now();
  for (let sent = 0; sent < PER_SECOND * seconds; ) {
    const due = Math.min(Math.floor(((performance.now() - startedAt) / 1_000) * PER_SECOND), Math.floor(PER_SECOND * seconds));
    if (due > sent)
      await pool().query(
        `SELECT events_record(a.account, 'key.created', '{"keyId": "key_bench", "name": "bench", "last4": "abcd"}', now())
         FROM unnest($1::text[]) AS a(account)`,
        [Array.from({ length: due - sent }, (_, index) => accounts[(sent + index) % accounts.length])],
      );
    sent = due;
    if (performance.now() - startedAt > seconds * 1_000 + 5_000) break;
    await sleep(TICK_MS);
  }
}

async function measureVolume(accounts: readonly string[], seen: Map<string, Seen>, seconds: number) {
  await writeEvents(accounts, seconds);
  const writtenAt = performance.now();
  const { rows } = await pool().query<{ id: string; at: Date }>("SELECT id, at FROM event WHERE NOT account_id = ANY ($1)", [
    accounts.slice(0, 2),
  ]);
  while (seen.size < rows.length && performance.now() < writtenAt + MAX_WAIT_MS) await sleep(TICK_MS);
  const waits = rows.flatMap(({ id, at }) => (seen.has(id) ? [(seen.get(id)?.atMs ?? 0) - at.getTime()] : []));
  return {
    ...{ sent: rows.length, received: waits.length },
    ...{ p50Ms: quantile(waits, 0.5), p95Ms: quantile(waits, 0.95), maxMs: Math.max(...waits) },
    repeated: [...seen.values()].filter(({ times }) => times > 1).length,
  };
}

async function measure(seconds: number) {
  const accounts = (await openCustomers(ENDPOINTS, 0)).map(({ account }) => account);
  const receivers = await openReceivers();
  for (const [index, accountId] of accounts.entries()) {
    const target = `http://127.0.0.1:${receivers.port}/${index}`;
    const made = await createEndpoint({ accountId: accountId as AccountId, kind: "webhook", target, types: null });
    if (!made.ok) throw new Error(made.problem);
  }
  const child = spawn(process.execPath, [process.argv[1] ?? "", "deliver", databaseUrl()], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    if (!child.stdout) throw new Error("the delivering process has no output");
    await once(child.stdout, "data");
    return await measureVolume(accounts, receivers.seen, seconds);
  } finally {
    child.stdin?.end();
    await once(child, "exit");
    receivers.close();
  }
}

const [mode = "", url = ""] = process.argv.slice(2);
if (mode === "deliver") await deliver(url);
else await withDatabase(() => measure(Number(mode)));
