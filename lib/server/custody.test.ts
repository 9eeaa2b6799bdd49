// The custody command with its own files and database, also as a process that is killed midway.

import { type ChildProcess, spawn } from "node:child_process";
import { once as nextEvent } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newAccountId } from "@/lib/base/ids";
import { inTransaction } from "@/lib/db/prisma";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openWallet } from "@/lib/wallets/custody/custodial-wallet";
import { createWords } from "@/lib/wallets/custody/mnemonic";
import { openSeedFile } from "@/lib/wallets/custody/open-seed";
import { COST_FOR_RANDOM, sealSeed } from "@/lib/wallets/custody/seed-file";
import { fingerprintOf, openSigner } from "@/lib/wallets/custody/seed-signer";
import { startCustody } from "@/lib/wallets/custody/start-custody";
import { main } from "./custody";
import { type Outcome, runCommand } from "./testing/command";
import { bundleService, cleanUpServices, onCleanUp } from "./testing/service";

const database = await openTestDatabase();
const passphrase = "the first passphrase";
const newPassphrase = "the second passphrase";

let script: string;
let directory: string;
let path: string;
let settings: Record<string, string>;

beforeAll(() => {
  const bundle = bundleService();
  script = join(bundle, "run-custody.mjs");
  writeFileSync(script, 'const { main } = await import("./custody.mjs");\nawait main();\n');
});
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), "custody-"));
  onCleanUp(() => rmSync(made, { recursive: true, force: true }));
  directory = made;
  path = join(directory, "seed.json");
  settings = { CUSTODY_SEED_FILE: path, CUSTODY_PASSPHRASE: passphrase };
});
afterAll(cleanUpServices);

function start(args: string[], environment: Record<string, string> = settings): ChildProcess & { output: () => string } {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin?.on("error", () => undefined); // the process may have ended without reading it
  return Object.assign(child, { output: () => output });
}

/** Runs the command to its end, with `input` on its standard input. */
const run = (args: string[], { input = "", environment = settings } = {}): Promise<Outcome> =>
  runCommand(main, args, { environment: { PATH: process.env.PATH, NODE_ENV: "production", ...environment }, input });

/** The same as the operator does it: in a process of its own. */
async function runAlone(args: string[], { input = "" } = {}): Promise<Outcome> {
  const child = start(args);
  child.stdin?.end(input);
  const [code] = (await nextEvent(child, "close")) as [number | null];
  return { code, output: child.output() };
}

const wordsIn = (output: string): string => [...output.matchAll(/^ ?\d{1,2} ([a-z]+)$/gm)].map(([, word]) => word).join(" ");
const xpubIn = (output: string): string | undefined => /CUSTODY_XPUB +(xpub\w+)/.exec(output)?.[1];

/** Creates a seed file at `path` like `init` does, with cheaper key derivation so that it opens faster. */
async function createSeed(): Promise<string> {
  const words = createWords();
  const options = { mode: "live", fingerprint: await fingerprintOf(words), cost: COST_FOR_RANDOM } as const;
  writeFileSync(path, JSON.stringify(await sealSeed(words, passphrase, options)), { mode: 0o600 });
  return words;
}

test("init creates a seed file for its owner alone, and shows the words only on request; the words restore the same seed", async () => {
  const made = await runAlone(["init", "--print-words"]);
  expect(made.code).toBe(0);
  const words = wordsIn(made.output);
  expect(words.split(" ")).toHaveLength(24);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const signer = await openSigner(words, "live");
  expect(xpubIn(made.output)).toBe(signer.xpub);
  for (const index of [0, 1, 2]) {
    const { baseAddress, solanaAddress } = await signer.deriveAddresses(index);
    expect(made.output).toContain(baseAddress);
    expect(made.output).toContain(solanaAddress);
  }
  expect(made.output).toMatch(new RegExp(`^TREASURY_BASE_ADDRESS +${signer.treasury.base}$`, "m"));
  expect(made.output).toMatch(new RegExp(`^TREASURY_SOLANA_ADDRESS +${signer.treasury.solana}$`, "m"));
  expect(made.output).toMatch(new RegExp(`^Relayer on Base +${signer.relayer.address}$`, "m"));
  expect(made.output).toMatch(new RegExp(`^Sponsor on Solana +${signer.sponsor.address}$`, "m"));

  const elsewhere = { ...settings, CUSTODY_SEED_FILE: join(directory, "restored.json"), CUSTODY_PASSPHRASE: newPassphrase };
  const restored = await run(["restore"], { input: `${words}\n`, environment: elsewhere });
  expect(restored.code).toBe(0);
  expect(xpubIn(restored.output)).toBe(signer.xpub);
  expect(restored.output).not.toContain(words.split(" ").slice(0, 3).join(" "));
  expect(await run(["verify"], { environment: elsewhere })).toMatchObject({ code: 0 });
});

