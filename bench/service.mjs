// Our own service as a contestant: the process that `npm start` runs, on a sandbox created for the bench, with nginx for OpenAI.
// PostgreSQL and its other child processes are moved to the shared core; fsync and every other safety stay on.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bindToCore, GATEWAY_CORE, REST_CORE } from "./machine.mjs";
import { familyOf, freePort, handOnPriority, runs, startProcess, waitForAnswer } from "./processes.mjs";
import { answerText } from "./upstream.mjs";

export const root = fileURLToPath(new URL("../", import.meta.url));

/** The start script, `node [arguments] program`: the service is measured with the Node arguments of `npm start`. */
const [, ...startArguments] = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts.start.split(" ");
const launcher = join(root, startArguments.pop());

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

const providerSettings = (upstream) => ({ SANDBOX_REAL_MODELS: "1", OPENAI_API_KEY: "sk-bench", OPENAI_BASE_URL: `${upstream.origin}/v1` });

/** Builds what `npm start` would build. */
export function buildService() {
  const { status } = spawnSync(process.execPath, [launcher, "--build-only"], { cwd: root, env: serviceEnvironment({}), stdio: "inherit" });
  if (status !== 0) throw new Error("The service could not be built: `npm start -- --build-only` says why.");
}

/** Creates the sandbox of `dataDir` with this many charges in its ledger. */
export async function seedSandbox(dataDir, { charges, upstream, cache }) {
  mkdirSync(dataDir, { recursive: true });
  const bundle = join(cache, "seed.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["bench/seed.ts"],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  const { status } = spawnSync(process.execPath, [bundle, String(charges)], {
    cwd: root,
    env: serviceEnvironment({ DATA_DIR: dataDir, LOG_LEVEL: "error", ...providerSettings(upstream) }),
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`Seeding ${dataDir} failed.`);
}

