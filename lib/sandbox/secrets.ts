// The sandbox's own secrets, made at random once per data directory and kept there, readable by its owner alone.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { demoKeysSchema, makeDemoKeys } from "./demo-wallets";

const secret = z.string().min(32);
/** `custodyPassphrase` opens the sandbox's seed. Not in a file that an older release wrote: that, and the demo wallet's keys. */
const secretsFile = z.object({
  keyPepper: secret,
  sessionSecret: secret,
  custodyPassphrase: secret.optional(),
  demoKeys: demoKeysSchema.optional(),
});

export type SandboxSecrets = Required<z.infer<typeof secretsFile>>;

const sandboxFile = z.looseObject({ baseUrl: z.string(), apiKey: z.string() });

/** What programs read to use the sandbox: the one place where a sandbox key is kept in clear. */
export type SandboxFile = z.infer<typeof sandboxFile>;

/**
 * The secrets of this data directory, made on first use.
 * @throws Error when the file is there and cannot be read as what it is
 */
export function openSecrets(dataDir: string): SandboxSecrets {
  const path = join(dataDir, "secrets.json");
  const kept = existsSync(path) ? readFile(path, secretsFile, "with all of DATA_DIR for a new sandbox") : null;
  if (kept?.custodyPassphrase && kept.demoKeys) return { ...kept, custodyPassphrase: kept.custodyPassphrase, demoKeys: kept.demoKeys };
  const added = { custodyPassphrase: newSecret(), demoKeys: makeDemoKeys() };
  const made = { keyPepper: newSecret(), sessionSecret: newSecret(), ...added, ...kept };
  writePrivate(path, made);
  return made;
}

const newSecret = (): string => randomBytes(32).toString("hex");

/** `sandbox.json` as the last start left it, or null. */
export function readSandboxFile(dataDir: string): SandboxFile | null {
  const path = join(dataDir, "sandbox.json");
  return existsSync(path) ? readFile(path, sandboxFile, "to be given a new key") : null;
}

/** Writes `sandbox.json`, mode 600, whole or not at all. */
export function writeSandboxFile(dataDir: string, file: SandboxFile): void {
  writePrivate(join(dataDir, "sandbox.json"), file);
}

/** `instead` ends the error's cure: what deleting the file leads to. */
function readFile<T>(path: string, schema: z.ZodType<T>, instead: string): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new Error(`${path} is damaged: restore it, or delete it ${instead}`, { cause });
  }
}

function writePrivate(path: string, content: object): void {
  mkdirSync(join(path, ".."), { recursive: true });
  // Written beside and renamed, so that a crash leaves the old file or the new one.
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(beside, path);
}
