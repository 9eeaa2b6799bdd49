// Processes that open a sandbox's data directory, for tests in which several do so concurrently or die half way.

import { type ChildProcess, spawn } from "node:child_process";
import { once as nextEvent } from "node:events";
import { createInterface } from "node:readline";
import { bundleProgram } from "@/lib/db/testing/programs";
import type { SandboxSecrets } from "../secrets";

export type Opened = { secrets: SandboxSecrets; xpub: string } | { error: string };

export interface Opener {
  process: ChildProcess;
  /** Makes it open the directory; rejects when it ends first. */
  open(dataDir: string): Promise<Opened>;
}

/** Starts one; with `largestFile` it cannot write files with more 512-byte blocks than that, as on a full disk. */
export async function startOpener({ largestFile }: { largestFile?: number } = {}): Promise<Opener> {
  const script = bundleProgram("lib/sandbox/testing/opener.ts");
  const limit = largestFile === undefined ? "" : `ulimit -f ${largestFile}; `;
  const child = spawn("/bin/sh", ["-c", `${limit}exec "$0" "$1"`, process.execPath, script], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = nextEvent(child, "close");
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (!done) return value;
    await ended;
    throw new Error(`the process ended (${child.signalCode ?? child.exitCode})`);
  };
  await nextLine();
  return {
    process: child,
    open: async (dataDir) => {
      child.stdin.write(`${dataDir}\n`);
      return JSON.parse(await nextLine()) as Opened;
    },
  };
}
