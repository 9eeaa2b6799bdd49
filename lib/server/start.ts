// Starts the service: database, migrations, providers, jobs, pages and the door, in this order, and stops it in the reverse
// one. The sandbox is loaded only in sandbox mode.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { trustedProxies } from "@/lib/access/client-address";
import { type Config, config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { startEmbeddedPostgres } from "@/lib/db/embedded";
import { migrate } from "@/lib/db/migrate";
import { setDatabaseUrl } from "@/lib/db/pool";
import { reportReadiness } from "@/lib/gateway/health";
import { prepareGateway } from "@/lib/gateway/prepare";
import { databaseJobs, webJobs } from "@/lib/jobs/schedule";
import { startJobs } from "@/lib/jobs/scheduler";
import { setListeningAddress } from "@/lib/gateway/public-url";
import { makeDoor } from "./door";
import { startPages } from "./pages";
import { drain, type Stoppable } from "./shutdown";
import { sayReady } from "./welcome";

interface Service {
  baseUrl: string;
  /** Drains and stops everything, in order. */
  stop: () => Promise<void>;
}

/**
 * Starts the service and resolves when it answers.
 * @throws Error that says what to do; whatever was started has been stopped again
 */
export async function startService(options: { dev: boolean }): Promise<Service> {
  const settings = config();
  trustedProxies(); // refuses a bad entry now rather than at the first request
  const running: Stoppable[] = [];
  try {
    const { server, baseUrl } = await startParts(settings, options, running);
    return { baseUrl, stop: () => drain(server, running) };
  } catch (error) {
    for (const part of running.reverse()) await part.stop();
    throw error;
  }
}

async function startParts(settings: Config, options: { dev: boolean }, running: Stoppable[]): Promise<{ server: Server; baseUrl: string }> {
  const pages = startPages({ dev: options.dev, dir: resolve(".") });
  pages.catch(() => undefined); // awaited below; it must not count as unhandled until then
  await startDatabase(settings, running);
  const sandbox = settings.MODE === "sandbox" ? await startSandboxParts(running) : null;
  const gateway = await prepareGateway();
  running.push({ name: "gateway", stop: gateway.stop });

  const jobs = startJobs([...(settings.ROLES.includes("web") ? webJobs : []), ...(settings.ROLES.includes("jobs") ? databaseJobs : [])]);
  running.push({ name: "jobs", stop: jobs.stop });
  reportReadiness("jobs", jobs.isWell);

  const { handle, close } = await pages;
  running.push({ name: "pages", stop: close });
  const server = makeDoor({ pages: handle });
  const baseUrl = await listen(server, settings);
  const demoKey = sandbox ? await sandbox.openDemo(baseUrl) : null;
  sayReady(settings, baseUrl, demoKey);
  return { server, baseUrl };
}

async function startDatabase(settings: Config, running: Stoppable[]): Promise<void> {
  let url = settings.DATABASE_URL;
  if (!url) {
    const embedded = await startEmbeddedPostgres({ dataDir: resolve(join(settings.DATA_DIR, "postgres")), log: (message) => log().info(message) });
    running.push({ name: "database", stop: embedded.stop });
    url = embedded.url;
  }
  setDatabaseUrl(url);
  await migrate({ url, mode: settings.MODE, log: (message) => log().info(message) });
}

async function startSandboxParts(running: Stoppable[]) {
  const { startSandbox } = await import("@/lib/sandbox/sandbox");
  const sandbox = await startSandbox();
  running.push({ name: "sandbox", stop: sandbox.stop });
  reportReadiness("sandbox", sandbox.isWell);
  return sandbox;
}

/** Resolves with the address that the server answers on. A sandbox is for this machine alone. */
function listen(server: Server, settings: Config): Promise<string> {
  const host = settings.HOST ?? (settings.MODE === "sandbox" ? "127.0.0.1" : "0.0.0.0");
  return new Promise((done, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      failed(error.code === "EADDRINUSE" ? new Error(`Port ${settings.PORT} is taken: stop what listens there, or set PORT to another one, for example PORT=${settings.PORT + 1}.`) : error);
    });
    server.listen(settings.PORT, host, () => {
      const { port } = server.address() as AddressInfo;
      setListeningAddress(port);
      done(`http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`);
    });
  });
}
