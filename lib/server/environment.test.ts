// Which processes see the settings: the service does; the install, the build and the programs that it starts do not.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createLauncherProject } from "./testing/launcher-project";
import { bundleService, childrenOf, cleanUpServices, databasePid, newDataDir, startService, untilSandboxRuns } from "./testing/service";

afterAll(cleanUpServices);

/** Secrets in .env, and secrets that an operator sets in the environment. */
const secretsOfFile = {
  CUSTODY_PASSPHRASE: "passphrase-of-a-seed",
  KEY_PEPPER: "pepper-of-all-keys",
  NEXTAUTH_SECRET: "secret-of-next-auth",
};
const secretsOfProcess = { DATABASE_URL: "postgresql://u:secret-of-the-database@h/d", OPENAI_API_KEY: "key-of-a-provider" };
const secrets: readonly string[] = Object.values({ ...secretsOfFile, ...secretsOfProcess });

/** Source of a line that writes the environment of its process to a file in the project. */
const record = (name: string) => `(await import("node:fs")).writeFileSync("environment-of-${name}", JSON.stringify(process.env));\n`;

/** A project with only the launcher, whose tools write down their environment. */
function project(): string {
  const { root, write } = createLauncherProject();
  const settings = { ...secretsOfFile, NEXT_PUBLIC_NAME: "shown to everybody" };
  write(
    ".env",
    Object.entries(settings)
      .map(([name, value]) => `${name}="${value}"\n`)
      .join(""),
  );
  write("npm-cli.js", record("npm"));
  write("lib/db/generate.mjs", `export async function generatePrismaClient() { ${record("prisma")} }`);
  write("node_modules/next/dist/bin/next.mjs", record("next"));
  write("node_modules/next/dist/bin/next", 'import("./next.mjs");');
  const main = `export async function main() { ${record("service")} }`;
  const build = `(await import("node:fs")).mkdirSync("dist"); (await import("node:fs")).writeFileSync("dist/main.mjs", ${JSON.stringify(main)});`;
  write("node_modules/esbuild/index.js", `exports.stop = () => {}; exports.build = async () => { ${record("esbuild")} ${build} };`);
  return root;
}

test("npm, Prisma, esbuild and next build get no setting but NEXT_PUBLIC_…; the service gets all", () => {
  const root = project();
  const environment = { PATH: process.env.PATH, HOME: root, HTTPS_PROXY: "http://proxy:1", npm_config_registry: "http://registry:1" };
  const { status, stderr } = spawnSync(process.execPath, ["lib/server/launch.mjs"], {
    cwd: root,
    env: { ...environment, ...secretsOfProcess, NODE_ENV: "production", npm_execpath: join(root, "npm-cli.js") },
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  const environmentOf = (name: string) => readFileSync(join(root, `environment-of-${name}`), "utf8");
  for (const name of ["npm", "prisma", "esbuild", "next"]) {
    for (const secret of secrets) expect(environmentOf(name), name).not.toContain(secret);
    // npm_ variables lead to the registry; and Next must not load .env on its own.
    const passed = { ...environment, NEXT_PUBLIC_NAME: "shown to everybody", NODE_ENV: "production", __NEXT_PROCESSED_ENV: "1" };
    expect(JSON.parse(environmentOf(name)), name).toMatchObject(passed);
  }
  for (const secret of secrets) expect(environmentOf("service")).toContain(secret);
});

const withDescendants = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(withDescendants)];

// A sandbox starts from nothing here, its database included: a minute on a busy machine.
const slow = { timeout: 180_000 };
test.runIf(process.platform === "linux")("the database, the models and the chains of a sandbox inherit no setting", slow, async () => {
  const dataDir = newDataDir();
  const secret = "a secret that children must not know";
  const service = startService(bundleService(), {
    DATA_DIR: dataDir,
    CUSTODY_PASSPHRASE: secret,
    KEY_PEPPER: secret,
    SESSION_SECRET: secret,
  });
  await service.ready;
  await untilSandboxRuns(service.pid);
  const programs = [...withDescendants(service.pid), ...withDescendants(databasePid(dataDir))].filter((pid) => pid !== service.pid);
  expect(programs.length).toBeGreaterThan(4);
  for (const pid of programs) expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain(secret);
  service.process.kill("SIGTERM");
  await service.ended;
});
