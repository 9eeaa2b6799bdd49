// A stopped cluster whose database has every migration: made once for a run and copied for tests that start a server of their own, since
// initdb and the migrations cost 3.5 CPU seconds each time.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import { findKeptAt } from "../embedded/home";
import { databaseDirectory } from "./scratch";

const preparedIn = (scratch: string) => join(scratch, "prepared", databaseDirectory);

/** Keeps a copy of the stopped `dataDir` for the run. Where its files are kept elsewhere there is none, and each test makes its own. */
export function keepPreparedCluster(scratch: string, dataDir: string): void {
  if (findKeptAt(dataDir) === undefined) copy(dataDir, preparedIn(scratch));
}

/** Puts a copy of the run's cluster at `dataDir`, which does not exist yet. */
export function copyPreparedCluster(dataDir: string): void {
  const prepared = preparedIn(inject("scratch"));
  if (existsSync(prepared)) copy(prepared, dataDir);
}

/** With the owners of its files, and without the port, which the first server still has. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  execFileSync("cp", ["-a", from, to]);
  rmSync(join(to, "port"), { force: true });
}
