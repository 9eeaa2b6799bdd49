import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSecrets, readSandboxFile, writeSandboxFile } from "./secrets";

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "sandbox-secrets-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("secrets are random, created once, private to their owner, and create their directory when missing", () => {
  const dataDir = join(newDirectory(), "new");
  const made = openSecrets(dataDir);
  expect(made.keyPepper).toMatch(/^[0-9a-f]{64}$/);
  expect(made.sessionSecret).not.toBe(made.keyPepper);
  expect(openSecrets(dataDir)).toEqual(made);
  expect(openSecrets(newDirectory()).keyPepper).not.toBe(made.keyPepper);
  expect(modeOf(join(dataDir, "secrets.json"))).toBe(0o600);
});

test("a file of an older release gets its missing fields, and keeps the others", () => {
  const dataDir = newDirectory();
  const old = { keyPepper: "p".repeat(64), sessionSecret: "s".repeat(64) };
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify(old));
  const opened = openSecrets(dataDir);
  expect(opened).toMatchObject(old);
  expect(opened.demoKeys.evm).toMatch(/^0x[0-9a-f]{64}$/);
  expect(new Set([opened.chainKeys.minter, ...Object.values(opened.demoKeys)]).size).toBe(3);
  expect(openSecrets(dataDir)).toEqual(opened);
  expect(openSecrets(newDirectory()).demoKeys).not.toEqual(opened.demoKeys);
});

test("a file with an older release's operator keys opens, and they are not used", () => {
  const dataDir = newDirectory();
  const { chainKeys, ...made } = openSecrets(dataDir);
  const older = { ...chainKeys, relayer: made.demoKeys, treasury: made.demoKeys };
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify({ ...made, chainKeys: older }));
  expect(openSecrets(dataDir)).toEqual({ ...made, chainKeys });
});

test("an older release's secrets are kept, and new ones are added once", () => {
  const dataDir = newDirectory();
  const path = join(dataDir, "secrets.json");
  const older = { keyPepper: "p".repeat(64), sessionSecret: "s".repeat(64) };
  writeFileSync(path, JSON.stringify(older));
  const opened = openSecrets(dataDir);
  expect(opened).toMatchObject({ ...older, custodyPassphrase: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  expect(openSecrets(dataDir)).toEqual(opened);
});

test("sandbox.json keeps unknown fields, is private to its owner, and is replaced atomically", () => {
  const dataDir = newDirectory();
  expect(readSandboxFile(dataDir)).toBeNull();
  writeSandboxFile(dataDir, { baseUrl: "http://127.0.0.1:1", apiKey: "first", rpc: { base: "http://127.0.0.1:2" } });
  chmodSync(join(dataDir, "sandbox.json"), 0o644);
  writeSandboxFile(dataDir, { ...readSandboxFile(dataDir), baseUrl: "http://127.0.0.1:3", apiKey: "second" });
  expect(readSandboxFile(dataDir)).toEqual({ baseUrl: "http://127.0.0.1:3", apiKey: "second", rpc: { base: "http://127.0.0.1:2" } });
  expect(modeOf(join(dataDir, "sandbox.json"))).toBe(0o600);
  expect(readdirSync(dataDir)).toEqual(["sandbox.json"]);
});

test.each(["", "{", "[]", '{"keyPepper":"short","sessionSecret":"short"}'])(
  "damaged secrets (%j) are refused with their path and a fix, and left unchanged",
  (text) => {
    const dataDir = newDirectory();
    const path = join(dataDir, "secrets.json");
    writeFileSync(path, text);
    expect(() => openSecrets(dataDir)).toThrow(`${path} is damaged: restore it, or delete it with all of DATA_DIR for a new sandbox`);
    expect(readFileSync(path, "utf8")).toBe(text);
  },
);
