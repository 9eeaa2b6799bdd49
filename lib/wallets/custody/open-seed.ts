// Opens a seed file with its passphrase and creates a signer. A wrong passphrase throws an error that says what to do.

import { assert } from "@/lib/base/assert";
import type { CustodySettings } from "@/lib/base/config";
import { readPassphrase } from "./passphrase";
import { type SeedFile, unsealSeed } from "./seed-file";
import { openSigner } from "./seed-signer";
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
      "Correct CUSTODY_PASSPHRASE or CUSTODY_PASSPHRASE_FILE (rotate-passphrase changes it), restore the file from a backup, " +
      "or create it again from the 24 words: npm run custody -- restore",
  );
}

/**
 * The signer of a live process with the jobs role. Removes the passphrase from the environment.
 * @throws Error that says what to do and contains no secret
 */
export async function openLiveSigner(settings: CustodySettings): Promise<Signer> {
  const { CUSTODY_SEED_FILE: path, CUSTODY_XPUB: pinned } = settings;
  assert(path, "settings of live mode with the jobs role name a seed");
  delete process.env.CUSTODY_PASSPHRASE; // `settings` has it already; no child process may inherit it
  const { words, file } = await openSeedFile(path, readPassphrase(settings));
  if (file.mode !== "live") {
    throw new Error(`CUSTODY_SEED_FILE: ${path} is a sandbox seed. Create one for live mode: npm run custody -- init`);
  }
  const signer = await openSigner(words, "live");
  if (pinned !== undefined && pinned !== signer.xpub) {
    throw new Error(`CUSTODY_XPUB does not belong to the seed in ${path} (fingerprint ${signer.fingerprint}). Correct one of the two.`);
  }
  return signer;
}
