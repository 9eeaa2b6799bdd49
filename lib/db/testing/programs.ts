// Programs that tests run as separate processes: bundled with the packages they use, since one file loads in a fraction of the time, and
// once per run, however many test files use them.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { inject } from "vitest";

/** Packages with native code stay where they are installed. */
const external = ["litesvm", "pg-native"];

/** What packages written for CommonJS expect. */
const banner = 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** The run's folder for the programs, from which packages are found. */
export function programsFolder(): string {
  const folder = join(inject("scratch"), "programs");
  mkdirSync(folder, { recursive: true });
  const packages = join(folder, "node_modules");
  try {
    symlinkSync(resolve("node_modules"), packages);
  } catch (error) {
    if (!existsSync(packages)) throw error;
  }
  return folder;
}

/** The path of the program that `entry`, a file of the project, is bundled to. */
export function bundleProgram(entry: string): string {
  const program = join(programsFolder(), `${entry.replaceAll("/", "-")}.mjs`);
  if (existsSync(program)) return program;
  const outfile = join(programsFolder(), `${basename(entry)}-${randomBytes(6).toString("hex")}.mjs`);
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external,
    banner: { js: banner },
    alias: { "@": resolve(".") },
    logLevel: "error",
  });
  renameSync(outfile, program); // another test file may have bundled it too: both are complete
  return program;
}
