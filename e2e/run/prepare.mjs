// Prerequisites of a run: the packages, the Prisma client, and for the tests Chromium and Redis.

import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { installCommand } from "../../lib/server/launch/install.mjs";
import { missingPackage } from "../../lib/server/launch/packages.mjs";
import { root, run } from "./children.mjs";

/** Installs the packages when they are missing or differ from the lockfile. Returns false when that failed. */
export async function preparePackages(report) {
  const missing = missingPackage(root, { dev: true });
  if (missing === null) {
    report.say("packages", "up to date");
    return true;
  }
  report.say("packages", `installing (${missing})`);
  const result = await run(...installCommand(root, { dev: true }));
  if (result.code === 0) return true;
  report.fail("packages", `npm did not install the packages:\n${result.output}`);
  return false;
}

/** Generates the Prisma client, without which types and tests are meaningless. */
export async function prepareClient(report) {
  const result = await run(process.execPath, ["lib/db/generate.mjs"]);
  if (result.code === 0) report.say("client", "generated");
  else report.fail("client", `node lib/db/generate.mjs did not succeed:\n${result.output}`);
}

/** Builds the pages and the server, as a start does, for the browser tests. */
export async function prepareBuild(report) {
  if (browserTests().length === 0 || !hasChromium()) return;
  const result = await run(process.execPath, ["lib/server/launch.mjs", "--build-only"], { env: { NODE_ENV: "production" } });
  if (result.code === 0) report.say("build", "up to date");
  else report.fail("build", `node lib/server/launch.mjs --build-only did not succeed:\n${result.output}`);
}

/** Files with browser tests. */
export const browserTests = () => readdirSync(join(root, "e2e"), { recursive: true }).filter((name) => name.endsWith(".spec.ts"));

/** The headless shell first: a whole Chromium also draws its own toolbar as a page, which takes as much CPU as the tests. */
const chromiumNames = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Path of the system's Chromium, or null. */
export const findChromium = () => process.env.CHROMIUM_PATH || firstOnPath(chromiumNames);

/** True where Playwright has downloaded its own Chromium. */
function hasPlaywrightChromium() {
  const caches = [
    process.env.PLAYWRIGHT_BROWSERS_PATH,
    join(homedir(), ".cache/ms-playwright"),
    join(homedir(), "Library/Caches/ms-playwright"),
  ];
  return caches.some((folder) => folder && existsSync(folder) && readdirSync(folder).some((name) => name.startsWith("chromium")));
}

export const hasChromium = () => findChromium() !== null || hasPlaywrightChromium();
const hasRedis = () => firstOnPath(["redis-server"]) !== null;

function firstOnPath(names) {
  const folders = (process.env.PATH ?? "").split(delimiter).concat("/usr/bin", "/usr/local/bin");
  for (const name of names) {
    for (const folder of folders) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not in this folder.
      }
    }
  }
  return null;
}

/** Installs Chromium and Redis where apt is allowed; elsewhere prints how. Tests that need a missing tool are skipped. */
export async function prepareTools(report, { browser }) {
  const needs = [
    { name: "Redis", packages: ["redis-server"], isThere: hasRedis, how: "install redis-server and put it on the PATH" },
    ...(browser
      ? [
          {
            name: "Chromium",
            packages: ["chromium-headless-shell", "chromium"],
            isThere: hasChromium,
            how: "install chromium, or run: npx playwright install chromium",
          },
        ]
      : []),
  ];
  const missing = needs.filter((need) => !need.isThere());
  if (missing.length > 0) await installByApt(report, missing);
  for (const need of needs)
    report.say("tools", need.isThere() ? `${need.name} is there` : `${need.name} is missing, and what needs it is skipped: ${need.how}`);
}

/** Installs of each need the first of its packages that apt knows. */
async function installByApt(report, needs) {
  if (firstOnPath(["apt-get"]) === null) return;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && (await run("sudo", ["-n", "true"])).code !== 0) return;
  report.say("tools", `installing ${needs.map((need) => need.name).join(" and ")} by apt`);
  const apt = (...args) => {
    const command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=120", ...args];
    return isRoot ? run(command[0], command.slice(1)) : run("sudo", ["-n", ...command]);
  };
  await apt("update", "-q");
  for (const { name, packages, isThere } of needs) {
    let output = "";
    for (const package_ of packages) {
      if (isThere()) break;
      ({ output } = await apt("install", "-q", "-y", "--no-install-recommends", package_));
    }
    if (!isThere()) report.say("tools", `apt could not install ${name}:\n${output.trimEnd().split("\n").slice(-5).join("\n")}`);
  }
}
