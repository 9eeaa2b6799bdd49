// The signer's process as it is started: what it loads, what stands at its socket, and that it starts again after any end.

import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openJournal } from "@/lib/wallets/custody/limits/journal";
import { connectSigner } from "@/lib/wallets/custody/wire/connect";
import { readReadiness, requestWhole } from "../testing/requests";
import {
  bundleService,
  cleanUpServices,
  newDataDir,
  type Running,
  readSandbox,
  startService,
  startSigner,
  until,
} from "../testing/service";

let bundle: string;
let dataDir: string;
beforeAll(() => {
  bundle = bundleService({ packages: "outside" });
  dataDir = newDataDir();
});
afterAll(cleanUpServices);

const socketOf = (name: string) => join(dataDir, name);
const start = (name: string, more: Record<string, string> = {}): Running =>
  startSigner(bundle, { DATA_DIR: dataDir, SIGNER_SOCKET: socketOf(name), ...more });

async function stop(signer: Running, signal: NodeJS.Signals): Promise<void> {
  signer.process.kill(signal);
  await signer.ended;
}

async function refusal(name: string, more?: Record<string, string>): Promise<string> {
  const signer = start(name, more);
  expect(await signer.ended).toEqual({ code: 1, signal: null });
  return signer.output();
}

const reach = (name: string) => connectSigner(socketOf(name), async () => null);

interface Coverage {
  result: { url: string }[];
}

