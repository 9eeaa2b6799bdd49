// The chain's state on disk: written atomically while the chain runs, so that kill -9 at any time leaves a usable state.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { z } from "zod";

/** The fields that anvil needs to start; the rest is opaque to us. */
const anvilState = z.looseObject({
  block: z.looseObject({ number: z.string() }),
  accounts: z.record(z.string(), z.unknown()),
  blocks: z.array(z.unknown()),
});

/**
 * Checks that the file is a usable state, or absent.
 * @throws Error that says what to do
 */
export function checkStateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) return;
  try {
    anvilState.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new Error(`${path}, the sandbox's EVM chain, is damaged: restore it, or delete it with all of DATA_DIR for a new sandbox.`, {
      cause,
    });
  }
}

/** Writes the result of `anvil_dumpState`, gzip in hex, in anvil's own file format. */
export async function writeStateFile(path: string, dumped: string): Promise<void> {
  const state = await promisify(gunzip)(Buffer.from(dumped.slice(2), "hex"));
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, state, { mode: 0o600 });
  await rename(beside, path);
}
