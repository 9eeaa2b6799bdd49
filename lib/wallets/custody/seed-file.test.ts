import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { inspect } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { config } from "@/lib/base/config";
import { createWords } from "./mnemonic";
import { openLiveKeys, openSeedFile } from "./open-seed";
import { checkPassphrase, readPassphrase } from "./passphrase";
import { COST_FOR_RANDOM, type SeedFile, sealSeed, seedFileSchema, unsealSeed } from "./seed-file";
import { fingerprintOf } from "./seed-signer";
import { readSeedFile, replaceSeedFile, writeNewSeedFile } from "./seed-storage";
import { withSettings } from "./testing/seeds";

const words = createWords();
/** Pairs, since single words may occur in any sentence. */
const wordPairs = words.split(" ").flatMap((word, index, all) => (index > 0 ? [`${all[index - 1]} ${word}`] : []));
const passphrase = "correct horse battery staple";
const other = "wrong horse battery staple";
let sealed: SeedFile;
const seal = async (mode: SeedFile["mode"] = "live", cost = COST_FOR_RANDOM) =>
  sealSeed(words, passphrase, { mode, fingerprint: await fingerprintOf(words), cost });

beforeAll(async () => {
  sealed = await seal();
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "seed-file-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The printed error of `work`, checked for secrets. */
async function problemOf(work: () => unknown): Promise<string> {
  let error: unknown;
  try {
    await work();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(Error);
  const shown = `${inspect(error, { depth: 10, showHidden: true })}\n${JSON.stringify(error)}`;
  for (const secret of [...wordPairs, passphrase, other]) expect(shown).not.toContain(secret);
  return (error as Error).message;
}

test("a sealed seed opens with its passphrase, typed on any system, and nowhere contains its words in plain text", async () => {
  expect(await unsealSeed(sealed, passphrase)).toBe(words);
  const text = JSON.stringify(sealed);
  for (const pair of wordPairs) expect(text).not.toContain(pair);
  expect(text).not.toContain(Buffer.from(words).toString("hex").slice(0, 16));
  const accented = await sealSeed(words, "ein sehr langes Füllwort", { mode: "live", fingerprint: "00000000", cost: COST_FOR_RANDOM });
  expect(await unsealSeed(accented, "ein sehr langes Fu\u0308llwort")).toBe(words);
});

test("each sealing uses a new salt and IV", async () => {
  const again = await seal();
  for (const pair of [
    [again.kdf.salt, sealed.kdf.salt],
    [again.iv, sealed.iv],
    [again.ciphertext, sealed.ciphertext],
  ]) {
    expect(pair[0]).not.toBe(pair[1]);
  }
});

test("a wrong passphrase opens nothing", async () => {
  for (const wrong of [other, "", passphrase.toUpperCase(), `${passphrase} `]) expect(await unsealSeed(sealed, wrong)).toBeNull();
});

/** Replaces the first digit from `place` on. */
const flip = (text: string, place = 0) => `${text.slice(0, place)}${text[place] === "0" ? "1" : "0"}${text.slice(place + 1)}`;

test("a file with any change does not open: every field of the header, every byte of ciphertext and tag", async () => {
  const { kdf } = sealed;
  const changed: Record<string, SeedFile> = {
    mode: { ...sealed, mode: "sandbox" },
    fingerprint: { ...sealed, fingerprint: flip(sealed.fingerprint) },
    iv: { ...sealed, iv: flip(sealed.iv) },
    N: { ...sealed, kdf: { ...kdf, N: 2 * kdf.N } },
    p: { ...sealed, kdf: { ...kdf, p: 2 } },
    salt: { ...sealed, kdf: { ...kdf, salt: flip(kdf.salt, 63) } },
    "a shorter ciphertext": { ...sealed, ciphertext: sealed.ciphertext.slice(2) },
    "a longer ciphertext": { ...sealed, ciphertext: `${sealed.ciphertext}00` },
  };
  for (const [what, file] of Object.entries(changed)) {
    expect(seedFileSchema.safeParse(file).success, what).toBe(true);
    expect(await unsealSeed(file, passphrase), what).toBeNull();
  }
  const places = (text: string) => Array.from({ length: text.length / 2 }, (_, byte) => 2 * byte);
  // Fewer bytes than the words have, since each byte costs a run of scrypt.
  const short = await sealSeed("twelve bytes", passphrase, { mode: "live", fingerprint: sealed.fingerprint, cost: COST_FOR_RANDOM });
  expect(await unsealSeed(short, passphrase)).toBe("twelve bytes");
  const bytes = [
    ...places(short.ciphertext).map((place) => ({ ...short, ciphertext: flip(short.ciphertext, place) })),
    ...places(short.tag).map((place) => ({ ...short, tag: flip(short.tag, place) })),
  ];
  expect(await Promise.all(bytes.map((file) => unsealSeed(file, passphrase)))).toEqual(bytes.map(() => null));
});

test.each([
  ["another version", { version: 2 }],
  ["another cipher", { cipher: "aes-128-gcm" }],
  ["a shorter tag, which would be easier to guess", { tag: "00" }],
  ["a shorter IV", { iv: "00" }],
  ["an extra field", { extra: 1 }],
  ["no ciphertext", { ciphertext: "" }],
])("a file with %s is not a seed file", (_, change) => {
  expect(seedFileSchema.safeParse({ ...sealed, ...change }).success).toBe(false);
});

test.each([
  ["a cost that is too low", { N: 2 ** 13 }],
  ["a cost that would take forever", { N: 2 ** 21 }],
  ["a cost that is not a power of two", { N: 2 ** 14 + 1 }],
  ["another block size", { r: 1 }],
  ["more lanes than ours", { p: 5 }],
  ["another function", { name: "pbkdf2" }],
])("a file whose key derivation has %s is not a seed file", (_, change) => {
  expect(seedFileSchema.safeParse({ ...sealed, kdf: { ...sealed.kdf, ...change } }).success).toBe(false);
});

test("a file is private to its owner and never overwrites another; only a rotation replaces it", async () => {
  const path = join(newDirectory(), "new", "seed.json");
  expect(await writeNewSeedFile(path, sealed)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await readSeedFile(path)).toEqual(sealed);
  const second = await seal();
  expect(await writeNewSeedFile(path, second)).toBe(false);
  expect(await readSeedFile(path)).toEqual(sealed);
  writeFileSync(`${path}.new`, "what a killed rotation left", { mode: 0o644 });
  const kept = await replaceSeedFile(path, second);
  expect(await readSeedFile(path)).toEqual(second);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, ".."))).toEqual(["seed.json", basename(kept)]);
  expect(await readSeedFile(kept)).toEqual(sealed);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
});

