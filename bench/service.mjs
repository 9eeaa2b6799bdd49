// Our own service as a contestant: the process that `npm start` runs, on a sandbox created for the bench, with nginx for OpenAI.
// PostgreSQL and its other child processes are moved to the shared core; fsync and every other safety stay on.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ALL_CORES, bindToCore, GATEWAY_CORE, REST_CORE } from "./machine.mjs";
import { proveAnswer } from "./models.mjs";
import { familyOf, freePort, startProcess, tailOf, waitForAnswer } from "./processes.mjs";

export const root = fileURLToPath(new URL("../", import.meta.url));

/** The start script, `node [arguments] program`: the service is measured with the Node arguments of `npm start`. */
const [, ...startArguments] = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts.start.split(" ");
const launcher = join(root, startArguments.pop());
/** For example `--cpu-prof --cpu-prof-dir=.data`, to see where the time goes. */
const addedArguments = process.env.BENCH_NODE_ARGUMENTS?.split(" ") ?? [];

/** Every setting of the service, emptied: neither the shell's nor `.env`'s may reach the bench, least of all a DATABASE_URL. */
const emptied = Object.fromEntries(
  [...readFileSync(join(root, ".env.example"), "utf8").matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => [name, ""]),
);

export const serviceEnvironment = (settings) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_ENV: "production",
  ...emptied,
  MODE: "sandbox",
  LOG_LEVEL: "info",
  ...settings,
});

/** Builds what `npm start` would build. */
export function buildService() {
  const { status } = spawnSync(process.execPath, [launcher, "--build-only"], { cwd: root, env: serviceEnvironment({}), stdio: "inherit" });
  if (status !== 0) throw new Error("The service could not be built: `npm start -- --build-only` says why.");
}

/** The data directory `name`, which is deleted at the end of the bench, with its database ended. */
export function openDirectory({ room, cache }, name) {
  const dataDir = join(cache, `${name}-${process.pid}`);
  room.onClose(() => {
    endDatabase(dataDir);
    deleteSandbox(dataDir);
  });
  mkdirSync(dataDir, { recursive: true });
  return dataDir;
}

/** A sandbox with a thousand wallets and this many charges in its ledger. */
export async function seedSandbox(bench, dataDir, charges = 10) {
  await runProgram(bench, { name: "seed", args: [String(charges)], settings: { DATA_DIR: dataDir, ...providerSettings(bench) } });
  return dataDir;
}

const providerSettings = ({ upstream }) => ({
  SANDBOX_REAL_MODELS: "1",
  OPENAI_API_KEY: "sk-bench",
  OPENAI_BASE_URL: `${upstream.origin}/v1`,
});

/** Starts the process of `npm start`. */
export const launch = (bench, { name, port, dataDir, core, settings }) =>
  startProcess(bench, {
    name,
    command: process.execPath,
    args: [...startArguments, ...addedArguments, launcher],
    cwd: root,
    core,
    env: serviceEnvironment({ PORT: String(port), DATA_DIR: dataDir, ...providerSettings(bench), ...settings }),
  });

/** Starts the service on a new sandbox, or on that of `dataDir`. */
export async function startService(bench, { name = "ours", dataDir, settings } = {}) {
  const home = dataDir ?? (await seedSandbox(bench, openDirectory(bench, name)));
  // Registered first, so that it runs after the service was asked to stop.
  bench.room.onClose(() => endDatabase(home));
  const port = await freePort();
  const server = launch(bench, { name, port, dataDir: home, core: GATEWAY_CORE, settings });
  const origin = `http://127.0.0.1:${port}`;
  await waitForAnswer(server, `${origin}/api/ready`);
  // Pages and jobs share the core of the API, as when they were one process.
  for (const pid of familyOf(server.pid)) bindToCore(pid, pid === server.pid || isChild(pid) ? GATEWAY_CORE : REST_CORE);
  const database = databaseOf(home);
  const keys = JSON.parse(readFileSync(join(home, "bench-keys.json"), "utf8"));
  const { pid, stop } = server;
  const childPids = () => familyOf(server.pid).filter(isChild);
  const service = { name, pid, server, stop, origin, dataDir: home, database, databasePids: () => familyOf(database.pid), childPids };
  const asClient = (names) => ({ ...service, plan: { ...promptPlan, authorizations: names.map((key) => `Bearer ${key}`) } });
  /** A thousand wallets in turn; one client with one key; and keys of accounts without money. */
  const made = {
    ...service,
    wallets: asClient(keys.wallets),
    hot: { ...asClient([keys.hot]), name: `${name}-hot` },
    emptyKeys: keys.empty,
  };
  await proveAnswer(made.wallets);
  await renderPages(origin);
  return made;
}

