// `npm start` before the service runs: a signal during the install or the build leaves no process, and a failure names its cure.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLauncherProject } from "./testing/launcher-project";
import { isRunning, until } from "./testing/service";

/** A program that starts a child, writes down both process ids, and waits. */
const hangs = (name: string) => `
const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
require("node:fs").writeFileSync("${name}.pids", JSON.stringify([process.pid, child.pid]));
setInterval(() => {}, 1000);`;

/** A project with only the launcher, and these tools in place of npm and Next. */
function project(tools: { npm?: string; next?: string }): string {
  const { root, write } = createLauncherProject();
  write("tools/package.json", '{ "type": "commonjs" }');
  write("tools/npm-cli.js", tools.npm ?? "");
  write("lib/db/generate.mjs", "export async function generatePrismaClient() {}");
  write("node_modules/next/package.json", '{ "type": "commonjs" }');
  write("node_modules/next/dist/bin/next", tools.next ?? "");
  const main = "export const main = ({ pages }) => pages;";
  const build = `require("node:fs").mkdirSync("dist"); require("node:fs").writeFileSync("dist/main.mjs", ${JSON.stringify(main)});`;
  write("node_modules/esbuild/index.js", `exports.stop = () => {}; exports.build = async () => { ${build} };`);
  return root;
}

function launch(root: string) {
  const child = spawn(process.execPath, ["lib/server/launch.mjs"], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_ENV: "production", npm_execpath: join(root, "tools/npm-cli.js") },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return { child, ended: once(child, "close").then(([code]) => code as number | null), output: () => output };
}

test.each([
  ["the install", "npm", { npm: hangs("npm") }],
  ["the build", "next", { next: hangs("next") }],
])("a signal during %s ends it with everything that it started", async (_step, name, tools) => {
  const root = project(tools);
  const { child, ended, output } = launch(root);
  const file = join(root, `${name}.pids`);
  await until("the tool runs", () => existsSync(file) && readFileSync(file, "utf8").endsWith("]"));
  const pids = JSON.parse(readFileSync(file, "utf8")) as number[];
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  await until("nothing is left", () => !pids.some(isRunning));
  expect(output()).not.toContain("failed. ");
});

test("an install that fails shows what npm said, and what to do", async () => {
  const { ended, output } = launch(project({ npm: 'process.stderr.write("npm error network ECONNRESET"); process.exit(1);' }));
  expect(await ended).toBe(1);
  expect(output()).toContain("Installing the packages failed. Check the network, then run npm start again.");
  expect(output()).toContain("npm error network ECONNRESET");
});

test("warnings of the tools are not shown, and each step is one JSON line with its time where there is no terminal", async () => {
  const { ended, output } = launch(project({ npm: 'console.error("npm warn deprecated")', next: 'console.log("a notice")' }));
  const code = await ended;
  expect({ code, output: output() }).toMatchObject({ code: 0, output: expect.not.stringMatching(/deprecated|notice/) });
  const steps = output().trim().split("\n");
  expect(steps.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    "Installing started",
    "Installing done",
    "Building started",
    "Building done",
  ]);
});
