// The sandbox's own secrets: random, created once per data directory, readable by their owner alone. Any number of processes may start on
// one directory concurrently: all get the same secrets.

import { hkdfSync, randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { createDemoKeys, type DemoKeys, demoKeysSchema } from "./demo-wallets";

const secret = z.string().min(32);
/** The minter of test USDC on the EVM chain; Solana's chain has its own. The operator's keys come from the seed. */
const chainKeysSchema = z.object({ minter: demoKeysSchema.shape.evm });

/** `custodyPassphrase` opens the sandbox's seed; `operatorKey` approves its withdrawals. Optional fields are absent in files of older releases. */
const secretsFile = z.object({
  keyPepper: secret,
  sessionSecret: secret,
  custodyPassphrase: secret.optional(),
  demoKeys: demoKeysSchema.optional(),
  chainKeys: chainKeysSchema.optional(),
  operatorKey: demoKeysSchema.shape.evm.optional(),
});

export type SandboxSecrets = Required<z.infer<typeof secretsFile>>;

const sandboxFile = z.looseObject({ baseUrl: z.string(), apiKey: z.string() });

/** The file that programs read to use the sandbox: the only place with a sandbox API key in plain text. */
export type SandboxFile = z.infer<typeof sandboxFile>;

/**
 * The secrets of this data directory, created on first use.
 * @throws Error when the file exists but is invalid
 */
export function openSecrets(dataDir: string): SandboxSecrets {
  const path = join(dataDir, "secrets.json");
  if (!existsSync(path)) writeNewPrivateFile(path, newSecrets());
  // Read again even if just created: another process may have been first.
  const kept = readFile(path, secretsFile, "with all of DATA_DIR for a new sandbox");
  const { custodyPassphrase, demoKeys, chainKeys, operatorKey } = kept;
  if (custodyPassphrase && demoKeys && chainKeys && operatorKey) return { ...kept, custodyPassphrase, demoKeys, chainKeys, operatorKey };
  const completed = { ...derivedSecrets(kept), ...kept };
  replacePrivateFile(path, completed);
  return completed;
}

const SECRET_BYTES = 32;

const newSecret = (): string => randomBytes(SECRET_BYTES).toString("hex");

const newSecrets = (): SandboxSecrets => ({
  keyPepper: newSecret(),
  sessionSecret: newSecret(),
  custodyPassphrase: newSecret(),
  demoKeys: createDemoKeys(),
  chainKeys: { minter: createDemoKeys().evm },
  operatorKey: createDemoKeys().evm,
});

/** Missing fields of an older file are derived from its other secrets, so that concurrent processes add the same. */
function derivedSecrets({ keyPepper, sessionSecret }: z.infer<typeof secretsFile>) {
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", keyPepper + sessionSecret, "", purpose, SECRET_BYTES));
  const deriveKeys = (owner: string): DemoKeys => createDemoKeys({ evm: derive(`${owner}, EVM`), solana: derive(`${owner}, Solana`) });
  return {
    custodyPassphrase: derive("custody passphrase").toString("hex"),
    demoKeys: deriveKeys("demo wallet"),
    chainKeys: { minter: deriveKeys("minter").evm },
    operatorKey: deriveKeys("operator").evm,
  };
}

/** `sandbox.json` from the last start, or null. */
export function readSandboxFile(dataDir: string): SandboxFile | null {
  const path = join(dataDir, "sandbox.json");
  return existsSync(path) ? readFile(path, sandboxFile, "to be given a new key") : null;
}

/** Writes `sandbox.json` atomically, mode 600. */
export function writeSandboxFile(dataDir: string, file: SandboxFile): void {
  replacePrivateFile(join(dataDir, "sandbox.json"), file);
}

/** `instead` ends the error's advice: the effect of deleting the file. */
function readFile<T>(path: string, schema: z.ZodType<T>, instead: string): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new Error(`${path} is damaged: restore it, or delete it ${instead}`, { cause });
  }
}

// Private files, mode 600, are written atomically and durably. A failed write leaves no temporary file.

/** Creates the file. When another process was first, its file stays unchanged. */
function writeNewPrivateFile(path: string, content: object): void {
  publish(path, content, (beside) => {
    try {
      linkSync(beside, path); // unlike a rename, it never replaces a file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  });
}

/** Writes or replaces the file: a crash leaves the old one or the new one. */
function replacePrivateFile(path: string, content: object): void {
  publish(path, content, (beside) => renameSync(beside, path));
}

function publish(path: string, content: object, giveName: (beside: string) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${randomBytes(6).toString("hex")}`; // random: two containers on one directory may have the same process ID
  try {
    withOpen(beside, "wx", (file) => {
      writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
      fsyncSync(file);
    });
    giveName(beside);
  } finally {
    rmSync(beside, { force: true });
  }
  withOpen(dirname(path), "r", fsyncSync); // otherwise a power cut may lose the directory entry
}

function withOpen(path: string, flags: string, use: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    use(file);
  } finally {
    closeSync(file);
  }
}
