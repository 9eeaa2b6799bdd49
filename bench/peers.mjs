// The contestants for comparison: a passthrough in bare Node, and Portkey's gateway, which bills nothing.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GATEWAY_CORE } from "./machine.mjs";
import { freePort, startProcess, waitForAnswer } from "./processes.mjs";
import { answerText } from "./upstream.mjs";

const PORTKEY = "@portkey-ai/gateway@1.15.2";

/** A request for a passthrough: a chat completion. */
const chatBody = JSON.stringify({
  model: "gpt-4-turbo",
  messages: [{ role: "user", content: "What is a nano-dollar, and why would anyone count in it?" }],
  max_completion_tokens: 1024,
});

const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production" };

export async function startRaw(room, { upstream, directory }) {
  const port = await freePort();
  const server = startProcess(room, {
    name: "raw",
    command: process.execPath,
    args: [fileURLToPath(new URL("./raw-passthrough.mjs", import.meta.url)), upstream.origin, String(port)],
    core: GATEWAY_CORE,
    env: environment,
    logFile: join(directory, "raw.log"),
  });
  return opened(server, port, {});
}

export async function startPortkey(room, { upstream, directory, cache }) {
  const home = installPortkey(cache);
  const port = await freePort();
  const server = startProcess(room, {
    name: "portkey",
    command: process.execPath,
    args: ["build/start-server.js", `--port=${port}`, "--headless"],
    cwd: home,
    core: GATEWAY_CORE,
    env: environment,
    logFile: join(directory, "portkey.log"),
  });
  return opened(server, port, { "x-portkey-provider": "openai", "x-portkey-custom-host": `${upstream.origin}/v1` });
}

/** Waits for the server and checks once that it passes the provider's answer through. */
async function opened(server, port, headers) {
  const origin = `http://127.0.0.1:${port}`;
  await waitForAnswer(server, origin);
  const plan = {
    path: "/v1/chat/completions",
    headers: { "Content-Type": "application/json", ...headers },
    body: chatBody,
    authorizations: ["Bearer sk-bench"],
  };
  const answer = await fetch(origin + plan.path, {
    method: "POST",
    headers: { ...plan.headers, authorization: "Bearer sk-bench" },
    body: chatBody,
  });
  const text = await answer.text();
  if (answer.status !== 200 || JSON.parse(text).choices?.[0]?.message?.content !== answerText) {
    throw new Error(`${server.name} does not pass the provider's answer through: ${answer.status} ${text.slice(0, 300)}`);
  }
  return { name: server.name, pid: server.pid, origin, plan, stop: server.stop };
}

/** Portkey's gateway belongs to the bench, not to the project: it has its own folder and is installed once. */
function installPortkey(cache) {
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
