// Starts one process of the service with its roles: database, migrations, custody, providers, limits, jobs, pages and the HTTP server, in
// this order; stops it in the reverse order. The sandbox is loaded only in sandbox mode.

import { trustedProxies } from "@/lib/access/client-address";
import { closeLimits, limiter } from "@/lib/access/limits/limiter";
import { type Config, config, isReachedByStrangers, type Role } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { followDatabaseClock } from "@/lib/db/database-clock";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { checkDurability } from "@/lib/db/durability";
import { migrate } from "@/lib/db/migrate";
import { knowsProxy, reportReadiness } from "@/lib/gateway/http/health";
import { prepareGateway, startProcessHeartbeat } from "@/lib/gateway/prompt/prepare";
import { databaseJobs, webJobs } from "@/lib/jobs/schedule";
import { startJobs } from "@/lib/jobs/scheduler";
import { startCustody } from "@/lib/wallets/custody/start-custody";
import { recordStart } from "./audit/operator";
import { type Database, openDatabase } from "./database";
import { createHttpServer } from "./http-server";
import { runStep } from "./launch/steps.mjs";
import { listen } from "./listen";
import type { Pages, StartPages } from "./pages/pages";
import { showNoPages } from "./processes/away-page";
import type { Children } from "./processes/children";
import { announce } from "./ready-line";
import { drain, type Stoppable, stopParts } from "./shutdown";
import { openOwnSeed, reachSigner } from "./signer/reach-signer";
import { databaseProblem, dataDirProblem } from "./start-problem";

export interface Service {
  baseUrl: string;
  /** Resolves with the reason when the service cannot go on. */
  failed: Promise<Error>;
  /** Drains and stops everything, in order. */
  stop: () => Promise<void>;
}

export interface Surroundings {
  /** Shows pages in this process. */
  startPages?: StartPages;
  /** Start the processes with the other roles, which load while this one starts. */
  startChildren?: () => Children;
}

/**
 * Starts the service and resolves when it answers.
 * @throws Error that says what to do; everything started has been stopped again
 */
export async function startService(surroundings: Surroundings): Promise<Service> {
  const settings = config();
  if (settings.ROLES.includes("signer")) throw new Error("ROLES: the signer is a process of its own. Start it with: npm run signer");
  trustedProxies(); // refuses a bad entry now rather than at the first request
  const running: Stoppable[] = [];
  try {
    return await startParts(settings, surroundings, running);
  } catch (error) {
    await stopParts(running);
    throw dataDirProblem(error, settings);
  }
}

