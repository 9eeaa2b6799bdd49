// `npm run custody`: makes the seed of live custody, restores it from its words, proves that it is the one of a database, and
// changes its passphrase. The words are shown once, by `init`, and to a terminal only, unless --print-words asks otherwise.

import { assert } from "@/lib/base/assert";
import { type CustodySettings, readCustodySettings } from "@/lib/base/config";
import { makePool } from "@/lib/db/pool";
import { makeWords, readWords } from "@/lib/wallets/mnemonic";
import { openSeedFile } from "@/lib/wallets/open-seed";
import { checkPassphrase, readPassphrase } from "@/lib/wallets/passphrase";
import { auditSeed } from "@/lib/wallets/seed-audit";
import { sealSeed, unsealSeed } from "@/lib/wallets/seed-file";
import { fingerprintOf, openSigner } from "@/lib/wallets/seed-signer";
import { replaceSeedFile, writeNewSeedFile } from "@/lib/wallets/seed-storage";
import type { Signer } from "@/lib/wallets/signer";
import { readSecret } from "./secret-input";
import { databaseProblem } from "./start-problem";

const usage = `npm run custody -- init                make a seed, and show its 24 words once
npm run custody -- restore             make the seed file from 24 words on standard input
npm run custody -- verify              open the seed, and compare it with the database of DATABASE_URL
npm run custody -- rotate-passphrase   encrypt the seed anew, with the passphrase on standard input

CUSTODY_SEED_FILE names the file; CUSTODY_PASSPHRASE or CUSTODY_PASSPHRASE_FILE opens it.
init --print-words shows the words although standard output is no terminal.
`;

const commands: Readonly<Record<string, (settings: CustodySettings, path: string) => Promise<void>>> = {
  init,
  restore,
  verify,
  "rotate-passphrase": rotatePassphrase,
};

const SHOWN_ADDRESSES = 3;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Exit code 0 when it is done, 1 when it is not and the message says what to do. */
export async function main(): Promise<void> {
  process.stdout.on("error", () => undefined); // whoever read it has gone
  const [name = "", ...flags] = process.argv.slice(2);
  const command = commands[name];
  if (!command || flags.some((flag) => name !== "init" || flag !== "--print-words")) {
    process.stderr.write(usage);
    process.exitCode = 1;
    return;
  }
  try {
    const settings = readCustodySettings(process.env);
    if (!settings.CUSTODY_SEED_FILE) throw new Error("CUSTODY_SEED_FILE: write the path of the encrypted seed; see .env.example");
    await command(settings, settings.CUSTODY_SEED_FILE);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function init(settings: CustodySettings, path: string): Promise<void> {
  const words = makeWords();
  await writeSeed(path, words, readPassphrase(settings));
  if (process.stdout.isTTY || process.argv.includes("--print-words")) {
    say("The seed's 24 words. Write them down now, on paper: they are not shown again, and without them and without the file");
    say("every deposit is lost. Whoever reads them owns every deposit.\n");
    say(
      `${words
        .split(" ")
        .map((word, index) => `${String(index + 1).padStart(2)} ${word}`)
        .join("\n")}\n`,
    );
  } else {
    say("The words were not shown, since this is no terminal: the file and its passphrase are all there is, so back up both apart.");
    say("To write the words down instead, delete the file and run init in a terminal, or with --print-words.\n");
  }
  sayPublicHalf(await openSigner(words, "live"));
}

async function restore(settings: CustodySettings, path: string): Promise<void> {
  const passphrase = readPassphrase(settings);
  const words = readWords(await readSecret("The 24 words, on one line: "));
  await writeSeed(path, words, passphrase);
  sayPublicHalf(await openSigner(words, "live"));
  say("Now compare it with the database: DATABASE_URL=… npm run custody -- verify");
}

async function writeSeed(path: string, words: string, passphrase: string): Promise<void> {
  const file = await sealSeed(words, passphrase, { mode: "live", fingerprint: await fingerprintOf(words) });
  if (await writeNewSeedFile(path, file)) return say(`Written: ${path}, mode 600, encrypted.\n`);
  throw new Error(`CUSTODY_SEED_FILE: ${path} is there already and was left as it is. Move it away first, and keep it: it may hold money.`);
}

function sayPublicHalf(signer: Signer): void {
  say(`Fingerprint   ${signer.fingerprint}`);
  say(`CUSTODY_XPUB  ${signer.xpub}\n`);
  for (let index = 0; index < SHOWN_ADDRESSES; index++) {
    const { baseAddress, solanaAddress } = signer.makeAddresses(index);
    say(`Address ${index}     Base ${baseAddress}   Solana ${solanaAddress}`);
  }
  say("");
}

async function verify(settings: CustodySettings, path: string): Promise<void> {
  const { words, file } = await openSeedFile(path, readPassphrase(settings));
  const signer = await openSigner(words, file.mode);
  say(`${path} opens.\n`);
  sayPublicHalf(signer);
  const { CUSTODY_XPUB: pinned, DATABASE_URL: url } = settings;
  if (pinned && pinned !== signer.xpub) throw new Error("CUSTODY_XPUB: it is the xpub of another seed; correct it, or the seed file.");
  if (!url) return say("DATABASE_URL is not set: the seed was not compared with a database.");
  await compareWith(url, signer);
}

async function compareWith(url: string, signer: Signer): Promise<void> {
  const pool = makePool(url, 1);
  try {
    const audit = await auditSeed(signer, pool);
    if (audit.kind === "unused") return say("The database has no seed yet: the first start with this one makes it the database's own.");
    if (audit.kind === "match") {
      return say(`The database's seed is this one: ${audit.wallets} wallets compared, next derivation index ${audit.nextIndex}.`);
    }
    throw new Error(["The database's addresses are not this seed's:", ...audit.differences.slice(0, 10)].join("\n  "));
  } catch (error) {
    throw databaseProblem(error, url);
  } finally {
    await pool.end();
  }
}

async function rotatePassphrase(settings: CustodySettings, path: string): Promise<void> {
  const { words, file } = await openSeedFile(path, readPassphrase(settings));
  const passphrase = checkPassphrase(await readSecret("The new passphrase: "), "The new passphrase");
  const sealed = await sealSeed(words, passphrase, { mode: file.mode, fingerprint: file.fingerprint });
  assert((await unsealSeed(sealed, passphrase)) === words, "the seed opens with the new passphrase");
  await replaceSeedFile(path, sealed);
  say(`${path} opens with the new passphrase only. Put it into CUSTODY_PASSPHRASE or CUSTODY_PASSPHRASE_FILE before the next start.`);
  say("Backups of the file still open with the old one: replace them.");
}
