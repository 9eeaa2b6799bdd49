// A project with only the launcher, for tests that put their own programs in place of npm, esbuild and Next.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

interface LauncherProject {
  root: string;
  /** Writes a file of the project; its folder is created. */
  write: (file: string, text: string) => void;
}

/** Removed when the test has finished. */
export function createLauncherProject(): LauncherProject {
  const root = mkdtempSync(join(tmpdir(), "launch-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  for (const folder of ["app", "components", "prisma", "public"]) mkdirSync(join(root, folder));
  for (const part of ["launch.mjs", "launch"]) cpSync(`lib/server/${part}`, join(root, "lib/server", part), { recursive: true });
  write("package.json", '{ "type": "module" }');
  return { root, write };
}