test("without a terminal init shows no words, and warns what that means and how to see them", async () => {
  const { code, output } = await run(["init"]);
  expect(code).toBe(0);
  expect(wordsIn(output)).toBe("");
  expect(output).toMatch(
    /\*\*\* THE SEED'S 24 WORDS WERE NOT SHOWN, because the output is not a terminal[\s\S]*npm run custody -- show-words\n+$/,
  );
  const { words } = await openSeedFile(path, passphrase);
  expect(output).not.toContain(words.split(" ").slice(0, 2).join(" "));
});

test("init and restore never replace a seed, and a restore from wrong words creates none", async () => {
  await createSeed();
  const before = readFileSync(path, "utf8");
  for (const outcome of [await run(["init"]), await run(["restore"], { input: createWords() })]) {
    expect(outcome).toMatchObject({ code: 1, output: expect.stringMatching(/already exists and was not changed/) as string });
  }
  expect(readFileSync(path, "utf8")).toBe(before);
  rmSync(path);
  // Words in random order pass the checksum by chance once in 256; these never do.
  const wrong = await run(["restore"], { input: "zoo ".repeat(24) });
  expect(wrong).toMatchObject({ code: 1, output: expect.stringMatching(/not the 24 words of a seed \(24 words read\)/) as string });
  expect(existsSync(path)).toBe(false);
});

test("verify compares the seed with the database: an unused one, the seed's own with its wallets, and another seed's", async () => {
  const words = await createSeed();
  const environment = { ...settings, DATABASE_URL: database.url };
  const verify = () => run(["verify"], { environment });
  expect(await verify()).toMatchObject({ code: 0, output: expect.stringContaining("The database has no seed yet") as string });

  await startCustody(await openSigner(words, "live"));
  await inTransaction((transaction) => openWallet(newAccountId(), transaction));
  expect(await verify()).toMatchObject({
    code: 0,
    output: expect.stringContaining("The database uses this seed: 1 wallets match, and the next") as string,
  });

  // The next relayer's address, before it is used.
  const rotated = await run(["verify"], { environment: { ...environment, RELAYER_INDEX: "1" } });
  expect(rotated).toMatchObject({ code: 0, output: expect.stringContaining("The database uses this seed: 1 wallets match") as string });
  const { relayer } = await openSigner(words, "live", { relayerIndex: 1 });
  expect(rotated.output).toMatch(new RegExp(`^Relayer on Base +${relayer.address}$`, "m"));

  await createSeed();
  const other = await verify();
  expect(other.code).toBe(1);
  expect(other.output).toMatch(
    /database uses a different seed:\n {2}fingerprint: .*\n {2}xpub: .*\n( {2}(treasury|sponsor) on .*\n){3} {2}wallet 0, baseAddress: /,
  );
});

