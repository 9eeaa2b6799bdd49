// The passphrase of the seed: from the environment, or from a file that a secrets store provides.

import { readFileSync } from "node:fs";
import type { CustodySettings } from "@/lib/base/config";

const MIN_CHARACTERS = 16;

type PassphraseSettings = Pick<CustodySettings, "CUSTODY_PASSPHRASE" | "CUSTODY_PASSPHRASE_FILE">;

/** True when the settings contain a passphrase or name its file. */
export const hasPassphrase = ({ CUSTODY_PASSPHRASE: direct, CUSTODY_PASSPHRASE_FILE: path }: PassphraseSettings): boolean =>
  direct !== undefined || path !== undefined;

/** @throws Error that names the setting to fix, without any passphrase */
export function readPassphrase({ CUSTODY_PASSPHRASE: direct, CUSTODY_PASSPHRASE_FILE: path }: PassphraseSettings): string {
  if (direct !== undefined) return direct;
  if (path === undefined) {
    throw new Error("No passphrase for the seed. Set CUSTODY_PASSPHRASE or CUSTODY_PASSPHRASE_FILE; see .env.example.");
  }
  return checkPassphrase(readFileOf(path), `CUSTODY_PASSPHRASE_FILE: ${path}`);
}

/**
 * `text` without the trailing newline that editors and `echo` add.
 * @throws Error that starts with `where` when the passphrase is too short
 */
export function checkPassphrase(text: string, where: string): string {
  const passphrase = text.replace(/\r?\n$/, "");
  if (passphrase.length >= MIN_CHARACTERS) return passphrase;
  throw new Error(
    `${where} has fewer than ${MIN_CHARACTERS} characters. Use a longer one, for example the output of: openssl rand -hex 32`,
  );
}

function readFileOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`CUSTODY_PASSPHRASE_FILE: ${path} cannot be read. Set it to the path of the file with the passphrase.`, { cause });
  }
}
