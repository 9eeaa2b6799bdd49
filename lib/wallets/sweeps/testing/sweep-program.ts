// Runs the round of sweep-child.ts, built on the spot.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { buildSync } from "esbuild";
import { expect } from "vitest";
import { hardhatWords } from "../../testing/seeds";
import type { SweepOrder } from "./sweep-child";

export interface SweepProgram {
  /** What it said before it ended; null when it was killed. */
  run: (order: Omit<SweepOrder, "words">) => string | null;
  remove: () => void;
}

export function buildSweepProgram(): SweepProgram {
  const outfile = resolve("node_modules/.cache/pennyprompt", `sweep-child-${randomBytes(6).toString("hex")}.mjs`);
  const entryPoints = ["lib/wallets/sweeps/testing/sweep-child.ts"];
  buildSync({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", packages: "external", alias: { "@": resolve(".") } });
  return {
    run: (order) => {
      const child = spawnSync(process.execPath, [outfile, JSON.stringify({ ...order, words: hardhatWords })], {
        encoding: "utf8",
        env: { ...process.env, LOG_LEVEL: "silent", MODE: "sandbox" },
      });
      expect(child.stderr).toBe("");
      return child.signal === "SIGKILL" ? null : child.stdout.trim();
    },
    remove: () => rmSync(outfile, { force: true }),
  };
}
