// The sandbox's own seed: random, created once per data directory, encrypted under a passphrase in secrets.json. It is marked as a
// sandbox's, so live mode never opens it.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { config } from "@/lib/base/config";
import { createWords } from "@/lib/wallets/custody/mnemonic";
import { openSeedFile } from "@/lib/wallets/custody/open-seed";
import { COST_FOR_RANDOM, sealSeed } from "@/lib/wallets/custody/seed-file";
import { fingerprintOf, type KeysOptions, openKeys } from "@/lib/wallets/custody/seed-signer";
import { writeNewSeedFile } from "@/lib/wallets/custody/seed-storage";
import type { Signer } from "@/lib/wallets/custody/signer";
import { behindCodec } from "@/lib/wallets/custody/wire/wire-signer";
import { openSecrets } from "./secrets";

/** The signer of this data directory's seed in this process, behind its codec. @throws as `openSandboxKeys` */
export const openSandboxSigner = async (dataDir: string): Promise<Signer> => behindCodec(await openSandboxKeys(dataDir));

/**
 * The keys of this data directory's seed, created on first use.
 * @throws Error that says what to do when the seed exists but does not open
 */
export async function openSandboxKeys(dataDir: string, options?: KeysOptions): Promise<Signer> {
  const { custodyPassphrase: passphrase, operatorKey } = openSecrets(dataDir);
  const path = join(dataDir, "custody-seed.json");
  if (!existsSync(path)) await createSeed(path, passphrase);
  try {
    const { words } = await openSeedFile(path, passphrase);
    const pins = { relayerIndex: config().RELAYER_INDEX, operator: privateKeyToAddress(operatorKey as Hex) };
    return await openKeys(words, "sandbox", { ...pins, ...options });
  } catch (cause) {
    throw new Error(
      `${path} cannot be decrypted with the passphrase in secrets.json. Restore both files. To start a new sandbox, delete DATA_DIR=${dataDir} ` +
        "and empty the database in DATABASE_URL, if it is set.",
      { cause },
    );
  }
}

/** Another process on the same directory may be first: its seed stays unchanged. */
async function createSeed(path: string, passphrase: string): Promise<void> {
  const words = createWords();
  const options = { mode: "sandbox", fingerprint: await fingerprintOf(words), cost: COST_FOR_RANDOM } as const;
  await writeNewSeedFile(path, await sealSeed(words, passphrase, options));
}