test("each mistake is reported with its fix, without a stack or a secret", { timeout: 240_000 }, async () => {
  const words = await createSeed();
  const xpub = (await openSigner(createWords(), "live")).xpub;
  const wrong: readonly (readonly [args: string[], settings: Record<string, string>, pattern: RegExp])[] = [
    [["verify"], { CUSTODY_SEED_FILE: "" }, /CUSTODY_SEED_FILE is not set/],
    [["verify"], { CUSTODY_SEED_FILE: join(directory, "missing") }, /missing does not exist/],
    [["verify"], { CUSTODY_PASSPHRASE: "" }, /Set CUSTODY_PASSPHRASE, CUSTODY_PASSPHRASE_FILE or CUSTODY_KEY_COMMAND/],
    [["verify"], { CUSTODY_PASSPHRASE: "not the passphrase" }, /cannot be decrypted: the passphrase is wrong/],
    [["verify"], { CUSTODY_XPUB: xpub }, /CUSTODY_XPUB belongs to a different seed/],
    [["verify"], { TREASURY_BASE_ADDRESS: `0x${"1".repeat(40)}` }, /TREASURY_BASE_ADDRESS does not match this seed\. Set it to 0x\w{40}/],
    [["verify"], { TREASURY_SOLANA_ADDRESS: "1".repeat(32) }, /TREASURY_SOLANA_ADDRESS does not match this seed\. Set it to \w{32,44}/],
    [["verify"], { DATABASE_URL: "postgresql://u:verysecret@127.0.0.1:1/x" }, /DATABASE_URL: no PostgreSQL is running at 127\.0\.0\.1:1/],
    [["rotate-passphrase"], { CUSTODY_PASSPHRASE: "not the passphrase" }, /cannot be decrypted/],
    [["rotate-passphrase"], {}, /The new passphrase has fewer than 16 characters/],
    [["destroy"], {}, /npm run custody -- init/],
    [["verify", "--print-words"], {}, /npm run custody -- init/],
    [[], {}, /npm run custody -- init/],
  ];
  for (const [args, changed, pattern] of wrong) {
    const { code, output } = await run(args, { input: "too short", environment: { ...settings, ...changed } });
    expect(code, pattern.source).toBe(1);
    expect(output).toMatch(pattern);
    expect(output).not.toMatch(/^ +at .*:\d+/m);
    for (const secret of [passphrase, "not the passphrase", "too short", "verysecret", words.split(" ").slice(0, 2).join(" ")])
      expect(output).not.toContain(secret);
  }
  chmodSync(path, 0o644);
  expect(await run(["verify"])).toMatchObject({ code: 1, output: expect.stringContaining(`chmod 600 ${path}`) as string });
});

/** The files in the directory; the old seed files that rotations kept are listed separately. */
function listFiles(): { kept: string[]; others: string[] } {
  const names = readdirSync(directory);
  const isKept = (name: string) => /^seed\.json\.before-\d{8}T\d{9}Z$/.test(name);
  return { kept: names.filter(isKept), others: names.filter((name) => !isKept(name)) };
}

test("a rotation encrypts the seed with the new passphrase and keeps the old file, for its owner alone, in case of a typo", async () => {
  const words = await createSeed();
  const { code, output } = await runAlone(["rotate-passphrase"], { input: `${newPassphrase}\n` });
  expect(code).toBe(0);
  expect((await openSeedFile(path, newPassphrase)).words).toBe(words);
  await expect(openSeedFile(path, passphrase)).rejects.toThrow("cannot be decrypted");
  const { kept, others } = listFiles();
  expect(others).toEqual(["seed.json"]);
  expect(kept).toHaveLength(1);
  const keptPath = join(directory, kept[0] ?? "");
  expect((await openSeedFile(keptPath, passphrase)).words).toBe(words);
  expect(statSync(keptPath).mode & 0o777).toBe(0o600);
  expect(output).toContain(`${keptPath} and still needs the old passphrase. Delete it after`);
});

/** Kills a rotation at its first write, or this many milliseconds after its start; true when it was still running. */
async function killRotation(afterMs: number | "at its first write"): Promise<boolean> {
  const child = start(["rotate-passphrase"]);
  const ended = nextEvent(child, "close");
  child.stdin?.end(newPassphrase);
  const kill = () => void child.kill("SIGKILL");
  const watcher = afterMs === "at its first write" ? watch(directory, kill) : null;
  const timer = typeof afterMs === "number" ? setTimeout(kill, afterMs) : undefined;
  await ended;
  watcher?.close();
  clearTimeout(timer);
  return child.signalCode === "SIGKILL";
}

test("kill -9 at any moment of a rotation leaves one whole seed file, which opens with the old passphrase or the new", async () => {
  const words = await createSeed();
  const original = readFileSync(path);
  let killed = 0;
  const moments = [400, 900, ...Array<"at its first write">(4).fill("at its first write")];
  for (const moment of isLong ? moments : moments.slice(-2)) {
    writeFileSync(path, original);
    if (await killRotation(moment)) killed += 1;
    const opened = await Promise.any([openSeedFile(path, passphrase), openSeedFile(path, newPassphrase)]);
    expect(opened.words).toBe(words);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  expect(killed).toBeGreaterThan(isLong ? 2 : 0);
  // Files left by a killed rotation do not block the next one.
  writeFileSync(path, original);
  expect(await run(["rotate-passphrase"], { input: newPassphrase })).toMatchObject({ code: 0 });
  expect(listFiles().others).not.toContain("seed.json.new");
  for (const name of listFiles().kept) expect((await openSeedFile(join(directory, name), passphrase)).words).toBe(words);
}, 90_000);
