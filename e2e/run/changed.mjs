// Which tests the working tree's changes reach: files that import a changed one, name it, or call an SQL function that it defines, and
// browser tests that open a page made of it. The nearest come first, and tests that take longer than about a minute are left to `npm test`.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { root } from "./children.mjs";

/** The time that the chosen tests may take, by their last times; four run at once. */
const unitBudgetSeconds = 120;
const browserBudgetSeconds = 60;
/** Browser tests take a build first: only changes this near to a page ask for them. */
const browserMaxDistance = 3;
/** For a file whose time is not known. */
const usualSeconds = (file) => (file.endsWith(".spec.ts") ? 25 : 3);

const git = (...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
    .split("\n")
    .filter((line) => line !== "");

/** Chooses the nearest tests. Resolves with the files to run, and how many others the changes reach. */
export async function chooseChanged(report, since) {
  const changed = new Set([...git("diff", "--name-only", "--relative", since), ...git("ls-files", "--others", "--exclude-standard")]);
  const files = git("ls-files", "--cached", "--others", "--exclude-standard").filter((file) => existsSync(join(root, file)));
  const distances = findDistances(changed, await findUsers(files));
  const reached = [...distances].toSorted(([, one], [, other]) => one - other).map(([file]) => file);
  const isNear = (file) => distances.get(file) <= browserMaxDistance && file !== "e2e/screenshots.spec.ts";
  const times = readTimes();
  const unit = takeWithin(
    reached.filter((file) => /\.test\.tsx?$/.test(file)),
    times,
    unitBudgetSeconds,
  );
  const browser = takeWithin(
    reached.filter((file) => file.endsWith(".spec.ts") && isNear(file)),
    times,
    browserBudgetSeconds,
  );
  report.say("changed", `${changed.size} files changed, ${unit.chosen.length} unit and ${browser.chosen.length} browser test files chosen`);
  return { unit: unit.chosen, browser: browser.chosen, left: unit.left + browser.left };
}

/** The first of `files` whose times fit; always one, where there is one. */
function takeWithin(files, times, budgetSeconds) {
  const chosen = [];
  let seconds = 0;
  for (const file of files) {
    seconds += times.get(file) ?? usualSeconds(file);
    if (chosen.length > 0 && seconds > budgetSeconds) break;
    chosen.push(file);
  }
  return { chosen, left: files.length - chosen.length };
}

/** The times of the last run, by file. */
function readTimes() {
  try {
    const { files } = JSON.parse(readFileSync(join(root, ".data/test-times.json"), "utf8"));
    return new Map(files.map(({ file, seconds }) => [file, seconds]));
  } catch {
    return new Map();
  }
}

/** The steps from a changed file to each file that it reaches. */
function findDistances(changed, users) {
  const distances = new Map([...changed].map((file) => [file, 0]));
  for (let edge = [...changed], distance = 1; edge.length > 0; distance++) {
    const next = [];
    for (const user of edge.flatMap((file) => [...(users.get(file) ?? [])])) {
      if (distances.has(user)) continue;
      distances.set(user, distance);
      next.push(user);
    }
    edge = next;
  }
  return distances;
}

/** For each file, the files that use it. */
async function findUsers(files) {
  const users = new Map();
  const add = (user, used) => {
    if (user !== used) users.set(used, (users.get(used) ?? new Set()).add(user));
  };
  const code = files.filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file) && !file.endsWith(".d.mts"));
  const texts = new Map(
    files.filter((file) => /\.(ts|tsx|mjs|sql)$/.test(file)).map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );
  for (const [user, { imports }] of Object.entries(await readImports(code))) for (const { path } of imports) add(user, path);
  const known = new Set(files);
  const definers = findSqlFunctions(texts);
  for (const [file, text] of texts) {
    for (const [, named] of text.matchAll(/["'`]\.?\/?((?:app|bench|components|e2e|lib|prisma)\/[^"'`\s]+)["'`]/g))
      if (known.has(named)) add(file, named);
    for (const [word] of text.matchAll(/\b[a-z]+_[a-z_]+\b/g)) for (const definer of definers.get(word) ?? []) add(file, definer);
  }
  addPages(files, texts, add);
  addNeighbours(files, add);
  return users;
}

/** The imports of each file, as esbuild resolves them. */
async function readImports(code) {
  const { build } = await import(createRequire(join(root, "package.json")).resolve("esbuild"));
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: code.map((file) => `import ${JSON.stringify(`./${file}`)};`).join("\n"), resolveDir: root },
    bundle: true,
    write: false,
    metafile: true,
    treeShaking: false,
    format: "esm",
    platform: "node",
    packages: "external",
    alias: { "@": root },
    loader: { ".css": "empty", ".wasm": "empty", ".sql": "text", ".node": "empty" },
    logLevel: "silent",
  });
  return metafile.inputs;
}

function findSqlFunctions(texts) {
  const definers = new Map();
  for (const [file, text] of texts) {
    if (!file.endsWith(".sql") || file.includes("/migrations/")) continue;
    for (const [, name] of text.matchAll(/CREATE (?:OR REPLACE )?(?:FUNCTION|VIEW|TRIGGER) (\w+)/gi))
      definers.set(name, [...(definers.get(name) ?? []), file]);
  }
  return definers;
}

/** A browser test uses the pages whose addresses it names. */
function addPages(files, texts, add) {
  const specs = files.filter((file) => file.endsWith(".spec.ts"));
  for (const page of files.filter((file) => /^app\/.*page\.tsx$/.test(file))) {
    const folders = dirname(page).split("/").slice(1);
    const address = `/${folders.filter((folder) => !folder.startsWith("(")).join("/")}`;
    for (const spec of specs) if (texts.get(spec)?.includes(`"${address}"`)) add(spec, page);
    for (const frame of files.filter((file) => /\/(layout|loading|error)\.tsx$/.test(file) && page.startsWith(dirname(file))))
      add(page, frame);
  }
}

/** A file that is no code is used by the tests beside it or above it; the schema and its migrations by those of the database. */
function addNeighbours(files, add) {
  const tests = files.filter((file) => /\.test\.tsx?$/.test(file));
  for (const file of files.filter((name) => !/\.(ts|tsx|mjs|sql)$/.test(name) || name.includes("/migrations/"))) {
    const isSchema = file.startsWith("prisma/");
    const near = isSchema ? "lib/db" : dirname(file.replace(/\/fixtures\/.*/, "/fixtures"));
    for (const test of tests)
      if (dirname(test) === near || (basename(near) === "fixtures" && dirname(test) === dirname(near))) add(test, file);
  }
}
