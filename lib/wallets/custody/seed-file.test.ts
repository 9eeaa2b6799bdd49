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
import { openLiveSigner, openSeedFile } from "./open-seed";
import { checkPassphrase, readPassphrase } from "./passphrase";
import { COST_FOR_RANDOM, type SeedFile, sealSeed, seedFileSchema, unsealSeed } from "./seed-file";
import { fingerprintOf } from "./seed-signer";
import { readSeedFile, replaceSeedFile, writeNewSeedFile } from "./seed-storage";
import { withSettings } from "./testing/seeds";

const words = createWords();
/** Single words may stand in any sentence. */
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

/** The error of `work`, as whoever prints it would see it; no secret may be in it. */
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

test("a sealed seed opens with its passphrase, typed on any system, and holds its words nowhere in clear", async () => {
  expect(await unsealSeed(sealed, passphrase)).toBe(words);
  const text = JSON.stringify(sealed);
  for (const pair of wordPairs) expect(text).not.toContain(pair);
  expect(text).not.toContain(Buffer.from(words).toString("hex").slice(0, 16));
  const accented = await sealSeed(words, "ein sehr langes Füllwort", { mode: "live", fingerprint: "00000000", cost: COST_FOR_RANDOM });
  expect(await unsealSeed(accented, "ein sehr langes Fu\u0308llwort")).toBe(words);
});

test("each sealing takes a new salt and IV", async () => {
  const again = await seal();
  for (const pair of [
    [again.kdf.salt, sealed.kdf.salt],
    [again.iv, sealed.iv],
    [again.ciphertext, sealed.ciphertext],
  ]) {
    expect(pair[0]).not.toBe(pair[1]);
  }
});

test("another passphrase opens nothing", async () => {
  for (const wrong of [other, "", passphrase.toUpperCase(), `${passphrase} `]) expect(await unsealSeed(sealed, wrong)).toBeNull();
});

/** The first digit from `place` on, replaced by another. */
const flip = (text: string, place = 0) => `${text.slice(0, place)}${text[place] === "0" ? "1" : "0"}${text.slice(place + 1)}`;

test("a file that was changed anywhere does not open: every field of the header, and every byte of ciphertext and tag", async () => {
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
  // Fewer bytes than the words have, since each costs a run of scrypt.
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
  ["a field more", { extra: 1 }],
  ["no ciphertext", { ciphertext: "" }],
])("a file with %s is no seed file", (_, change) => {
  expect(seedFileSchema.safeParse({ ...sealed, ...change }).success).toBe(false);
});

test.each([
  ["too little work to be safe", { N: 2 ** 13 }],
  ["so much work that a start would never end", { N: 2 ** 21 }],
  ["no power of two", { N: 2 ** 14 + 1 }],
  ["another block size", { r: 1 }],
  ["more lanes than any of ours", { p: 5 }],
  ["another function", { name: "pbkdf2" }],
])("a file whose key takes %s is no seed file", (_, change) => {
  expect(seedFileSchema.safeParse({ ...sealed, kdf: { ...sealed.kdf, ...change } }).success).toBe(false);
});

test("a file is written for its owner alone, never over another, and a rotation replaces it", async () => {
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

test("a write that fails leaves nothing beside, and the old file as it was", async () => {
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

test("a live seed that others may read or write is refused; a sandbox's is worth nothing", async () => {
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

test("what is not there, no file, or no seed file is told with its cure; a file of bare words is not repeated", async () => {
  const directory = newDirectory();
  const path = join(directory, "seed.json");
  expect(await problemOf(() => readSeedFile(path))).toContain(`CUSTODY_SEED_FILE: ${path} is not there`);
  mkdirSync(path);
  expect(await problemOf(() => readSeedFile(path))).toContain(`${path} is no file`);
  rmSync(path, { recursive: true });
  for (const text of ["", words, JSON.stringify(words), `{"words":"${words}"}`, JSON.stringify(sealed).slice(0, -1)]) {
    writeFileSync(path, text, { mode: 0o600 });
    expect(await problemOf(() => readSeedFile(path))).toMatch(
      /is damaged, or no seed file; restore it from its backup, or .*custody -- restore/,
    );
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("a passphrase that does not fit, or a changed file, refuses and says what to do", async () => {
  const path = join(newDirectory(), "seed.json");
  await writeNewSeedFile(path, sealed);
  const told = /does not open: the passphrase is not its own, or the file was changed\. Correct CUSTODY_PASSPHRASE .*restore/;
  expect(await problemOf(() => openSeedFile(path, other))).toMatch(told);
  await replaceSeedFile(path, { ...sealed, tag: flip(sealed.tag) });
  expect(await problemOf(() => openSeedFile(path, passphrase))).toMatch(told);
});

test("a live process opens its own seed, with the xpub that is pinned; never a sandbox's", async () => {
  const path = join(newDirectory(), "seed.json");
  await writeNewSeedFile(path, sealed);
  const settings = { CUSTODY_SEED_FILE: path, CUSTODY_PASSPHRASE: passphrase };
  const { xpub, fingerprint } = await openLiveSigner(settings);
  expect(fingerprint).toBe(sealed.fingerprint);
  expect((await openLiveSigner({ ...settings, CUSTODY_XPUB: xpub })).xpub).toBe(xpub);
  expect(await problemOf(() => openLiveSigner({ ...settings, CUSTODY_XPUB: `${xpub}x` }))).toContain("CUSTODY_XPUB: it is not the xpub of");
  await replaceSeedFile(path, await seal("sandbox"));
  expect(await problemOf(() => openLiveSigner(settings))).toContain("is the seed of a sandbox; make one for real money");
});

test("the passphrase is read from its file without the line end, and one too short is refused", async () => {
  const path = join(newDirectory(), "passphrase");
  expect(await problemOf(() => readPassphrase({ CUSTODY_PASSPHRASE_FILE: path }))).toContain(
    `CUSTODY_PASSPHRASE_FILE: ${path} cannot be read`,
  );
  expect(await problemOf(() => readPassphrase({}))).toContain("CUSTODY_PASSPHRASE: set it, or CUSTODY_PASSPHRASE_FILE");
  for (const end of ["", "\n", "\r\n"]) {
    writeFileSync(path, `${passphrase}${end}`);
    expect(readPassphrase({ CUSTODY_PASSPHRASE_FILE: path })).toBe(passphrase);
  }
  expect(await problemOf(() => checkPassphrase("hunter2\n", "It"))).toMatch(
    /^It holds fewer than 16 characters; (?!.*hunter2).*openssl rand/,
  );
});

test("once the seed is open no child process inherits its passphrase", async () => {
  const path = join(newDirectory(), "seed.json");
  await writeNewSeedFile(path, sealed);
  withSettings({ CUSTODY_SEED_FILE: path, CUSTODY_PASSPHRASE: passphrase });
  await openLiveSigner(config());
  expect(execFileSync(process.execPath, ["-p", "JSON.stringify(process.env)"], { encoding: "utf8" })).not.toContain(passphrase);
});
