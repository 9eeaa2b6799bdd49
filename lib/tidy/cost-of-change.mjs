// `npm run cost-of-change [-- NAME]`: what a usual change costs. Each patch of lib/tidy/changes is applied to a copy of the last commit,
// which must then compile and pass the tests that the patch names. Counted are the product files that it touches, against its limit.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "lib/tidy/changes");
const notProduct = /\.(test|spec)\.tsx?$|(^|\/)testing(\/|\.ts$)|^(e2e|bench)\/|\/corpus\/|\.md$/;

/** A patch begins with its own lines: `change: WORDS`, `limit: FILES` and `tests: PATHS`. */
function readChange(file) {
  const text = readFileSync(join(folder, file), "utf8");
  const line = (name) => new RegExp(`^${name}: (.+)$`, "m").exec(text.slice(0, text.indexOf("diff --git")))?.[1];
  const [change, limit, tests] = ["change", "limit", "tests"].map(line);
  if (!change || !limit || !tests) throw new Error(`${file} must begin with the lines change:, limit: and tests:.`);
  return { file, change, limit: Number(limit), tests: tests.split(" ") };
}

function measure({ file, change, limit, tests }) {
  const copy = mkdtempSync(join(tmpdir(), "cost-of-change-"));
  const run = (command, ...args) => execFileSync(command, args, { cwd: copy, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  try {
    run("git", "clone", "-q", "--shared", root, ".");
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    cpSync(join(root, "lib/db/generated"), join(copy, "lib/db/generated"), { recursive: true });
    run("git", "apply", "--3way", join(folder, file));
    run(
      process.execPath,
      join(root, "node_modules/typescript/bin/tsc"),
      "--noEmit",
      "--tsBuildInfoFile",
      join(copy, "tsconfig.tsbuildinfo"),
    );
    run(process.execPath, join(root, "node_modules/vitest/vitest.mjs"), "run", ...tests);
    const touched = run("git", "diff", "HEAD", "--name-only").trim().split("\n");
    const files = touched.filter((path) => !notProduct.test(path));
    return { change, limit, files, problem: files.length > limit ? "above its limit" : null };
  } catch (error) {
    return { change, limit, files: [], problem: `${error.stdout ?? ""}${error.stderr ?? ""}`.trim().slice(-2_000) || error.message };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const names = readdirSync(folder).filter((name) => name.endsWith(".patch"));
const chosen = names.filter((name) => wanted.length === 0 || wanted.includes(basename(name, ".patch")));
if (chosen.length === 0) throw new Error(`Name a change: ${names.map((name) => basename(name, ".patch")).join(", ")}.`);
let problems = 0;
for (const change of chosen.map(readChange)) {
  const { files, problem, ...rest } = measure(change);
  process.stdout.write(
    `${rest.change}: ${files.length} product files, limit ${rest.limit}\n${files.map((path) => `  ${path}\n`).join("")}`,
  );
  if (!problem) continue;
  problems += 1;
  process.stdout.write(`  FAILED: ${problem}\n`);
}
process.exitCode = problems > 0 ? 1 : 0;
