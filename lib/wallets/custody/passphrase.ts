// The passphrase of the seed: from the environment, from a file that a secrets store provides, or from a command.

import { readFileSync } from "node:fs";
import type { CustodySettings } from "@/lib/base/config";
import { runKeyCommand } from "./key-command";

const MIN_CHARACTERS = 16;

type PassphraseSettings = Pick<CustodySettings, "CUSTODY_PASSPHRASE" | "CUSTODY_PASSPHRASE_FILE" | "CUSTODY_KEY_COMMAND">;

/** True when the settings contain a passphrase, or say where it is. */
export const hasPassphrase = (settings: PassphraseSettings): boolean =>
  [settings.CUSTODY_PASSPHRASE, settings.CUSTODY_PASSPHRASE_FILE, settings.CUSTODY_KEY_COMMAND].some((one) => one !== undefined);

/** @throws Error that names the setting to fix, without any passphrase */
export async function readPassphrase(settings: PassphraseSettings): Promise<string> {
  const { CUSTODY_PASSPHRASE: direct, CUSTODY_PASSPHRASE_FILE: path, CUSTODY_KEY_COMMAND: command } = settings;
  if (direct !== undefined) return direct;
  if (path !== undefined) return checkPassphrase(readFileOf(path), `CUSTODY_PASSPHRASE_FILE: ${path}`);
  if (command !== undefined) return checkPassphrase(await runKeyCommand(command), "CUSTODY_KEY_COMMAND: the command's output");
  throw new Error("No passphrase for the seed. Set CUSTODY_PASSPHRASE, CUSTODY_PASSPHRASE_FILE or CUSTODY_KEY_COMMAND; see .env.example.");
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
