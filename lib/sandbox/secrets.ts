// The sandbox's own secrets, made at random once per data directory and kept there, readable by its owner alone. Any number of
// processes may start on one directory at once: all have the same.

import { hkdfSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createDemoKeys, type DemoKeys, demoKeysSchema } from "./demo-wallets";
import { replacePrivateFile, writeNewPrivateFile } from "./private-file";

const secret = z.string().min(32);
/** Who makes test USDC on the EVM chain; on Solana's that is the chain's own. The operator's keys come from the seed. */
const chainKeysSchema = z.object({ minter: demoKeysSchema.shape.evm });

/** `custodyPassphrase` opens the sandbox's seed. What is optional is not in a file that an older release wrote. */
const secretsFile = z.object({
  keyPepper: secret,
  sessionSecret: secret,
  custodyPassphrase: secret.optional(),
  demoKeys: demoKeysSchema.optional(),
  chainKeys: chainKeysSchema.optional(),
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
  if (!existsSync(path)) writeNewPrivateFile(path, newSecrets());
  // Read again even where it was just made: another process may have been first.
  const kept = readFile(path, secretsFile, "with all of DATA_DIR for a new sandbox");
  const { custodyPassphrase, demoKeys, chainKeys } = kept;
  if (custodyPassphrase && demoKeys && chainKeys) return { ...kept, custodyPassphrase, demoKeys, chainKeys };
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
});

/** What an older file lacks follows from what it has: processes that add it at the same moment add the same. */
function derivedSecrets({ keyPepper, sessionSecret }: z.infer<typeof secretsFile>) {
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", keyPepper + sessionSecret, "", purpose, SECRET_BYTES));
  const deriveKeys = (owner: string): DemoKeys => createDemoKeys({ evm: derive(`${owner}, EVM`), solana: derive(`${owner}, Solana`) });
  return {
    custodyPassphrase: derive("custody passphrase").toString("hex"),
    demoKeys: deriveKeys("demo wallet"),
    chainKeys: { minter: deriveKeys("minter").evm },
  };
}

/** `sandbox.json` as the last start left it, or null. */
export function readSandboxFile(dataDir: string): SandboxFile | null {
  const path = join(dataDir, "sandbox.json");
  return existsSync(path) ? readFile(path, sandboxFile, "to be given a new key") : null;
}

/** Writes `sandbox.json`, mode 600, whole or not at all. */
export function writeSandboxFile(dataDir: string, file: SandboxFile): void {
  replacePrivateFile(join(dataDir, "sandbox.json"), file);
}

/** `instead` ends the error's cure: what deleting the file leads to. */
function readFile<T>(path: string, schema: z.ZodType<T>, instead: string): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new Error(`${path} is damaged: restore it, or delete it ${instead}`, { cause });
  }
}
