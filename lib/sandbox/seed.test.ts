import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLiveKeys } from "@/lib/wallets/custody/open-seed";
import { openSecrets } from "./secrets";
import { openSandboxSigner } from "./seed";

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "sandbox-seed-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const seedOf = (dataDir: string) => join(dataDir, "custody-seed.json");

test("a seed is random, created once, private to its owner, and creates its directory when missing", async () => {
  const dataDir = join(newDirectory(), "new");
  const made = await openSandboxSigner(dataDir);
  expect((await openSandboxSigner(dataDir)).xpub).toBe(made.xpub);
  expect((await openSandboxSigner(newDirectory())).xpub).not.toBe(made.xpub);
  expect(statSync(seedOf(dataDir)).mode & 0o777).toBe(0o600);
});

test("two concurrent starts on a new directory have one seed", async () => {
  const dataDir = newDirectory();
  openSecrets(dataDir);
  const [first, second] = await Promise.all([openSandboxSigner(dataDir), openSandboxSigner(dataDir)]);
  expect(second?.xpub).toBe(first?.xpub);
});

test("a seed without its secrets, or a damaged one, is refused with a fix and left unchanged", async () => {
  const dataDir = newDirectory();
  await openSandboxSigner(dataDir);
  const text = readFileSync(seedOf(dataDir), "utf8");
  rmSync(join(dataDir, "secrets.json"));
  const told = "cannot be decrypted with the passphrase in secrets.json. Restore both files. To start a new sandbox, delete DATA_DIR=";
  await expect(openSandboxSigner(dataDir)).rejects.toThrow(told);
  expect(readFileSync(seedOf(dataDir), "utf8")).toBe(text);
  writeFileSync(seedOf(dataDir), text.slice(0, 100));
  await expect(openSandboxSigner(dataDir)).rejects.toThrow(told);
});

test("live mode never opens a sandbox's seed, even with its passphrase", async () => {
  const dataDir = newDirectory();
  await openSandboxSigner(dataDir);
  const { custodyPassphrase } = openSecrets(dataDir);
  const settings = { CUSTODY_SEED_FILE: seedOf(dataDir), CUSTODY_PASSPHRASE: custodyPassphrase };
  await expect(openLiveKeys(settings)).rejects.toThrow("is a sandbox seed. Create one for live mode");
  const posing = { ...(JSON.parse(readFileSync(seedOf(dataDir), "utf8")) as object), mode: "live" };
  writeFileSync(seedOf(dataDir), JSON.stringify(posing), { mode: 0o600 });
  await expect(openLiveKeys(settings)).rejects.toThrow("cannot be decrypted");
});