test("a rotation of a file behind a symbolic link replaces the file, not the link", async () => {
  const [mounted, named] = [newDirectory(), newDirectory()];
  const [file, path] = [join(mounted, "seed.json"), join(named, "seed.json")];
  await writeNewSeedFile(file, sealed);
  symlinkSync(file, path);
  const second = await seal();
  expect(dirname(await replaceSeedFile(path, second))).toBe(mounted);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(await readSeedFile(file)).toEqual(second);
  expect(readdirSync(named)).toEqual(["seed.json"]);
});

test("a failed write leaves no temporary file, and the old file unchanged", async () => {
  const directory = newDirectory();
  const path = join(directory, "seed.json");
  const unwritable = {
    ...sealed,
    toJSON: () => {
      throw new Error("no space left");
    },
  };
  await expect(writeNewSeedFile(path, unwritable)).rejects.toThrow("no space left");
  expect(readdirSync(directory)).toEqual([]);
  await writeNewSeedFile(path, sealed);
  await expect(replaceSeedFile(path, unwritable)).rejects.toThrow("no space left");
  expect(readdirSync(directory)).toEqual(["seed.json", expect.stringContaining("seed.json.before-")]);
  expect(await readSeedFile(path)).toEqual(sealed);
});

test("a live seed that others may read or write is refused; a worthless sandbox's is not", async () => {
  const path = join(newDirectory(), "seed.json");
  await writeNewSeedFile(path, sealed);
  for (const mode of [0o640, 0o604, 0o620, 0o666, 0o610]) {
    chmodSync(path, mode);
    expect(await problemOf(() => readSeedFile(path)), mode.toString(8)).toContain(`chmod 600 ${path}`);
  }
  chmodSync(path, 0o400);
  expect(await readSeedFile(path)).toEqual(sealed);
  await replaceSeedFile(path, await seal("sandbox"));
  chmodSync(path, 0o644);
  expect((await readSeedFile(path)).mode).toBe("sandbox");
});

