// The other processes of a start, as the first one sees them: they get its order to begin, show its pages, and report on themselves.

import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Role } from "@/lib/base/config";
import { type Check, reportOthers } from "@/lib/gateway/http/health";
import { readOwnStatus } from "@/lib/gateway/http/status";
import type { PageHandler } from "../pages/page-request";
import { Child } from "./child";
import { forwardPages, forwardUpgrades } from "./forward";
import type { StartOrder } from "./link";

export interface Children {
  roles: readonly Role[];
  /** Resolves when all serve. @throws Error with the reason when one cannot start */
  begin: (order: Omit<StartOrder, "socketPath">) => Promise<void>;
  /** Undefined when none of them shows pages. */
  showPage: PageHandler | undefined;
  /** Adds to the server what the pages need of it in development. */
  attachTo: (server: Server) => void;
  /** Resolves with true once a child reports that this part of it is well; false when they are stopped before. */
  untilWell: (part: string) => Promise<boolean>;
  drain: () => void;
  stop: () => Promise<void>;
  /** After this time they have been ended. */
  mostStopMs: number;
}

const STOP_MS = 25_000;
const LOOK_EVERY_MS = 20;

/** Starts one process for each group of roles. */
export function startChildren(groups: readonly (readonly Role[])[], { dev, built }: { dev: boolean; built: Promise<void> }): Children {
  const all = groups.map((roles) => new Child(roles, { dev, built, readStatus: readOwnStatus }));
  const pages = all.find(({ roles }) => roles.includes("pages"));
  let isStopping = false;
  const stopReporting = reportOthers({
    checks: () => all.flatMap(checksOf),
    metrics: () => Promise.all(all.map((child) => child.readMetrics())),
  });
  return {
    roles: groups.flat(),
    begin: async (order) => void (await Promise.all(all.map((child) => child.begin(order)))),
    attachTo: (server) => {
      if (dev && pages) forwardUpgrades(server, () => pages.socketPath);
    },
    showPage: pages && forwardPages(() => pages.socketPath),
    untilWell: async (part) => {
      const isWell = () => all.some((child) => child.checks?.some((check) => check.name === part && check.isWell));
      while (!isStopping && !isWell()) await sleep(LOOK_EVERY_MS);
      return !isStopping;
    },
    drain: () => {
      for (const child of all) child.drain();
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(all.map((child) => child.stop()));
      stopReporting();
    },
    mostStopMs: STOP_MS,
  };
}

/** Until it serves for the first time the service is not ready; afterwards the API goes on without it. */
function checksOf(child: Child): Omit<Check, "wrongSince">[] {
  const { checks, hasServed, roles } = child;
  const name = roles.includes("pages") ? "pages" : roles.join(" ");
  const itself = { name, isWell: checks !== null, isVital: !hasServed };
  return [itself, ...(checks ?? []).map((check) => (hasServed && check.name !== "chains" ? { ...check, isVital: false } : check))];
}
