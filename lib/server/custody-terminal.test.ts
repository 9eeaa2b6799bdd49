// The custody command as a person runs it: in a real terminal, where typed passphrases stay invisible.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createWords } from "@/lib/wallets/custody/mnemonic";
import { openSeedFile } from "@/lib/wallets/custody/open-seed";
import { COST_FOR_RANDOM, sealSeed } from "@/lib/wallets/custody/seed-file";
import { fingerprintOf } from "@/lib/wallets/custody/seed-signer";
import { bundleService, cleanUpServices, onCleanUp } from "./testing/service";
import { CTRL_D, hasTerminal, runInTerminal, type Typed } from "./testing/terminal";

const passphrase = "the first passphrase";
const newPassphrase = "the second passphrase";

let bundled: string;
let directory: string;
let path: string;

beforeAll(() => {
  bundled = join(bundleService(), "run-custody-terminal.mjs");
  writeFileSync(bundled, 'const { main } = await import("./custody.mjs");\nawait main();\n');
});
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), "custody-terminal-"));
  onCleanUp(() => rmSync(made, { recursive: true, force: true }));
  directory = made;
  path = join(directory, "seed.json");
});
afterAll(cleanUpServices);

async function createSeed(): Promise<string> {
  const words = createWords();
  const options = { mode: "live", fingerprint: await fingerprintOf(words), cost: COST_FOR_RANDOM } as const;
  writeFileSync(path, JSON.stringify(await sealSeed(words, passphrase, options)), { mode: 0o600 });
  return words;
}

/** Runs the command in a terminal and types an answer after each prompt; resolves with what the screen showed. */
const runCustody = (words: string, answers: readonly Typed[], environment: Record<string, string> = {}) =>
  runInTerminal(`"${bundled}" ${words}`, answers, {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    CUSTODY_SEED_FILE: path,
    ...environment,
  });

const first = (type: string): Typed => ({ after: "passphrase: ", type });
const again = (type: string): Typed => ({ after: "(repeat): ", type });
const wordsIn = (screen: string): string => [...screen.matchAll(/^ ?\d{1,2} ([a-z]+)$/gm)].map(([, word]) => word).join(" ");

test.runIf(hasTerminal)("a new passphrase whose second typing differs changes nothing", async () => {
  const words = await createSeed();
  const before = readFileSync(path, "utf8");
  const settings = { CUSTODY_PASSPHRASE: passphrase };
  const { code, screen } = await runCustody("rotate-passphrase", [first(newPassphrase), again(`${newPassphrase}x`)], settings);
  expect(code).toBe(1);
  expect(screen).toContain("The passphrases do not match. Nothing was changed.");
  expect(screen).not.toContain(newPassphrase);
  expect(readFileSync(path, "utf8")).toBe(before);
  expect(readdirSync(directory)).toEqual(["seed.json"]);
  expect((await openSeedFile(path, passphrase)).words).toBe(words);
  expect((await runCustody("rotate-passphrase", [first(CTRL_D)], settings)).screen).toContain("Nothing was entered, so nothing was done.");
});

test.runIf(hasTerminal)("a rotation whose passphrase is typed twice keeps the old file and says when to delete it", async () => {
  const words = await createSeed();
  const typed = [{ after: "seed's passphrase: ", type: passphrase }, first(newPassphrase), again(newPassphrase)];
  const { code, screen } = await runCustody("rotate-passphrase", typed);
  expect(code).toBe(0);
  expect((await openSeedFile(path, newPassphrase)).words).toBe(words);
  const kept = /The old file is now (\S+) and still needs the old passphrase\./.exec(screen)?.[1] ?? "";
  expect(kept).toMatch(/seed\.json\.before-\d{8}T\d{9}Z$/);
  expect((await openSeedFile(kept, passphrase)).words).toBe(words);
});

test.runIf(hasTerminal)("init and restore ask twice for a passphrase that is not in the settings; init shows the words", async () => {
  for (const args of ["init", "restore"]) {
    const differing = await runCustody(args, [{ after: "for the seed: ", type: passphrase }, again(newPassphrase)]);
    expect(differing).toMatchObject({ code: 1, screen: expect.stringContaining("The passphrases do not match") as string });
    expect(existsSync(path)).toBe(false);
  }
  const made = await runCustody("init", [{ after: "for the seed: ", type: passphrase }, again(passphrase)]);
  expect(made.code).toBe(0);
  expect((await openSeedFile(path, passphrase)).words).toBe(wordsIn(made.screen));
});

test.runIf(hasTerminal)("show-words shows a seed only to a person who types its passphrase at a terminal", async () => {
  const words = await createSeed();
  const settings = { CUSTODY_PASSPHRASE: passphrase };
  const shown = await runCustody("show-words", [first(passphrase)]);
  expect(shown.code).toBe(0);
  expect(wordsIn(shown.screen)).toBe(words);
  const left = await runCustody("show-words", [first("not the passphrase")], settings);
  const piped = [await runCustody("show-words | cat", [], settings), await runCustody("show-words < /dev/null", [], settings)];
  for (const { screen } of [left, ...piped]) expect(wordsIn(screen)).toBe("");
  for (const { screen } of piped) expect(screen).toContain("show-words only runs in a terminal.");
  expect(left.screen).toContain("cannot be decrypted: the passphrase is wrong");
});