test("a missing path, a directory, and a non-seed file are errors with a fix; bare words are not repeated", async () => {
  const directory = newDirectory();
  const path = join(directory, "seed.json");
  expect(await problemOf(() => readSeedFile(path))).toContain(`CUSTODY_SEED_FILE: ${path} does not exist`);
  mkdirSync(path);
  expect(await problemOf(() => readSeedFile(path))).toContain(`${path} is not a file`);
  rmSync(path, { recursive: true });
  for (const text of ["", words, JSON.stringify(words), `{"words":"${words}"}`, JSON.stringify(sealed).slice(0, -1)]) {
    writeFileSync(path, text, { mode: 0o600 });
    expect(await problemOf(() => readSeedFile(path))).toMatch(
      /is not a seed file, or it is damaged\. Restore it from a backup, or .*custody -- restore/,
    );
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("a wrong passphrase or a changed file is refused, and the error says what to do", async () => {
  const path = join(newDirectory(), "seed.json");
  await writeNewSeedFile(path, sealed);
  const told = /cannot be decrypted: the passphrase is wrong, or the file is damaged\. Correct CUSTODY_PASSPHRASE.*restore/;
  expect(await problemOf(() => openSeedFile(path, other))).toMatch(told);
  await replaceSeedFile(path, { ...sealed, tag: flip(sealed.tag) });
  expect(await problemOf(() => openSeedFile(path, passphrase))).toMatch(told);
});

test("a live process opens its own seed with the pinned xpub, never a sandbox's", async () => {
  const path = join(newDirectory(), "seed.json");
  await writeNewSeedFile(path, sealed);
  const settings = { CUSTODY_SEED_FILE: path, CUSTODY_PASSPHRASE: passphrase };
  const { xpub, fingerprint } = await openLiveKeys(settings);
  expect(fingerprint).toBe(sealed.fingerprint);
  expect((await openLiveKeys({ ...settings, CUSTODY_XPUB: xpub })).xpub).toBe(xpub);
  expect(await problemOf(() => openLiveKeys({ ...settings, CUSTODY_XPUB: `${xpub}x` }))).toContain(
    "CUSTODY_XPUB does not belong to the seed in",
  );
  await replaceSeedFile(path, await seal("sandbox"));
  expect(await problemOf(() => openLiveKeys(settings))).toContain("is a sandbox seed. Create one for live mode");
});

test("the passphrase is read from its file without the newline, and a short one is refused", async () => {
  const path = join(newDirectory(), "passphrase");
  expect(await problemOf(() => readPassphrase({ CUSTODY_PASSPHRASE_FILE: path }))).toContain(
    `CUSTODY_PASSPHRASE_FILE: ${path} cannot be read`,
  );
  expect(await problemOf(() => readPassphrase({}))).toContain("Set CUSTODY_PASSPHRASE, CUSTODY_PASSPHRASE_FILE or CUSTODY_KEY_COMMAND");
  for (const end of ["", "\n", "\r\n"]) {
    writeFileSync(path, `${passphrase}${end}`);
    expect(await readPassphrase({ CUSTODY_PASSPHRASE_FILE: path })).toBe(passphrase);
  }
  expect(await problemOf(() => checkPassphrase("hunter2\n", "It"))).toMatch(
    /^It has fewer than 16 characters\. (?!.*hunter2).*openssl rand/,
  );
});

test("once the seed is open no child process inherits its passphrase", async () => {
  const path = join(newDirectory(), "seed.json");
  await writeNewSeedFile(path, sealed);
  withSettings({ CUSTODY_SEED_FILE: path, CUSTODY_PASSPHRASE: passphrase });
  await openLiveKeys(config());
  expect(execFileSync(process.execPath, ["-p", "JSON.stringify(process.env)"], { encoding: "utf8" })).not.toContain(passphrase);
});