async function startParts(settings: Config, { startPages, startChildren }: Surroundings, running: Stoppable[]): Promise<Service> {
  const children = startChildren?.();
  if (children) running.push({ name: "children", stop: children.stop, mostMs: children.mostStopMs });
  const pages = startPages?.();
  pages?.catch(() => undefined); // awaited below; it must not count as unhandled until then
  const opening = openOwnSeed(settings); // while the database starts: scrypt and key derivation take their time
  opening.catch(() => undefined); // awaited below, too
  const database = await runStep("Database", () => startDatabase(settings, running));
  const sandbox = await startWork(settings, { opening, models: undefined }, running);
  await recordStart({ ...settings, ROLES: [...settings.ROLES, ...(children?.roles ?? [])] });
  const { show, close } = await (pages ?? withoutPages(children));
  running.push({ name: "pages", stop: close });
  const server = createHttpServer({
    pages: show,
    servesApi: settings.ROLES.includes("api"),
    connections: { most: settings.MAX_CONNECTIONS, mostOfOne: settings.MAX_CONNECTIONS_PER_ADDRESS },
  });
  children?.attachTo(server);
  try {
    const { baseUrl, port } = await listen(server, settings);
    warnOfUnknownProxy(settings);
    const demoKey = sandbox ? await sandbox.openDemo(baseUrl) : null;
    const order = { type: "start", databaseUrl: database.url, baseUrl, port, models: sandbox?.modelsAt() ?? null } as const;
    await children?.begin(order);
    announce(settings, { baseUrl, demoKey, chainsRun: chainsRun(settings, sandbox, children) });
    return { baseUrl, failed: database.lost, stop: () => drain(server, running, children) };
  } catch (error) {
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

/** Undefined where no process of this start runs chains. Once they run, readiness says so. */
function chainsRun({ ROLES }: Config, sandbox: Sandbox | null, children: Children | undefined): Promise<boolean> | undefined {
  if (ROLES.includes("jobs")) return sandbox?.untilChainsRun();
  if (!sandbox || !children?.roles.includes("jobs")) return undefined;
  return Promise.all([sandbox.untilChainsRun(), children.untilWell("chains")]).then((both) => both.every(Boolean));
}

/** Pages are those of a child, or there are none. */
const withoutPages = async (children: Children | undefined): Promise<Pages> => ({
  show: children?.showPage ?? showNoPages,
  close: async () => undefined,
});

type Sandbox = Awaited<ReturnType<typeof startSandboxParts>>;

export interface WorkParts {
  opening: ReturnType<typeof openOwnSeed>;
  /** Where the simulated models of another process answer; without them a sandbox starts its own. */
  models: { baseUrls: Readonly<Record<string, string>>; apiKey: string } | undefined;
}

/**
 * Starts the parts of a process with these roles beside its HTTP server; the database is open. Resolves with its sandbox, if it has one.
 */
export async function startWork(settings: Config, { opening, models }: WorkParts, running: Stoppable[]): Promise<Sandbox | null> {
  const has = (role: Role) => settings.ROLES.includes(role);
  const clock = await followDatabaseClock();
  running.push({ name: "clock", stop: async () => clock.stop() });
  if (has("api") || has("jobs")) {
    // Before all else: the holds of a killed process are free five seconds after the first heartbeat.
    const heartbeat = await startProcessHeartbeat().catch((error: unknown) => {
      throw aboutDatabase(error, settings);
    });
    running.push({ name: "heartbeat", stop: heartbeat.stop });
  }
  const sandbox = settings.MODE === "sandbox" ? await startSandboxParts(settings, models, running) : null;
  const held = (await opening) ?? (await reachSigner(settings));
  if (held) running.push({ name: "signer", stop: async () => held.stop() });
  await startCustody(held?.signer ?? null);
  // Payouts, sweeps and settlements wait for a signer that is away; everything else goes on.
  if (held?.isWell) reportReadiness("signer", held.isWell, { isVital: () => false });
  if (has("api")) {
    const gateway = await prepareGateway();
    running.push({ name: "gateway", stop: gateway.stop });
  }
  limiter(); // with REDIS_URL it loads the client and connects now, not during the first request
  running.push({ name: "limits", stop: closeLimits });
  const jobs = startJobs([...(has("api") ? webJobs : []), ...(has("jobs") ? databaseJobs : [])]);
  running.push({ name: "jobs", stop: jobs.stop });
  reportReadiness("jobs", jobs.isWell);
  return sandbox;
}

function warnOfUnknownProxy(settings: Config): void {
  if (settings.MODE !== "live" || !isReachedByStrangers(settings) || knowsProxy()) return;
  log().warn(
    "TRUSTED_PROXIES is not set: all clients count as one address, the proxy's. Write the addresses of the proxy that ends TLS, like loopback or 10.0.0.0/8.",
  );
}

async function startDatabase(settings: Config, running: Stoppable[]): Promise<Database> {
  const database = await openDatabase(settings);
  running.push({ name: "database", stop: database.stop });
  setDatabaseUrl(database.url);
  try {
    if (settings.MODE === "live") await checkDurability(database.url); // before anything is written
    await migrate({ url: database.url, mode: settings.MODE, log: (message) => log().info(message) });
  } catch (error) {
    throw aboutDatabase(error, settings);
  }
  return database;
}

const aboutDatabase = (error: unknown, { DATABASE_URL }: Config): unknown => (DATABASE_URL ? databaseProblem(error, DATABASE_URL) : error);

async function startSandboxParts(settings: Config, models: WorkParts["models"], running: Stoppable[]) {
  const { startSandbox } = await import("@/lib/sandbox/sandbox");
  const sandbox = await startSandbox({ modelsElsewhere: models });
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
