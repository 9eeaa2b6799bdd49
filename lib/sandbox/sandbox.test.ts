import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { authenticateKey } from "@/lib/access/authenticate";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { demoWallets } from "@/lib/console/demo-wallets";
import { openTestCustody } from "@/lib/console/testing/custody";
import { findProcessIdentity } from "@/lib/db/embedded/processes";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { endpoints } from "@/lib/providers/endpoints";
import { findCustody } from "@/lib/wallets/custody/custody";
import { modelsProgram } from "./models/testing";
import { type Sandbox, startSandbox } from "./sandbox";
import { solanaProgram } from "./solana-chain/testing";

await openTestDatabase();

let dataDir: string;
let sandbox: Sandbox;

beforeAll(async () => {
  await openTestCustody();
  dataDir = mkdtempSync(join(tmpdir(), "sandbox-"));
  vi.stubEnv("DATA_DIR", dataDir);
  forgetSingleton("config");
});
afterAll(() => {
  vi.unstubAllEnvs();
  forgetSingleton("config");
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  sandbox = await startSandbox({ scriptPath: modelsProgram(), solanaScriptPath: solanaProgram(), deltaDelayMs: 0 });
});
afterEach(() => sandbox.stop());

/** The current base URLs and key of the models. */
function simulated() {
  const endpoint = endpoints().get("openai");
  if (!endpoint) throw new Error("no model is simulated");
  const ask = () =>
    fetch(`${endpoint.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${endpoint.apiKey}` },
      body: JSON.stringify({ model: "gpt-4", messages: [{ role: "user", content: "Who are you?" }] }),
    });
  return { ask, baseUrl: endpoint.baseUrl };
}

/** The ID of the process that listens on the simulated models' port. */
async function modelsPid(): Promise<number> {
  const { execFileSync } = await import("node:child_process");
  const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const line = listed.find((text) => text.includes(modelsProgram()) && Number(text.trim().split(/\s+/)[1]) === process.pid);
  return Number(line?.trim().split(/\s+/)[0]);
}

test("it points every provider at working simulated models, and creates a working demo key", async () => {
  expect([...endpoints().keys()]).toEqual(["openai", "anthropic", "gemini", "xai", "deepseek"]);
  expect((await simulated().ask()).status).toBe(200);
  const apiKey = await sandbox.openDemo("http://127.0.0.1:3000");
  expect((await authenticateKey(apiKey)).ok).toBe(true);
  const wallets = { evm: [{ address: demoWallets()?.evm.address, privateKey: expect.stringMatching(/^0x/) }], solana: [expect.anything()] };
  const readFile = () => JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as unknown;
  expect(readFile()).toEqual({ baseUrl: "http://127.0.0.1:3000", apiKey, wallets });
  await vi.waitFor(() => expect(sandbox.areChainsWell()).toBe(true), { interval: 20, timeout: 30_000 });
  const local = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string;
  const rpc = { base: local, solana: local };
  const usdc = { base: usdcOnBase, solana: (await findCustody())?.usdcMint };
  expect(readFile()).toEqual({ baseUrl: "http://127.0.0.1:3000", apiKey, wallets, rpc, usdc });
  expect(await sandbox.openDemo("http://127.0.0.1:4000")).toBe(apiKey);
  expect(readFile()).toEqual({ baseUrl: "http://127.0.0.1:4000", apiKey, wallets });
});

test("it is unhealthy while its models are down, and restarts them automatically", async () => {
  const pid = await modelsPid();
  const before = simulated();
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(sandbox.isWell()).toBe(false), { timeout: 30_000, interval: 5 });
  await vi.waitFor(() => expect(sandbox.isWell()).toBe(true), { interval: 20, timeout: 30_000 });
  expect(await modelsPid()).not.toBe(pid);
  expect(simulated().baseUrl).not.toBe(before.baseUrl);
  expect((await simulated().ask()).status).toBe(200);
});

test("stopping it while its models are down leaves no process behind", async () => {
  const pid = await modelsPid();
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(sandbox.isWell()).toBe(false), { timeout: 30_000, interval: 5 });
  await sandbox.stop();
  expect(await modelsPid()).toBeNaN();
  expect(findProcessIdentity(pid)).toBeUndefined();
});