/** Deletes a sandbox, wherever its database is kept. */
export function deleteSandbox(dataDir) {
  const pointer = join(dataDir, "postgres/kept-at");
  if (existsSync(pointer)) rmSync(readFileSync(pointer, "utf8").trim(), { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

/** Process id and address of the database of a running sandbox. */
export function databaseOf(dataDir) {
  const pointer = join(dataDir, "postgres/kept-at");
  const home = existsSync(pointer) ? readFileSync(pointer, "utf8").trim() : join(dataDir, "postgres");
  const lines = readFileSync(join(home, "cluster/postmaster.pid"), "utf8").split("\n");
  const password = readFileSync(join(home, "password"), "utf8").trim();
  const [pid, , , port, socketDirectory] = lines;
  const query = socketDirectory ? `?host=${socketDirectory}` : "";
  return { pid: Number(pid), url: `postgresql://pennyprompt:${password}@127.0.0.1:${port}/pennyprompt${query}` };
}

/** Starts the service on the sandbox of `dataDir`; `nodeArguments` go before the program, beside those of `npm start`. */
export async function startService(room, { dataDir, upstream, directory, name = "ours", nodeArguments = [], settings = {} }) {
  const port = await freePort();
  // Registered first, so it runs after the service was asked to stop: a service that had to be killed leaves its database running.
  room.onClose(() => endDatabase(dataDir));
  const server = startProcess(room, {
    name,
    command: process.execPath,
    args: [...startArguments, ...nodeArguments, launcher],
    cwd: root,
    core: GATEWAY_CORE,
    env: serviceEnvironment({ PORT: String(port), DATA_DIR: dataDir, ...providerSettings(upstream), ...settings }),
    logFile: join(directory, `${name}.log`),
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitForAnswer(server, `${origin}/api/ready`);
  const database = databaseOf(dataDir);
  for (const pid of familyOf(server.pid)) {
    if (pid === server.pid) continue;
    bindToCore(pid, REST_CORE);
    handOnPriority(pid);
  }
  const keys = JSON.parse(readFileSync(join(dataDir, "bench-keys.json"), "utf8"));
  const service = { name, pid: server.pid, origin, dataDir, database, stop: server.stop, databasePids: () => familyOf(database.pid) };
  const contestant = (label, plan) => ({ ...service, name: label, plan: { ...promptPlan, ...plan } });
  const wallets = keys.wallets.map((key) => `Bearer ${key}`);
  const made = {
    ...service,
    wallets: contestant(name, { authorizations: wallets }),
    /** One client with one key. */
    client: contestant(name, { authorizations: [`Bearer ${keys.hot}`] }),
    /** One client that goes through a thousand keys. */
    inTurn: contestant(`${name}-in-turn`, { authorizations: wallets }),
    hot: contestant(`${name}-hot`, { authorizations: [`Bearer ${keys.hot}`] }),
    /** Keys of accounts without money. */
    emptyKeys: keys.empty,
    /** Each run has its own idempotency keys; otherwise the second would be answered from the first. */
    idempotent: (run) => contestant(`${name}-idempotent`, { authorizations: wallets, idempotency: `bench-${run}-` }),
  };
  await proveAnswer(made.wallets);
  return made;
}

const promptPlan = {
  path: "/api/v1/prompt",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ model: "gpt-4-turbo", prompt: "What is a nano-dollar, and why would anyone count in it?" }),
};

/**
 * The API's route handler: Next alone, serving the same requests, on the database of `service`.
 */
export async function startNextHandler(room, { service, upstream, directory }) {
  const port = await freePort();
  const { keyPepper } = JSON.parse(readFileSync(join(service.dataDir, "secrets.json"), "utf8"));
  const server = startProcess(room, {
    name: "next",
    command: process.execPath,
    args: [join(root, "node_modules/next/dist/bin/next"), "start", "-H", "127.0.0.1", "-p", String(port)],
    cwd: root,
    core: GATEWAY_CORE,
    env: serviceEnvironment({ DATABASE_URL: service.database.url, KEY_PEPPER: keyPepper, ...providerSettings(upstream) }),
    logFile: join(directory, "next.log"),
  });
  const contestant = { ...service.wallets, name: "next", pid: server.pid, stop: server.stop, origin: `http://127.0.0.1:${port}` };
  await waitForAnswer(server, `${contestant.origin}/api/v1/models`);
  await proveAnswer(contestant);
  return contestant;
}

/** Another process of ours on the database of `service`, whose wallets it serves: a client that goes through a thousand keys. */
export async function startBeside(room, { service, upstream, directory, name, settings }) {
  const port = await freePort();
  const { keyPepper } = JSON.parse(readFileSync(join(service.dataDir, "secrets.json"), "utf8"));
  const dataDir = join(service.dataDir, name);
  const shared = { DATABASE_URL: service.database.url, KEY_PEPPER: keyPepper, ROLES: "web" };
  const server = startProcess(room, {
    name,
    command: process.execPath,
    args: [...startArguments, launcher],
    cwd: root,
    core: GATEWAY_CORE,
    env: serviceEnvironment({ PORT: String(port), DATA_DIR: dataDir, ...shared, ...providerSettings(upstream), ...settings }),
    logFile: join(directory, `${name}.log`),
  });
  const contestant = { ...service.inTurn, name, pid: server.pid, stop: server.stop, origin: `http://127.0.0.1:${port}` };
  await waitForAnswer(server, `${contestant.origin}/api/ready`);
  for (const pid of familyOf(server.pid)) if (pid !== server.pid) bindToCore(pid, REST_CORE);
  await proveAnswer(contestant);
  return contestant;
}

async function proveAnswer({ name, origin, plan }) {
  const headers = { ...plan.headers, authorization: plan.authorizations[0] };
  const answer = await fetch(origin + plan.path, { method: "POST", headers, body: plan.body });
  const text = await answer.text();
  if (answer.status !== 200 || JSON.parse(text).text !== answerText)
    throw new Error(`${name} does not answer: ${answer.status} ${text.slice(0, 500)}`);
}

/** Ends the database of a sandbox whose process ended without doing so. */
export async function endDatabase(dataDir) {
  const at = join(dataDir, "postgres");
  if (!existsSync(at)) return;
  try {
    const { pid } = databaseOf(dataDir);
    if (runs(pid, "postgres")) process.kill(pid, "SIGINT");
  } catch {
    // No postmaster.pid: the service has stopped its database, as it should.
  }
}
