// The directory in which a test run keeps its databases: in the system's temporary directory, open to the users that PostgreSQL may run
// as. A killed run leaves it behind, and the next run removes it.

import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeCluster } from "../embedded/cluster";
import { findKeptAt, openHome } from "../embedded/home";
import { type OwnerLock, takeOwnerLock } from "../embedded/owner-lock";

const prefix = "pennyprompt-test-";

/** Every database of a test run is a directory of this name, in the scratch directory or one level below. */
export const databaseDirectory = "postgres";

export function createScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(scratch, 0o755);
  return scratch;
}

/** Removes a scratch directory whose servers have ended. */
export function removeScratch(scratch: string): void {
  for (const dataDir of databasesIn(scratch)) removeFiles(dataDir);
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Ends the servers that killed runs left running, and removes their directories. */
export async function sweepScratch(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const scratch = join(tmpdir(), name);
    const lock = takenOver(join(scratch, databaseDirectory));
    if (lock === undefined) continue;
    for (const dataDir of databasesIn(scratch)) await removeDatabase(dataDir);
    removeScratch(scratch);
  }
}

/** Ends the server of `dataDir`, if there is one, and removes its files, wherever they are kept. */
export async function removeDatabase(dataDir: string): Promise<void> {
  if (existsSync(dataDir)) {
    const quiet = () => undefined;
    await freeCluster(openHome(dataDir, quiet), quiet);
  }
  removeFiles(dataDir);
}

function removeFiles(dataDir: string): void {
  const keptAt = findKeptAt(dataDir);
  if (keptAt !== undefined) rmSync(keptAt, { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function databasesIn(scratch: string): string[] {
  const below = readdirSync(scratch).map((name) => join(scratch, name, databaseDirectory));
  return [...below, join(scratch, databaseDirectory)].filter((path) => existsSync(path));
}

/** Undefined when the run is alive, belongs to another user, or is just creating its directory and has no owner yet. */
function takenOver(dataDir: string): OwnerLock | undefined {
  if (!existsSync(join(dataDir, "owner"))) return undefined;
  try {
    return takeOwnerLock(dataDir);
  } catch {
    return undefined;
  }
}
