// An example of the docs as a program of its own, with the packages that it names.

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

/** A page's facts in tests, of a service at this address. */
export const exampleSite = (baseUrl: string): Site => ({
  ...{ name: "PennyPrompt", baseUrl, isSandbox: true, mayHaveRealModels: false },
  ...{ keyVariable: "PENNYPROMPT_KEY", sandboxFile: "" },
});

/** What the program prints. @throws Error when it fails, with what it said */
export async function runExample(code: string, environment: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pennyprompt-example-"));
  try {
    const outfile = join(folder, "example.mjs");
    writeFileSync(join(folder, "example.ts"), code);
    await build({
      ...{ entryPoints: [join(folder, "example.ts")], outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent" },
      nodePaths: [join(root, "node_modules")],
      // Of packages whose modules are CommonJS.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
    const env = { ...process.env, FORCE_COLOR: "0", ...environment };
    return (await execute(process.execPath, [outfile], { env, timeout: 30_000 })).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a line for the shell prints. */
export const runShell = async (command: string): Promise<string> => (await execute("sh", ["-c", command])).stdout;