test("it loads no web framework, no database driver and no Prisma", async () => {
  const coverage = mkdtempSync(join(dataDir, "coverage-"));
  const signer = start("loads", { NODE_V8_COVERAGE: coverage, ROLES: "web,jobs" });
  await signer.ready;
  const link = await reach("loads");
  expect((await link.signer.deriveAddresses(0)).index).toBe(0);
  link.stop();
  await stop(signer, "SIGTERM");
  const reports = readdirSync(coverage).map((file) => JSON.parse(readFileSync(join(coverage, file), "utf8")) as Coverage);
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
  const packages = new Set(urls.flatMap((url) => /\/node_modules\/((@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []));
  expect([...packages]).toContain("pino");
  for (const name of packages) expect(name).not.toMatch(/^(pg|pg-.*|@prisma\/.*|next|react.*|fastify|ioredis|nodemailer|@solana\/.*)$/);
});

test("only its user and group may connect, and it is started again after a kill at the same socket", async () => {
  const killed = start("again");
  await killed.ready;
  expect(statSync(socketOf("again")).mode & 0o777).toBe(0o660);
  await stop(killed, "SIGKILL");
  expect(existsSync(socketOf("again"))).toBe(true);
  const next = start("again");
  await next.ready;
  const link = await reach("again");
  expect(link.isWell()).toBe(true);
  link.stop();
  await stop(next, "SIGTERM");
  expect(existsSync(socketOf("again"))).toBe(false);
});

test("it takes no socket that another signer answers at, and no file that is no socket", async () => {
  const first = start("taken");
  await first.ready;
  expect(await refusal("taken", { SIGNER_STATE_DIR: join(dataDir, "second") })).toMatch(
    /SIGNER_SOCKET: another signer answers at .*Stop it first/,
  );
  const link = await reach("taken");
  expect(link.isWell()).toBe(true);
  link.stop();
  await stop(first, "SIGTERM");
  writeFileSync(socketOf("file"), "mine");
  expect(await refusal("file")).toMatch(/SIGNER_SOCKET: .* is not a socket\. Remove it/);
  expect(readFileSync(socketOf("file"), "utf8")).toBe("mine");
  expect(await refusal("x".repeat(60))).toMatch(/SIGNER_SOCKET: /);
  expect(await refusal("none", { SIGNER_SOCKET: "" })).toMatch(/SIGNER_SOCKET is not set/);
});

test("a second signer does not touch the journal of the first", async () => {
  const state = join(dataDir, "shared");
  const first = start("shared.sock", { SIGNER_STATE_DIR: state });
  await first.ready;
  const path = join(state, "payouts.journal");
  appendFileSync(path, "a line that the first one is just writ");
  const before = [readFileSync(path, "utf8"), statSync(path).ino];
  expect(await refusal("shared.sock", { SIGNER_STATE_DIR: state })).toMatch(/another signer answers at/);
  expect([readFileSync(path, "utf8"), statSync(path).ino]).toEqual(before);
  await stop(first, "SIGTERM");
});

test("a service goes on while its signer is away: it answers prompts, stays ready, says so, and finds the signer again", async () => {
  const own = newDataDir();
  const settings = { DATA_DIR: own, SIGNER_SOCKET: join(own, "signer.sock") };
  const early = startService(bundle, settings);
  expect(await early.ended).toEqual({ code: 1, signal: null });
  expect(early.output()).toMatch(/nothing answers at SIGNER_SOCKET .*start it with npm run signer/);

  const first = startSigner(bundle, settings);
  await first.ready;
  const service = startService(bundle, settings);
  const baseUrl = await service.ready;
  const isReached = async () => (await readReadiness(baseUrl)).checks.signer;
  expect(await isReached()).toBe(true);
  await stop(first, "SIGKILL");
  await until("the service has lost its signer", async () => (await isReached()) === false);
  expect((await fetch(`${baseUrl}/api/ready`)).status).toBe(200);
  expect((await requestWhole(readSandbox(own), "Who signs?")).status).toBe(200);
  expect(await (await fetch(`${baseUrl}/api/health`)).json()).toEqual({ status: "ok" });

  const next = startSigner(bundle, settings);
  await next.ready;
  await until("the service has its signer again", async () => (await isReached()) === true);
  service.process.kill("SIGTERM");
  expect(await service.ended).toEqual({ code: 0, signal: null });
}, 180_000);

test("a damaged journal refuses the start and is not changed", async () => {
  const state = join(dataDir, "damaged");
  const first = start("damaged.sock", { SIGNER_STATE_DIR: state });
  await first.ready;
  await stop(first, "SIGTERM");
  const path = join(state, "payouts.journal");
  writeFileSync(path, "something else\n");
  expect(await refusal("damaged.sock", { SIGNER_STATE_DIR: state })).toMatch(/Line 1 of .*payouts\.journal is damaged/);
  expect(readFileSync(path, "utf8")).toBe("something else\n");
});

test("correct-clock counts by a clock that was put right, once the signer is stopped and whoever runs it says so", async () => {
  const state = join(dataDir, "ahead");
  const script = join(bundle, "run-signer.mjs");
  writeFileSync(script, 'const { main } = await import("./signer.mjs");\nawait main();\n');
  const settings = { DATA_DIR: dataDir, SIGNER_SOCKET: socketOf("ahead.sock"), SIGNER_STATE_DIR: state, LOG_LEVEL: "silent" };
  const run = (...words: string[]) => {
    const env = { PATH: process.env.PATH, NODE_ENV: "production" as const, ...settings };
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], { encoding: "utf8", env });
    return { code: status, output: stdout + stderr };
  };
  expect(run("correct-clock", "--yes")).toMatchObject({ code: 1, output: expect.stringContaining(`no journal at ${state}`) });
  expect(existsSync(state)).toBe(false);
  const journal = await openJournal(state);
  const atMs = Date.now() + 30 * 24 * 3_600_000;
  await journal.append({ kind: "admitted", atMs, nonce: "n".repeat(22), text: "ab".repeat(32), amount: 5n });
  await journal.close();
  const before = readFileSync(join(state, "payouts.journal"), "utf8");
  const first = start("ahead.sock", settings);
  await first.ready;
  expect(run("correct-clock", "--yes")).toMatchObject({ code: 1, output: expect.stringContaining("another signer answers") });
  await stop(first, "SIGTERM");
  expect(run("correct-clock")).toMatchObject({ code: 1, output: expect.stringContaining("with --yes") });
  expect(run("correct-clock", "--no")).toMatchObject({ code: 1, output: expect.stringContaining("npm run signer -- correct-clock") });
  expect(readFileSync(join(state, "payouts.journal"), "utf8")).toBe(before);
  expect(run("correct-clock", "--yes")).toMatchObject({ code: 0, output: expect.stringContaining(new Date(atMs).toISOString()) });
  const corrected = await openJournal(state);
  await corrected.close();
  expect(corrected.entries[0]?.atMs).toBeLessThanOrEqual(Date.now());
  expect(run("correct-clock", "--yes")).toMatchObject({ code: 1, output: expect.stringContaining("nothing to correct") });
});

test("a program that is no signer at the socket is not waited for and not used", async () => {
  const server = createServer((socket) => socket.on("data", () => socket.write("hello\n{}\n[1]\n")));
  await new Promise<void>((resolve) => server.listen(socketOf("other"), resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  chmodSync(socketOf("other"), 0o600);
  await expect(reach("other")).rejects.toThrow(/The signer does not sign at the moment: it did not answer within 5 seconds/);
});