/** Whether a process is the service's own for pages and jobs. */
function isChild(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("dist/child.mjs");
  } catch {
    return false; // it has ended
  }
}

const promptPlan = {
  path: "/api/v1/prompt",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ model: "gpt-4-turbo", prompt: "What is a nano-dollar, and why would anyone count in it?" }),
};

/** The contestant with other fields in its body. */
export const withBody = (contestant, fields) => ({
  ...contestant,
  plan: { ...contestant.plan, body: JSON.stringify({ ...JSON.parse(contestant.plan.body), ...fields }) },
});

/** Renders pages once before memory is measured: that of the process for pages counts. */
async function renderPages(origin) {
  for (const path of ["/", "/models", "/docs"]) {
    const page = await fetch(origin + path);
    await page.text();
    if (page.status >= 500) throw new Error(`The page ${path} answers ${page.status}`);
  }
}

/** Bundles and runs `bench/<name>.ts` on all cores; resolves with the JSON of its last line. */
export async function runProgram(bench, { name, args = [], settings }) {
  const outfile = join(bench.cache, `${name}.mjs`);
  await build({
    ...{ absWorkingDir: root, entryPoints: [`bench/${name}.ts`], outfile, bundle: true, format: "esm", platform: "node" },
    ...{ target: "node20", packages: "external", logLevel: "warning" },
  });
  const env = serviceEnvironment({ LOG_LEVEL: "error", ...settings });
  const program = startProcess(bench, { name, command: process.execPath, args: [outfile, ...args], cwd: root, core: ALL_CORES, env });
  const code = await program.ended;
  const last = readFileSync(program.logFile, "utf8").trim().split("\n").at(-1);
  if (code !== 0 || !last?.startsWith("{")) throw new Error(`${name} failed:\n${tailOf(program.logFile)}`);
  return JSON.parse(last);
}

/** The folder of a sandbox's database, wherever that is kept. */
function databaseHome(dataDir) {
  const pointer = join(dataDir, "postgres/kept-at");
  return existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : join(dataDir, "postgres");
}

export function deleteSandbox(dataDir) {
  rmSync(databaseHome(dataDir), { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

/** Process id and address of the database of a running sandbox. */
function databaseOf(dataDir) {
  const home = databaseHome(dataDir);
  const [pid, , , port, socketDirectory] = readFileSync(join(home, "cluster/postmaster.pid"), "utf8").split("\n");
  const password = readFileSync(join(home, "password"), "utf8").trim();
  const query = socketDirectory ? `?host=${socketDirectory}` : "";
  return { pid: Number(pid), url: `postgresql://pennyprompt:${password}@127.0.0.1:${port}/pennyprompt${query}` };
}

/** Ends the database of a sandbox whose process had to be killed. */
function endDatabase(dataDir) {
  try {
    const { pid } = databaseOf(dataDir);
    // Process ids are reused.
    if (readlinkSync(`/proc/${pid}/exe`).includes("/postgres")) process.kill(pid, "SIGINT");
  } catch {
    // No postmaster.pid: the service has stopped its database, as it should.
  }
}
