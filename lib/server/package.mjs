// `npm run package [-- DIR]`: makes a folder with only the files of a live service, `package/pennyprompt-VERSION` unless another is named.
// It is started by `node server.mjs` and needs neither npm nor this repository; `npm start` stays the way to a sandbox.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildIfChanged } from "./launch/build.mjs";
import { withBuildEnvironment } from "./launch/environment.mjs";
import { installIfChanged } from "./launch/install.mjs";
import { root } from "./launch/process.mjs";
import { runStep } from "./launch/steps.mjs";
import { lockOf, packageOf } from "./packaging/lock.mjs";
import { traceFiles } from "./packaging/trace.mjs";

const { name, version, license, scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const programs = ["packaged.mjs", "command.mjs", "launch/process.mjs"].map((file) => join("lib/server", file));

/** For the operator. */
const guides = ["LICENSE", "OPERATING.md", "SECURITY.md", ".env.example", "lib/server/systemd"];

/** Files read by their path at run time, beside the bundles and the packages. */
const copied = ["public", "prisma/migrations", "prisma/functions", ...guides, ...programs];

/** Of Next's output: not its cache, its traces and its types. */
const leftOut = /^\.next\/(cache|trace|trace-build|turbopack|types|diagnostics|build)(\/|$)/;

/** The operator's commands: each runs a bundle of dist/. */
const commands = Object.keys(scripts).filter((name) => scripts[name] === `node lib/server/command.mjs ${name}`);

process.chdir(root);
process.env.NODE_ENV ??= "production";
process.env.NEXT_TELEMETRY_DISABLED = "1";
const target = resolve(process.argv[2] ?? join("package", `${name}-${version}`));
if (existsSync(target) && readdirSync(target).length > 0 && !isPackage(target)) {
  process.stderr.write(`${target} holds something else, and would be replaced: name a folder that is empty or not there.\n`);
  process.exit(1);
}
await withBuildEnvironment(async () => {
  await installIfChanged(root);
  await (await buildIfChanged(root, { dev: false })).pages;
});
const packages = await runStep("Packaging", createPackage, "what runs, and nothing else");
process.stdout.write(`${target}: ${packages} packages. Start it with: node server.mjs\n`);

/** Whether a folder was made by an earlier run. */
function isPackage(folder) {
  const [about, start] = [join(folder, "package.json"), join(folder, "server.mjs")];
  return (
    existsSync(start) && existsSync(about) && JSON.parse(readFileSync(about, "utf8")).name === name && !existsSync(join(folder, "app"))
  );
}

/** Resolves with the number of packages. */
async function createPackage() {
  const files = await traceFiles(root);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const path of [...copied, "dist", ".next"])
    cpSync(join(root, path), join(target, path), { recursive: true, filter: (from) => !leftOut.test(from.slice(root.length + 1)) });
  for (const file of files) cpSync(join(root, file), join(target, file));
  writeFileSync(join(target, "server.mjs"), 'import "./lib/server/packaged.mjs";\n');
  const used = [...new Set(files.map(packageOf).filter((path) => path !== null))].sort();
  const { lock, manifest } = lockOf(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")), used);
  const runs = { start: "node server.mjs", ...Object.fromEntries(commands.map((command) => [command, scripts[command]])) };
  const about = { name, version, license, private: true, type: "module", engines: { node: ">=20.19" }, scripts: runs };
  writeJson("package.json", { ...about, dependencies: manifest });
  writeJson("package-lock.json", { ...lock, name, version });
  for (const path of used) copyAbout(path);
  return used.length;
}

/** A package's own description and license, which a trace may leave out. */
function copyAbout(path) {
  for (const file of ["package.json", "LICENSE", "LICENSE.md", "LICENSE.txt", "license", "license.md"])
    if (existsSync(join(root, path, file))) cpSync(join(root, path, file), join(target, path, file));
}

function writeJson(file, value) {
  writeFileSync(join(target, file), `${JSON.stringify(value, null, 2)}\n`);
}
