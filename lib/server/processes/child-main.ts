// The program of a child: it does the work of its roles once its parent orders it to begin, and ends when the parent says so or has ended
// itself.

import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname, resolve } from "node:path";
import { setFlagsFromString } from "node:v8";
import { config } from "@/lib/base/config";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { refuseNewRequests } from "@/lib/gateway/http/endpoint";
import { readWorkers } from "@/lib/gateway/http/health";
import { askForStatus } from "@/lib/gateway/http/status";
import { nameAddress } from "../listen";
import { startPages } from "../pages/pages";
import { exit } from "../run";
import { drain, type Stoppable, stopParts } from "../shutdown";
import { openOwnSeed } from "../signer/reach-signer";
import { startWork } from "../start";
import { type Channel, Link, type StartOrder } from "./link";

const LOOK_EVERY_MS = 100;
/** Without a change, too: a child that reports nothing hangs. */
const REPORT_EVERY_MS = 1_000;
/** A child whose parent was killed does not outlive it for longer. */
const STOP_WITHIN_MS = 15_000;

setFlagsFromString("--heap-growing-percent=100"); // as lib/server/launch/process.mjs says
run(process, { dev: process.argv.includes("--dev") });

function run(parent: NodeJS.Process & Channel, { dev }: { dev: boolean }): void {
  const running: Stoppable[] = [];
  let server: Server | undefined;
  let order: StartOrder | undefined;
  let began: (order: StartOrder) => void = () => undefined;
  const ordered = new Promise<StartOrder>((resolve) => {
    began = resolve;
  });
  const link = new Link(parent, { metrics: () => metrics().registry.getMetricsAsJSON() }, (message) => {
    if (message.type === "start") began(message);
    if (message.type === "drain") refuseNewRequests();
    if (message.type === "stop") void stop();
  });
  const starting = start().catch(async (error: unknown) => {
    link.send({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
    await stopParts(running);
    exit(1);
  });
  const reporting = reportRegularly(link);

  async function start(): Promise<void> {
    const settings = config();
    const pages = settings.ROLES.includes("pages") ? startPages({ dev, dir: resolve("."), isBehind: true }) : null;
    pages?.catch(() => undefined); // awaited below; it must not count as unhandled until then
    const opening = openOwnSeed(settings); // while the parent starts the database: scrypt and key derivation take their time
    opening.catch(() => undefined);
    order = await ordered;
    const { databaseUrl, baseUrl, port, models, socketPath } = order;
    setDatabaseUrl(databaseUrl);
    nameAddress(baseUrl, port);
    askForStatus(() => link.ask("status"));
    const sandbox = await startWork(settings, { opening, models: models ?? undefined }, running);
    if (pages) {
      const { show, close } = await pages;
      running.push({ name: "pages", stop: close });
      server = createServer({ ...noLimits, maxHeaderSize: 32_768, requireHostHeader: false }, (message, response) => {
        show(message, response).catch((error: unknown) => {
          response.destroy();
          log().error({ err: error }, "could not show a page");
        });
      });
      await listenAt(server, socketPath);
    }
    await sandbox?.openDemo(baseUrl);
    link.send({ type: "checks", checks: readWorkers() });
    link.send({ type: "ready" });
  }

  let stopping = false;
  async function stop(): Promise<void> {
    if (stopping) return;
    stopping = true;
    clearInterval(reporting);
    setTimeout(() => exit(1), STOP_WITHIN_MS).unref();
    if (!order) return exit(0); // it has not begun anything
    await starting;
    await drain(server ?? createServer(), running);
    if (order && !parent.connected) rmSync(dirname(order.socketPath), { recursive: true, force: true });
    exit(0);
  }

  // Its parent gets the terminal's signals, and says when to stop; it has ended when the channel closes.
  for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => undefined);
  process.on("SIGTERM", () => void stop());
  process.on("disconnect", () => void stop());
}

function reportRegularly(link: Link): NodeJS.Timeout {
  let reported = "";
  let reportedAt = Number.NEGATIVE_INFINITY;
  return setInterval(() => {
    const checks = readWorkers();
    const text = JSON.stringify(checks);
    if (text === reported && performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reported = text;
    reportedAt = performance.now();
    link.send({ type: "checks", checks });
  }, LOOK_EVERY_MS);
}

/** The API's process has its own limits for requests from outside. */
const noLimits = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

function listenAt(server: Server, socketPath: string): Promise<void> {
  rmSync(socketPath, { force: true }); // of a child before, that was killed
  return new Promise((done, failed) => {
    server.once("error", failed).listen(socketPath, done);
  });
}
