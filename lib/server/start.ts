// Starts the service: database, migrations, custody, providers, limits, jobs, pages and the HTTP server, in this order; stops it in
// the reverse order. The sandbox is loaded only in sandbox mode.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { trustedProxies } from "@/lib/access/client-address";
import { closeLimits, limiter } from "@/lib/access/limits/limiter";
import { type Config, config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { setListeningAddress } from "@/lib/base/public-url";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { checkDurability } from "@/lib/db/durability";
import { migrate } from "@/lib/db/migrate";
import { knowsProxy, reportReadiness } from "@/lib/gateway/http/health";
import { prepareGateway, startProcessHeartbeat } from "@/lib/gateway/prompt/prepare";
import { databaseJobs, webJobs } from "@/lib/jobs/schedule";
import { startJobs } from "@/lib/jobs/scheduler";
import { defaultModel, listModels } from "@/lib/providers/catalogue";
import { startCustody } from "@/lib/wallets/custody/start-custody";
import { recordStart } from "./audit/operator";
import { type Database, openDatabase } from "./database";
import { createHttpServer } from "./http-server";
import { runStep, startStep } from "./launch/steps.mjs";
import type { StartPages } from "./pages";
import { drain, type Stoppable, stopParts } from "./shutdown";
import { openOwnSeed, reachSigner } from "./signer/reach-signer";
import { databaseProblem, dataDirProblem, listenProblem } from "./start-problem";

export interface Service {
  baseUrl: string;
  /** Resolves with the reason when the service cannot go on. */
  failed: Promise<Error>;
  /** Drains and stops everything, in order. */
  stop: () => Promise<void>;
}

/**
 * Starts the service and resolves when it answers.
 * @throws Error that says what to do; everything started has been stopped again
 */
export async function startService(startPages: StartPages): Promise<Service> {
  const settings = config();
  if (settings.ROLES.includes("signer")) throw new Error("ROLES: the signer is a process of its own. Start it with: npm run signer");
  trustedProxies(); // refuses a bad entry now rather than at the first request
  const running: Stoppable[] = [];
  try {
    const { server, baseUrl, failed } = await startParts(settings, startPages, running);
    return { baseUrl, failed, stop: () => drain(server, running) };
  } catch (error) {
    await stopParts(running);
    throw dataDirProblem(error, settings);
  }
}

async function startParts(
  settings: Config,
  startPages: StartPages,
  running: Stoppable[],
): Promise<{ server: Server; baseUrl: string; failed: Promise<Error> }> {
  const pages = startPages();
  pages.catch(() => undefined); // awaited below; it must not count as unhandled until then
  const opening = openOwnSeed(settings); // while the database starts: scrypt and key derivation take their time
  opening.catch(() => undefined); // awaited below, too
  const database = await runStep("Database", () => startDatabase(settings, running));
  // Before all else: what a killed process held is free five seconds after the first heartbeat.
  const heartbeat = await startProcessHeartbeat();
  running.push({ name: "heartbeat", stop: heartbeat.stop });
  const sandbox = settings.MODE === "sandbox" ? await startSandboxParts(settings, running) : null;
  const held = (await opening) ?? (await reachSigner(settings));
  if (held) running.push({ name: "signer", stop: async () => held.stop() });
  await startCustody(held?.signer ?? null);
  // Payouts, sweeps and settlements wait for a signer that is away; everything else goes on.
  if (held?.isWell) reportReadiness("signer", held.isWell, { isVital: () => false });
  const gateway = await prepareGateway();
  running.push({ name: "gateway", stop: gateway.stop });
  await recordStart(settings);
  limiter(); // with REDIS_URL it loads the client and connects now, not during the first request
  running.push({ name: "limits", stop: closeLimits });

  const jobs = startJobs([...(settings.ROLES.includes("web") ? webJobs : []), ...(settings.ROLES.includes("jobs") ? databaseJobs : [])]);
  running.push({ name: "jobs", stop: jobs.stop });
  reportReadiness("jobs", jobs.isWell);

  const { show, close } = await pages;
  running.push({ name: "pages", stop: close });
  const server = createHttpServer({
    pages: show,
    connections: { most: settings.MAX_CONNECTIONS, mostOfOne: settings.MAX_CONNECTIONS_PER_ADDRESS },
  });
  try {
    const baseUrl = await listen(server, settings);
    warnOfUnknownProxy(settings);
    const demoKey = sandbox ? await sandbox.openDemo(baseUrl) : null;
    announce(settings, { baseUrl, demoKey, chainsRun: sandbox?.untilChainsRun() });
    return { server, baseUrl, failed: database.lost };
  } catch (error) {
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

function warnOfUnknownProxy({ MODE, ROLES }: Config): void {
  if (MODE !== "live" || !ROLES.includes("web") || knowsProxy()) return;
  log().warn(
    "TRUSTED_PROXIES is not set: all clients count as one address, the proxy's. Write the addresses of the proxy that ends TLS, like loopback or 10.0.0.0/8.",
  );
}

/** Prints that the service is ready. A sandbox is ready when its chains run for the first time. */
function announce(
  settings: Config,
  { baseUrl, demoKey, chainsRun }: { baseUrl: string; demoKey: string | null; chainsRun?: Promise<boolean> },
): void {
  if (!chainsRun || !settings.ROLES.includes("jobs")) {
    printReady(settings, baseUrl, demoKey);
    return;
  }
  const step = startStep("Chains");
  void chainsRun.then((run) => {
    if (!run) return step.drop(); // the service stops
    step.done();
    printReady(settings, baseUrl, demoKey);
  });
}

async function startDatabase(settings: Config, running: Stoppable[]): Promise<Database> {
  const database = await openDatabase(settings);
  running.push({ name: "database", stop: database.stop });
  setDatabaseUrl(database.url);
  try {
    if (settings.MODE === "live") await checkDurability(database.url); // before anything is written
    await migrate({ url: database.url, mode: settings.MODE, log: (message) => log().info(message) });
  } catch (error) {
    throw settings.DATABASE_URL ? databaseProblem(error, settings.DATABASE_URL) : error;
  }
  return database;
}

async function startSandboxParts(settings: Config, running: Stoppable[]) {
  const { startSandbox } = await import("@/lib/sandbox/sandbox");
  const sandbox = await startSandbox();
  running.push({ name: "sandbox", stop: sandbox.stop });
  reportReadiness("sandbox", sandbox.isWell);
  // Programs read the chains' URLs once the service is ready. Later a chain that is down is reported, and prompts go on.
  if (settings.ROLES.includes("jobs")) {
    let haveRun = false;
    void sandbox.untilChainsRun().then((run) => {
      haveRun = run;
    });
    reportReadiness("chains", sandbox.areChainsWell, { isVital: () => !haveRun });
  }
  return sandbox;
}

/** Resolves with the address that the server answers on. A sandbox serves this machine only. */
function listen(server: Server, settings: Config): Promise<string> {
  const host = settings.HOST ?? (settings.MODE === "sandbox" ? "127.0.0.1" : "0.0.0.0");
  return new Promise((done, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) => failed(listenProblem(error, settings.PORT, host)));
    server.listen(settings.PORT, host, () => {
      const { port } = server.address() as AddressInfo;
      setListeningAddress(port);
      const baseUrl = `http://${reachableName(host)}:${port}`;
      // When an action redirects to another page, Next requests that page from itself with the caller's cookies. By default it would
      // request it from any program on port 3000.
      process.env.__NEXT_PRIVATE_ORIGIN = baseUrl;
      done(baseUrl);
    });
  });
}

/** The host to write into an address: never the wildcard address, and IPv6 in brackets. */
function reachableName(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** Prints the address; with a demo key, a curl line that works as pasted. */
function printReady(settings: Config, baseUrl: string, demoKey: string | null): void {
  const lines = [`${settings.SERVICE_NAME} (${settings.MODE}) is ready: ${baseUrl}`];
  if (demoKey) {
    const body = JSON.stringify({ model: defaultModel(listModels()).id, prompt: "What is a nano-dollar?" });
    lines.push(
      "",
      "This is a sandbox: models and money are simulated. The demo account has $25 of test USDC. Try it:",
      "",
      `curl -s ${baseUrl}/api/v1/prompt -H 'Authorization: Bearer ${demoKey}' -H 'Content-Type: application/json' -d '${body}'`,
      "",
      "Press Ctrl-C to stop.",
    );
  }
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}
