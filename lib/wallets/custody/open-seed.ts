// Opens a seed file with its passphrase and creates a signer. A wrong passphrase throws an error that says what to do.

import { assert } from "@/lib/base/assert";
import type { CustodySettings } from "@/lib/base/config";
import { openJournal } from "./limits/journal";
import { readPassphrase } from "./passphrase";
import { type SeedFile, unsealSeed } from "./seed-file";
import { type KeysOptions, openKeys } from "./seed-signer";
import { readSeedFile } from "./seed-storage";
import type { Signer } from "./signer";

/**
 * The words in the file at `path`.
 * @throws Error that says what to do and contains no secret
 */
export async function openSeedFile(path: string, passphrase: string): Promise<{ words: string; file: SeedFile }> {
  const file = await readSeedFile(path);
  const words = await unsealSeed(file, passphrase);
  if (words !== null) return { words, file };
  throw new Error(
    `${path} cannot be decrypted: the passphrase is wrong, or the file is damaged. ` +
      "Correct CUSTODY_PASSPHRASE, CUSTODY_PASSPHRASE_FILE or CUSTODY_KEY_COMMAND (rotate-passphrase changes it), restore the file from a backup, " +
      "or create it again from the 24 words: npm run custody -- restore",
  );
}

/**
 * The keys of a live process that holds the seed, and their journal in SIGNER_STATE_DIR. Removes the passphrase from the environment.
 * @throws Error that says what to do and contains no secret
 */
export async function openPayingKeys(settings: CustodySettings): Promise<Signer> {
  const { SIGNER_STATE_DIR: directory, OPERATOR_ADDRESS: operator } = settings;
  assert(directory && operator, "settings of live mode with the seed name its state and the operator");
  return openLiveKeys(settings, { journal: await openJournal(directory), operator });
}

/**
 * The keys of a live seed. Without a journal they are for a command that pays no withdrawal.
 * @throws Error that says what to do and contains no secret
 */
export async function openLiveKeys(settings: CustodySettings, options?: KeysOptions): Promise<Signer> {
  const { CUSTODY_SEED_FILE: path, CUSTODY_XPUB: pinned } = settings;
  assert(path, "settings of live mode with the seed name its file");
  delete process.env.CUSTODY_PASSPHRASE; // `settings` has it already; no child process may inherit it
  const { words, file } = await openSeedFile(path, await readPassphrase(settings));
  if (file.mode !== "live") {
    throw new Error(`CUSTODY_SEED_FILE: ${path} is a sandbox seed. Create one for live mode: npm run custody -- init`);
  }
  const keys = await openKeys(words, "live", { relayerIndex: settings.RELAYER_INDEX, ...options });
  if (pinned !== undefined && pinned !== keys.xpub) {
    throw new Error(`CUSTODY_XPUB does not belong to the seed in ${path} (fingerprint ${keys.fingerprint}). Correct one of the two.`);
  }
  return keys;
}
