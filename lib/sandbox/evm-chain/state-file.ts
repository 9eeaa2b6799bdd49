// The chain's state on disk: written whole or not at all while the chain runs, so that kill -9 at any moment leaves one to go on from.

import { mkdirSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";

/** What anvil needs of it to start; the rest is its own. */
const anvilState = z.looseObject({
  block: z.looseObject({ number: z.string() }),
  accounts: z.record(z.string(), z.unknown()),
  blocks: z.array(z.unknown()),
});

/**
 * Makes sure that the file can be started from, or is not there.
 * @throws Error that says what to do
 */
export function checkStateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const text = readText(path);
  if (text === null) return;
  try {
    anvilState.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path}, the sandbox's EVM chain, is damaged: restore it, or delete it with all of DATA_DIR for a new sandbox.`, {
      cause,
    });
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Writes what `anvil_dumpState` answered, gzip in hex, as anvil itself would write it. */
export async function writeStateFile(path: string, dumped: string): Promise<void> {
  const state = await promisify(gunzip)(Buffer.from(dumped.slice(2), "hex"));
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, state, { mode: 0o600 });
  await rename(beside, path);
}
