// `npm run custody`: creates the seed for live custody, restores it from its words, verifies that it belongs to a database, and
// changes its passphrase. The words are shown only on a terminal, unless `init` gets --print-words.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { assert } from "@/lib/base/assert";
import { type CustodySettings, readCustodySettings } from "@/lib/base/config";
import { createWords, readWords } from "@/lib/wallets/custody/mnemonic";
import { openSeedFile } from "@/lib/wallets/custody/open-seed";
import { checkPassphrase, hasPassphrase, readPassphrase } from "@/lib/wallets/custody/passphrase";
import { auditSeed } from "@/lib/wallets/custody/seed-audit";
import { sealSeed, unsealSeed } from "@/lib/wallets/custody/seed-file";
import { fingerprintOf, openSigner } from "@/lib/wallets/custody/seed-signer";
import { replaceSeedFile, writeNewSeedFile } from "@/lib/wallets/custody/seed-storage";
import type { Signer, Treasury } from "@/lib/wallets/custody/signer";
import { withDatabaseAt } from "./present-database";

const usage = `npm run custody -- init                create a seed and show its 24 words once
npm run custody -- show-words          show the 24 words of an existing seed
npm run custody -- restore             create the seed file from its 24 words
npm run custody -- verify              open the seed and compare it with the database in DATABASE_URL
npm run custody -- rotate-passphrase   encrypt the seed with a new passphrase

CUSTODY_SEED_FILE is the path of the seed file. The passphrase comes from CUSTODY_PASSPHRASE, CUSTODY_PASSPHRASE_FILE or
CUSTODY_KEY_COMMAND; in a terminal you can type it instead. The words and a new passphrase can be piped in. init --print-words prints the words to a pipe or file too.
`;

const commands: Readonly<Record<string, (settings: CustodySettings, path: string) => Promise<void>>> = {
  init,
  "show-words": showWords,
  restore,
  verify,
  "rotate-passphrase": rotatePassphrase,
};

