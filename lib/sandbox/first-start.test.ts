// First starts on one data directory that race, die half way, or find the disk full: real processes on real files.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "@/lib/db/testing/sample";
import { openSandboxSigner } from "./seed";
import { type Opened, type Opener, startOpener } from "./testing/openers";

const ROUNDS = isLong ? 8 : 3;
const PROCESSES = 3;

let root: string;
const openers: Opener[] = [];

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "sandbox-starts-"));
});
afterAll(() => {
  for (const opener of openers) opener.process.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

async function start(options?: { largestFile: number }): Promise<Opener> {
  const opener = await startOpener(options);
  openers.push(opener);
  return opener;
}

/** All processes open the directory concurrently, then another one opens it alone. */
async function race(dataDir: string, racers: readonly Opener[], later: Opener): Promise<Opened[]> {
  const opened = await Promise.all(racers.map((racer) => racer.open(dataDir)));
  return [...opened, await later.open(dataDir)];
}

test("concurrent starts on a new directory agree on its secrets and its seed", async () => {
  const racers = await Promise.all(Array.from({ length: PROCESSES }, () => start()));
  const later = await start();
  for (let round = 0; round < ROUNDS; round++) {
    const dataDir = join(root, `new-${round}`);
    const [first, ...others] = await race(dataDir, racers, later);
    expect(first).toHaveProperty("xpub");
    for (const other of others) expect(other, `round ${round}`).toEqual(first);
    expect(readdirSync(dataDir).sort()).toEqual(["custody-seed.json", "secrets.json"]);
  }
}, 90_000);

test("concurrent starts that complete an older release's secrets add the same ones", async () => {
  const racers = await Promise.all(Array.from({ length: PROCESSES }, () => start()));
  const later = await start();
  for (let round = 0; round < ROUNDS; round++) {
    const dataDir = mkdtempSync(join(root, "older-"));
    const older = { keyPepper: `${round}`.repeat(64), sessionSecret: "s".repeat(64) };
    writeFileSync(join(dataDir, "secrets.json"), JSON.stringify(older));
    const [first, ...others] = await race(dataDir, racers, later);
    expect(first).toMatchObject({ secrets: older, xpub: expect.any(String) as string });
    for (const other of others) expect(other, `round ${round}`).toEqual(first);
  }
}, 90_000);

test("kill -9 between the secrets and the seed is repaired by the next start", async () => {
  let between = 0;
  for (let round = 0; round < 10 && between < 2; round++) {
    const dataDir = mkdtempSync(join(root, "killed-"));
    const opener = await start();
    const killed = new Promise<void>((done) => {
      const watcher = watch(dataDir, (_event, name) => {
        if (name !== "secrets.json") return;
        opener.process.kill("SIGKILL");
        watcher.close();
        done();
      });
    });
    await opener.open(dataDir).catch(() => undefined); // killed; on a busy machine possibly too late
    await killed;
    if (!existsSync(join(dataDir, "custody-seed.json"))) between += 1;
    const secrets = readFileSync(join(dataDir, "secrets.json"), "utf8");
    const { xpub } = await openSandboxSigner(dataDir);
    expect((await openSandboxSigner(dataDir)).xpub).toBe(xpub);
    expect(readFileSync(join(dataDir, "secrets.json"), "utf8")).toBe(secrets);
  }
  expect(between).toBe(2);
});

test.skipIf(process.platform === "win32")("a full disk leaves no half-written file, and existing files unchanged", async () => {
  const opener = await start({ largestFile: 0 });
  const empty = mkdtempSync(join(root, "full-"));
  expect(await opener.open(empty)).toMatchObject({ error: expect.stringContaining("EFBIG") as string });
  expect(readdirSync(empty)).toEqual([]);
  const half = mkdtempSync(join(root, "half-"));
  await openSandboxSigner(half);
  rmSync(join(half, "custody-seed.json"));
  expect(await opener.open(half)).toMatchObject({ error: expect.stringContaining("EFBIG") as string });
  expect(readdirSync(half)).toEqual(["secrets.json"]);
});
