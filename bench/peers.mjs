// The contestants for comparison: a passthrough in bare Node, which is the ruler, and Portkey's gateway, which bills nothing.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GATEWAY_CORE } from "./machine.mjs";
import { proveAnswer } from "./models.mjs";
import { freePort, startProcess, waitForAnswer } from "./processes.mjs";

const PORTKEY = "@portkey-ai/gateway@1.15.2";

/** A request for a passthrough: a chat completion. */
const body = JSON.stringify({
  model: "gpt-4-turbo",
  messages: [{ role: "user", content: "What is a nano-dollar, and why would anyone count in it?" }],
  max_completion_tokens: 1024,
});

export const startRaw = (bench) =>
  startPeer(bench, "raw", (port) => [fileURLToPath(new URL("./raw-passthrough.mjs", import.meta.url)), String(port)]);

export const startPortkey = (bench) => {
  const cwd = installPortkey(bench);
  return startPeer(bench, "portkey", (port) => ["build/start-server.js", `--port=${port}`, "--headless"], cwd);
};

/** The contestant with this provider: both peers are told in a header. */
export const withUpstream = (peer, { origin }) => ({
  ...peer,
  plan: {
    ...peer.plan,
    headers: { ...peer.plan.headers, "x-upstream": origin, "x-portkey-provider": "openai", "x-portkey-custom-host": `${origin}/v1` },
  },
});

async function startPeer(bench, name, args, cwd) {
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production" };
  const server = startProcess(bench, { name, command: process.execPath, args: args(port), cwd, core: GATEWAY_CORE, env });
  const origin = `http://127.0.0.1:${port}`;
  await waitForAnswer(server, origin);
  const headers = { "Content-Type": "application/json" };
  const plan = { path: "/v1/chat/completions", headers, body, authorizations: ["Bearer sk-bench"] };
  const peer = withUpstream({ name, pid: server.pid, origin, plan }, bench.upstream);
  await proveAnswer(peer);
  return peer;
}

/** Portkey's gateway belongs to the bench, not to the project: it has its own folder and is installed once. */
function installPortkey({ cache }) {
  const prefix = join(cache, "portkey-1.15.2");
  const home = join(prefix, "node_modules/@portkey-ai/gateway");
  if (existsSync(join(prefix, "node_modules/.package-lock.json")) && existsSync(join(home, "build/start-server.js"))) return home;
  process.stdout.write(`Installing ${PORTKEY} (once)…\n`);
  mkdirSync(prefix, { recursive: true });
  const args = ["install", "--prefix", prefix, "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", PORTKEY];
  const { status, stderr } = spawnSync("npm", args, { cwd: prefix, encoding: "utf8" });
  if (status !== 0) throw new Error(`Installing ${PORTKEY} failed; it needs the network once:\n${stderr}`);
  return home;
}
