// `npm run custody`: creates the seed for live custody, restores it from its words, verifies that it belongs to a database, and
// changes its passphrase. The words are shown only on a terminal, unless `init` gets --print-words.

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
import { readNewSecret, readSecret } from "./secret-input";

const usage = `npm run custody -- init                make a seed, and show its 24 words once
npm run custody -- show-words          show the words of a seed that was made without a terminal
npm run custody -- restore             make the seed file from 24 words on standard input
npm run custody -- verify              open the seed, and compare it with the database of DATABASE_URL
npm run custody -- rotate-passphrase   encrypt the seed anew, with the passphrase that is typed twice, or piped

CUSTODY_SEED_FILE names the file; CUSTODY_PASSPHRASE or CUSTODY_PASSPHRASE_FILE opens it. In a terminal it may be typed instead.
init --print-words shows the words although standard output is no terminal.
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
    if (!settings.CUSTODY_SEED_FILE) throw new Error("CUSTODY_SEED_FILE: write the path of the encrypted seed; see .env.example");
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
  printPublicHalf(await openSigner(words, "live"));
  if (!isShown) process.stderr.write(notShown);
}

const notShown = `
*** THE SEED'S 24 WORDS WERE NOT SHOWN, since this is no terminal. ***
The file and its passphrase are all there is: if one of them is lost, every deposit is lost. Before anybody pays in, write the
words down on paper. In a terminal, which asks for the passphrase:

  npm run custody -- show-words

`;

function printWords(words: string): void {
  say("The seed's 24 words. Write them down now, on paper: without them and without the file every deposit is lost. Whoever reads");
  say("them owns every deposit. Clear the screen afterwards.\n");
  const numbered = words.split(" ").map((word, index) => `${String(index + 1).padStart(2)} ${word}`);
  say(`${numbered.join("\n")}\n`);
}

/** The passphrase must be typed even when the settings hold it: a terminal left open must not show the words. */
async function showWords(_settings: CustodySettings, path: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new Error("show-words shows a seed to a person only: run it in a terminal, with nothing piped into it or out of it.");
  }
  const { words } = await openSeedFile(path, await readSecret("The seed's passphrase: "));
  printWords(words);
}

/** The passphrase that encrypts a new file: from the settings, or typed. */
async function readInitialPassphrase(settings: CustodySettings): Promise<string> {
  if (hasPassphrase(settings) || !process.stdin.isTTY) return readPassphrase(settings);
  return checkPassphrase(await readNewSecret("A passphrase for the seed"), "The passphrase");
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
  printPublicHalf(await openSigner(words, "live"));
  say("Now compare it with the database: DATABASE_URL=… npm run custody -- verify");
}

async function writeSeed(path: string, words: string, passphrase: string): Promise<void> {
  const file = await sealSeed(words, passphrase, { mode: "live", fingerprint: await fingerprintOf(words) });
  if (await writeNewSeedFile(path, file)) return say(`Written: ${path}, mode 600, encrypted.\n`);
  throw new Error(`CUSTODY_SEED_FILE: ${path} is there already and was left as it is. Move it away first, and keep it: it may hold money.`);
}

function printPublicHalf(signer: Signer): void {
  say(`Fingerprint   ${signer.fingerprint}`);
  say(`CUSTODY_XPUB  ${signer.xpub}`);
  say(`TREASURY_BASE_ADDRESS    ${signer.treasury.base}`);
  say(`TREASURY_SOLANA_ADDRESS  ${signer.treasury.solana}`);
  say(`Relayer on Base          ${signer.relayer.address}`);
  say(`Sponsor on Solana        ${signer.sponsor.address}`);
  say("Keep ETH on Base at the relayer, and SOL at the Solana treasury and at the sponsor: they pay the fees of sweeps, withdrawals");
  say("and payments. No USDC goes to relayer or sponsor.\n");
  for (let index = 0; index < SHOWN_ADDRESSES; index++) {
    const { baseAddress, solanaAddress } = signer.deriveAddresses(index);
    say(`Address ${index}     Base ${baseAddress}   Solana ${solanaAddress}`);
  }
  say("");
}

async function verify(settings: CustodySettings, path: string): Promise<void> {
  const { words, file } = await openSeedFile(path, await readPresentPassphrase(settings));
  const signer = await openSigner(words, file.mode);
  say(`${path} opens.\n`);
  printPublicHalf(signer);
  const { CUSTODY_XPUB: pinned, DATABASE_URL: url } = settings;
  if (pinned && pinned !== signer.xpub) throw new Error("CUSTODY_XPUB: it is the xpub of another seed; correct it, or the seed file.");
  comparePins(settings, signer.treasury);
  if (!url) return say("DATABASE_URL is not set: the seed was not compared with a database.");
  await compareWith(url, signer);
}

function comparePins(settings: CustodySettings, treasury: Treasury): void {
  const { TREASURY_BASE_ADDRESS: base = treasury.base, TREASURY_SOLANA_ADDRESS: solana = treasury.solana } = settings;
  if (base.toLowerCase() !== treasury.base.toLowerCase())
    throw new Error(`TREASURY_BASE_ADDRESS: write ${treasury.base}, or correct the seed file.`);
  if (solana !== treasury.solana) throw new Error(`TREASURY_SOLANA_ADDRESS: write ${treasury.solana}, or correct the seed file.`);
}

const compareWith = (url: string, signer: Signer): Promise<void> =>
  withDatabaseAt(url, async () => {
    const audit = await auditSeed(signer);
    if (audit.kind === "unused") return say("The database has no seed yet: the first start with this one makes it the database's own.");
    if (audit.kind === "match") {
      return say(`The database's seed is this one: ${audit.wallets} wallets compared, next derivation index ${audit.nextIndex}.`);
    }
    throw new Error(["The database's addresses are not this seed's:", ...audit.differences.slice(0, 10)].join("\n  "));
  });

async function rotatePassphrase(settings: CustodySettings, path: string): Promise<void> {
  const { words, file } = await openSeedFile(path, await readPresentPassphrase(settings));
  const passphrase = checkPassphrase(await readNewSecret("The new passphrase"), "The new passphrase");
  const sealed = await sealSeed(words, passphrase, { mode: file.mode, fingerprint: file.fingerprint });
  assert((await unsealSeed(sealed, passphrase)) === words, "the seed opens with the new passphrase");
  const kept = await replaceSeedFile(path, sealed);
  say(`${path} opens with the new passphrase only. Put it into CUSTODY_PASSPHRASE or CUSTODY_PASSPHRASE_FILE before the next start.`);
  say(`The old file is ${kept}, and opens with the old passphrase. Delete it once`);
  say("npm run custody -- verify has opened the seed with the new passphrase, as the service will read it.");
  say("Backups of the old file still open with the old one: replace them.");
}
