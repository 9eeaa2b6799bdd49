// The service as it runs in production: with its pages. launch.mjs imports it once everything is installed and built.

import { resolve } from "node:path";
import { config, type Role } from "@/lib/base/config";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { startPages } from "./pages/pages";
import { startChildren } from "./processes/children";
import { divideRoles } from "./processes/roles";
import { runService } from "./run";
import { startService } from "./start";

/** Runs the service until a signal ends it; a second signal ends it at once. `pages` resolves when they are built. */
export const main = ({ dev, pages }: { dev: boolean; pages: Promise<void> }): Promise<void> =>
  runService(async () => {
    const { ROLES, MODE } = config();
    const [own, ...others] = divideRoles(ROLES, MODE);
    keepRoles(own);
    return startService({
      ...(own.includes("pages") && { startPages: () => pages.then(() => startPages({ dev, dir: resolve("."), isBehind: false })) }),
      ...(others.length > 0 && { startChildren: () => startChildren(others, { dev, built: pages }) }),
    });
  });

/** This process has these of the roles that it was started with: children have the others. */
function keepRoles(roles: readonly Role[]): void {
  process.env.ROLES = roles.join(",");
  forgetSingleton("config");
}
