// The first minutes of a sandbox, as a person sees them: it is started, used, stopped, restarted, damaged and repaired, and its
// books are checked on the way.

import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runningPostgresUrl } from "@/lib/db/embedded";
import { queryOnce } from "@/lib/db/testing/embedded-fixture";
import { readBalance, readReadiness, requestWhole } from "./testing/requests";
import {
  bundleService,
  cleanUpServices,
  databasePid,
  isRunning,
  newDataDir,
  type Running,
  readSandbox,
  runCheckLedger,
  startService,
  until,
  untilSandboxRuns,
} from "./testing/service";

const shell = promisify(execFile);

let bundle: string;
let dataDir: string;
let service: Running;
/** Of the readiness answers during the first start. */
const statuses = new Set<number>();
const startSandbox = () => startService(bundle, { DATA_DIR: dataDir }, { detached: true });

async function stop(running: Running): Promise<void> {
  running.process.kill("SIGTERM");
  expect(await running.ended).toEqual({ code: 0, signal: null });
}

beforeAll(async () => {
  bundle = bundleService();
  dataDir = newDataDir();
  service = startSandbox();
  await until("it listens", () => existsSync(join(dataDir, "sandbox.json")));
  await until("it is ready", async () => {
    const { status } = await readReadiness(readSandbox(dataDir).baseUrl);
    statuses.add(status);
    return status === 200;
  });
  await service.ready;
});
afterAll(cleanUpServices);

test("the first start prints its address and a curl line that works as pasted", async () => {
  const line = service
    .output()
    .split("\n")
    .find((text) => text.startsWith("curl "));
  expect(line).toContain(await service.ready);
  const { stdout } = await shell("sh", ["-c", line ?? "false"]);
  expect(JSON.parse(stdout)).toMatchObject({
    success: true,
    model: "gemini-3.5-flash-lite",
    cost: { totalCost: expect.any(Number) as number },
  });
});

test("programs find what they need in sandbox.json, which like the secrets only its owner can read", async () => {
  const { baseUrl, apiKey } = readSandbox(dataDir);
  expect(baseUrl).toBe(await service.ready);
  expect(service.output()).toContain(`Bearer ${apiKey}'`);
  for (const name of ["sandbox.json", "secrets.json"]) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
});

test("it is not ready before its chains run", () => {
  expect([...statuses]).toEqual([503, 200]);
});

test("once it is ready, sandbox.json names its chains, and they answer stock clients", async () => {
  const { rpc, usdc } = readSandbox(dataDir) as Partial<Record<"rpc" | "usdc", { base: string; solana: string }>>;
  expect(usdc).toEqual({ base: expect.stringMatching(/^0x[0-9a-f]{40}$/) as string, solana: expect.any(String) as string });
  const ask = async (url: string, method: string) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    return ((await response.json()) as { result: unknown }).result;
  };
  expect(await ask(rpc?.base ?? "", "eth_chainId")).toBe("0x7a69");
  expect(await ask(rpc?.solana ?? "", "getHealth")).toBe("ok");
});

test("a second sandbox on the same directory refuses, and the first goes on", async () => {
  const second = startSandbox();
  expect(await second.ended).toEqual({ code: 1, signal: null });
  expect(second.output()).toMatch(/already in use by process \d+.*DATA_DIR/);
  expect((await requestWhole(readSandbox(dataDir), "Are you still there?")).status).toBe(200);
});

test("the books of a running sandbox can be checked meanwhile, and a broken invariant is named", async () => {
  expect(await runCheckLedger(bundle, { DATA_DIR: dataDir })).toMatchObject({
    code: 0,
    output: expect.stringContaining("The ledger is correct") as string,
  });
  const url = (await runningPostgresUrl(join(dataDir, "postgres"))) ?? "";
  await queryOnce(url, "UPDATE ledger_account SET posted = posted + 1 WHERE kind = 'customer'");
  const broken = await runCheckLedger(bundle, { DATA_DIR: dataDir });
  expect(broken).toMatchObject({ code: 1, output: expect.stringContaining("FAILED: an account equals the sum of its entries") as string });
  await queryOnce(url, "UPDATE ledger_account SET posted = posted - 1 WHERE kind = 'customer'");
});

test("a second start keeps the key and the balance, and nothing outlives the first", async () => {
  const before = { ...readSandbox(dataDir), ...(await readBalance(readSandbox(dataDir))) };
  expect(before.balance).toBeLessThan(25);
  const processes = [databasePid(dataDir), ...(await untilSandboxRuns(service.pid))];
  await stop(service);
  expect(processes.filter(isRunning)).toEqual([]);

  service = startSandbox();
  await service.ready;
  const { apiKey } = readSandbox(dataDir);
  expect(apiKey).toBe(before.apiKey);
  expect(await readBalance(readSandbox(dataDir))).toMatchObject({ balance: before.balance, held: 0 });
});

test("Ctrl-C, which the terminal sends to the whole process group, ends no child process before the answers are finished", async () => {
  const target = readSandbox(dataDir);
  const processes = [databasePid(dataDir), ...(await untilSandboxRuns(service.pid))];
  const answer = requestWhole(target, "Take your time. [[simulate: delay=1000]]");
  await until("the answer is under way", async () => (await readBalance(target)).held > 0);
  process.kill(-service.pid, "SIGINT");
  expect((await answer).status).toBe(200);
  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(processes.filter(isRunning)).toEqual([]);
});

test("the books of a stopped sandbox can be checked, and it is stopped again afterwards", async () => {
  expect(await runCheckLedger(bundle, { DATA_DIR: dataDir })).toMatchObject({ code: 0, signal: null });
  expect(isRunning(databasePid(dataDir))).toBe(false);
});

test("a damaged sandbox.json makes the start fail and says how to fix it; deleting it gives the demo account a new key", async () => {
  const path = join(dataDir, "sandbox.json");
  const { apiKey } = readSandbox(dataDir);
  writeFileSync(path, readFileSync(path, "utf8").slice(0, 20));
  const refused = startSandbox();
  expect(await refused.ended).toEqual({ code: 1, signal: null });
  expect(refused.output()).toContain(`${path} is damaged: restore it, or delete it to be given a new key`);
  expect(isRunning(databasePid(dataDir))).toBe(false);

  rmSync(path);
  service = startSandbox();
  await service.ready;
  expect(readSandbox(dataDir).apiKey).not.toBe(apiKey);
  // The demo wallet owns the same account: spent money stays spent.
  expect((await readBalance(readSandbox(dataDir))).balance).toBeLessThan(25);
  await stop(service);
});

test("a signal during the start stops everything already started", async () => {
  const starting = startSandbox();
  await until("the database runs", () => isRunning(databasePid(dataDir)));
  const database = databasePid(dataDir);
  starting.process.kill("SIGTERM");
  expect(await starting.ended).toEqual({ code: 0, signal: null });
  expect(isRunning(database)).toBe(false);
});

test("a check of missing books reports that and creates none", async () => {
  const nothing = join(dataDir, "nothing");
  const checked = await runCheckLedger(bundle, { DATA_DIR: nothing });
  expect(checked).toMatchObject({ code: 1, output: expect.stringContaining(`There is no ledger in DATA_DIR=${nothing}`) as string });
});
