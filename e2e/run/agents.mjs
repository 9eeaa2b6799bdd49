// The command-line agents of the long run's part `agents`: installed into .data/, so that no other run and no start needs them.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./children.mjs";

/** The versions that the recorded sessions in lib/gateway/contract/sessions were made with. AGENTS=latest takes the newest instead. */
const versions = { "@anthropic-ai/claude-code": "2.1.197", "@openai/codex": "0.171.0" };

const folder = join(root, ".data/agents");

/** The version of an installed package, or null. */
function installed(name) {
  const file = join(folder, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null;
}

/** Installs them. Returns false when that failed. */
export async function prepareAgents(report) {
  const wanted = Object.entries(versions).map(([name, version]) => [name, process.env.AGENTS || version]);
  if (wanted.every(([name, version]) => installed(name) === version)) return true;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const names = wanted.map(([name, version]) => `${name}@${version}`);
  report.say("agents", `installing ${names.join(" and ")}`);
  const result = await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", ...names]);
  // Its install script puts the program of this system in the place of a stub.
  const placed = result.code === 0 && (await run(process.execPath, [join(folder, "node_modules/@anthropic-ai/claude-code/install.cjs")]));
  if (placed && placed.code === 0) return true;
  report.fail("agents", `npm did not install the agents:\n${result.output}${placed ? placed.output : ""}`);
  return false;
}
