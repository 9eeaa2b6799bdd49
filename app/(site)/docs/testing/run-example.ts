// Runs an example of the docs as a separate program, with the packages that it imports.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { Site } from "@/app/site";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const execute = promisify(execFile);

/** The site settings of pages in tests, for a service at this address. */
export const exampleSite = (baseUrl: string): Site => ({
  name: "PennyPrompt",
  baseUrl,
  isSandbox: true,
  mayHaveRealModels: false,
  keyVariable: "PENNYPROMPT_KEY",
  sandboxFile: "",
});

/** The program's output. @throws Error with its output when it fails */
export async function runExample(code: string, environment: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pennyprompt-example-"));
  try {
    const outfile = join(folder, "example.mjs");
    writeFileSync(join(folder, "example.ts"), code);
    await build({
      entryPoints: [join(folder, "example.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "silent",
      nodePaths: [join(root, "node_modules")],
      // For packages with CommonJS modules.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
    const env = { ...process.env, FORCE_COLOR: "0", ...environment };
    return (await execute(process.execPath, [outfile], { env, timeout: 30_000 })).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The output of a shell command. */
export const runShell = async (command: string): Promise<string> => (await execute("sh", ["-c", command])).stdout;