const SHOWN_ADDRESSES = 3;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Exit code 0 when the command is done; 1 when it is not, and the message says what to do. */
export async function main(): Promise<void> {
  process.stdout.on("error", () => undefined); // the reader has closed the pipe
  const [name = "", ...flags] = process.argv.slice(2);
  const command = commands[name];
  if (!command || flags.some((flag) => name !== "init" || flag !== "--print-words")) {
    process.stderr.write(usage);
    process.exitCode = 1;
    return;
  }
  try {
    const settings = readCustodySettings(process.env);
    if (!settings.CUSTODY_SEED_FILE)
      throw new Error("CUSTODY_SEED_FILE is not set. Set it to the path of the encrypted seed file; see .env.example.");
    await command(settings, settings.CUSTODY_SEED_FILE);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function init(settings: CustodySettings, path: string): Promise<void> {
  const words = createWords();
  await writeSeed(path, words, await readInitialPassphrase(settings));
  const isShown = process.stdout.isTTY || process.argv.includes("--print-words");
  if (isShown) printWords(words);
  await printPublicHalf(await openSigner(words, "live"));
  if (!isShown) process.stderr.write(notShown);
}

const notShown = `
*** THE SEED'S 24 WORDS WERE NOT SHOWN, because the output is not a terminal. ***
Until you have them on paper, losing the file or its passphrase means losing every deposit. Before you accept deposits, run this in a
terminal and write the words down:

  npm run custody -- show-words

`;

function printWords(words: string): void {
  say("The seed's 24 words. Write them down on paper now. If you lose both the words and the file, every deposit is lost.");
  say("Anyone who has these words can take every deposit. Clear the screen when you are done.\n");
  const numbered = words.split(" ").map((word, index) => `${String(index + 1).padStart(2)} ${word}`);
  say(`${numbered.join("\n")}\n`);
}

/** The passphrase must be typed even when the settings hold it: a terminal left open must not show the words. */
async function showWords(_settings: CustodySettings, path: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new Error("show-words only runs in a terminal. Run it without pipes or redirects.");
  }
  const { words } = await openSeedFile(path, await readSecret("The seed's passphrase: "));
  printWords(words);
}

/** The passphrase that encrypts a new file: from the settings, or typed. */
async function readInitialPassphrase(settings: CustodySettings): Promise<string> {
  if (hasPassphrase(settings) || !process.stdin.isTTY) return readPassphrase(settings);
  return checkPassphrase(await readNewSecret("New passphrase for the seed"), "The passphrase");
}

/** The passphrase that opens the file: from the settings, or typed. */
async function readPresentPassphrase(settings: CustodySettings): Promise<string> {
  if (hasPassphrase(settings) || !process.stdin.isTTY) return readPassphrase(settings);
  return readSecret("The seed's passphrase: ");
}

async function restore(settings: CustodySettings, path: string): Promise<void> {
  const passphrase = await readInitialPassphrase(settings);
  const words = readWords(await readSecret("The 24 words, on one line: "));
  await writeSeed(path, words, passphrase);
  await printPublicHalf(await openSigner(words, "live"));
  say("Next, compare it with the database: DATABASE_URL=… npm run custody -- verify");
}

async function writeSeed(path: string, words: string, passphrase: string): Promise<void> {
  const file = await sealSeed(words, passphrase, { mode: "live", fingerprint: await fingerprintOf(words) });
  if (await writeNewSeedFile(path, file)) return say(`Created ${path} (encrypted, mode 600).\n`);
  throw new Error(
    `CUSTODY_SEED_FILE: ${path} already exists and was not changed. Move it away first, and keep it: its addresses may hold money.`,
  );
}

async function printPublicHalf(signer: Signer): Promise<void> {
  say(`Fingerprint   ${signer.fingerprint}`);
  say(`CUSTODY_XPUB  ${signer.xpub}`);
  say(`TREASURY_BASE_ADDRESS    ${signer.treasury.base}`);
  say(`TREASURY_SOLANA_ADDRESS  ${signer.treasury.solana}`);
  say(`Relayer on Base          ${signer.relayer.address}`);
  say(`Sponsor on Solana        ${signer.sponsor.address}`);
  say(
    "Network fees of sweeps, withdrawals and payments are paid in ETH by the relayer on Base, and in SOL by the treasury and the sponsor",
  );
  say("on Solana: keep them funded. Never send USDC to the relayer or the sponsor.\n");
  for (let index = 0; index < SHOWN_ADDRESSES; index++) {
    const { baseAddress, solanaAddress } = await signer.deriveAddresses(index);
    say(`Address ${index}     Base ${baseAddress}   Solana ${solanaAddress}`);
  }
  say("");
}

async function verify(settings: CustodySettings, path: string): Promise<void> {
  const { words, file } = await openSeedFile(path, await readPresentPassphrase(settings));
  const signer = await openSigner(words, file.mode, { relayerIndex: settings.RELAYER_INDEX });
  say(`${path}: the passphrase is correct.\n`);
  await printPublicHalf(signer);
  const { CUSTODY_XPUB: pinned, DATABASE_URL: url } = settings;
  if (pinned && pinned !== signer.xpub)
    throw new Error("CUSTODY_XPUB belongs to a different seed. Correct CUSTODY_XPUB or CUSTODY_SEED_FILE.");
  comparePins(settings, signer.treasury);
  if (!url) return say("DATABASE_URL is not set, so the seed was not compared with a database.");
  await compareWith(url, signer);
}

function comparePins(settings: CustodySettings, treasury: Treasury): void {
  const { TREASURY_BASE_ADDRESS: base = treasury.base, TREASURY_SOLANA_ADDRESS: solana = treasury.solana } = settings;
  if (base.toLowerCase() !== treasury.base.toLowerCase())
    throw new Error(`TREASURY_BASE_ADDRESS does not match this seed. Set it to ${treasury.base}, or correct CUSTODY_SEED_FILE.`);
  if (solana !== treasury.solana)
    throw new Error(`TREASURY_SOLANA_ADDRESS does not match this seed. Set it to ${treasury.solana}, or correct CUSTODY_SEED_FILE.`);
}

const compareWith = (url: string, signer: Signer): Promise<void> =>
  withDatabaseAt(url, async () => {
    const audit = await auditSeed(signer);
    if (audit.kind === "unused") return say("The database has no seed yet. The first start with this seed binds the database to it.");
    if (audit.kind === "match") {
      return say(`The database uses this seed: ${audit.wallets} wallets match, and the next derivation index is ${audit.nextIndex}.`);
    }
    throw new Error(["The database uses a different seed:", ...audit.differences.slice(0, 10)].join("\n  "));
  });

async function rotatePassphrase(settings: CustodySettings, path: string): Promise<void> {
  const { words, file } = await openSeedFile(path, await readPresentPassphrase(settings));
  const passphrase = checkPassphrase(await readNewSecret("New passphrase"), "The new passphrase");
  const sealed = await sealSeed(words, passphrase, { mode: file.mode, fingerprint: file.fingerprint });
  assert((await unsealSeed(sealed, passphrase)) === words, "the seed opens with the new passphrase");
  const kept = await replaceSeedFile(path, sealed);
  say(
    `${path} is encrypted with the new passphrase. Update CUSTODY_PASSPHRASE, CUSTODY_PASSPHRASE_FILE, or what CUSTODY_KEY_COMMAND prints, before the next start.`,
  );
  say(`The old file is now ${kept} and still needs the old passphrase. Delete it after this command succeeds:`);
  say("  npm run custody -- verify");
  say("Backups of the old file still open with the old passphrase. Replace them.");
}

/** The text that a person types after `question`, without echo; or the whole piped input. */
async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = createInterface({ input: process.stdin, output: unseen, terminal: true });
  typed.on("SIGINT", () => process.exit(130)); // Ctrl-C: nothing has been written
  const closed = new Promise<never>((_, refuse) =>
    typed.once("close", () => refuse(new Error("Nothing was entered, so nothing was done."))),
  );
  process.stderr.write(question); // only now, with the echo off
  try {
    return await Promise.race([typed.question(""), closed]);
  } finally {
    typed.close();
    process.stderr.write("\n");
  }
}

/**
 * A new secret, typed twice: an unnoticed typo would lock the seed up for good. Piped input is read once.
 * @throws Error when the two differ
 */
async function readNewSecret(question: string): Promise<string> {
  const secret = await readSecret(`${question}: `);
  if (!process.stdin.isTTY || (await readSecret(`${question} (repeat): `)) === secret) return secret;
  throw new Error("The passphrases do not match. Nothing was changed.");
}
