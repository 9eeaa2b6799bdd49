// Deposits on Solana as their owner sees them: USDC is sent to the account's address on the sandbox's own chain, and the balance
// rises, whatever happens to the service meanwhile.

import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runningPostgresUrl } from "@/lib/db/embedded";
import { queryOnce } from "@/lib/db/testing/embedded-fixture";
import { isLong } from "@/lib/db/testing/sample";
import { databaseDirectory } from "@/lib/db/testing/scratch";
import { readBalance } from "./testing/requests";
import {
  bundleService,
  cleanUpServices,
  isRunning,
  newDataDir,
  type Running,
  readSandbox,
  runCheckLedger,
  startService,
  until,
  untilSandboxRuns,
} from "./testing/service";

let bundle: string;
let dataDir: string;
let service: Running;
let owner: unknown;

beforeAll(async () => {
  bundle = bundleService();
  dataDir = newDataDir({ prepared: true });
  await start();
  const [wallet] = await query("SELECT solana_owner AS owner FROM custodial_wallet");
  owner = wallet?.owner;
});
afterAll(cleanUpServices);

async function start(): Promise<void> {
  // The test reads the balance above the normal rate limit.
  service = startService(bundle, { DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: "1000000" });
  await service.ready;
}

const query = async (sql: string) => queryOnce((await runningPostgresUrl(join(dataDir, databaseDirectory))) ?? "", sql);
const chainUrl = () => (readSandbox(dataDir) as { rpc?: { solana: string } }).rpc?.solana;
const balance = async () => (await readBalance(readSandbox(dataDir))).balance;

/** Sends USDC on the chain only, without calling the service. */
async function deposit(units: number): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sandbox_requestUsdc", params: [owner, units] });
  await until("the chain runs", async () => {
    const url = chainUrl();
    if (url === undefined) return false;
    const answer = await fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } }).catch(() => null);
    return answer?.ok === true;
  });
}

test("USDC that arrives at the account's address becomes its balance, without any call to the service", async () => {
  const before = await balance();
  await deposit(5_000_000);
  await until("the balance rises", async () => (await balance()) !== before);
  expect(await balance()).toBe(before + 5);
  const rows = await query("SELECT chain, state, amount::text FROM deposit");
  expect(rows).toEqual([{ chain: "solana", state: "credited", amount: "5000000000" }]);
});

test("USDC sent right before a stop or a kill -9 is credited once by the next service, and the books are clean", async () => {
  let due = (await balance()) + 7;
  if (isLong) {
    await deposit(2_000_000);
    due += 2;
    service.process.kill("SIGTERM");
    expect(await service.ended).toEqual({ code: 0, signal: null });
    await start();
  }
  await deposit(3_000_000);
  const children = await untilSandboxRuns(service.pid);
  service.process.kill("SIGKILL");
  await service.ended;
  await until("what it had started has ended", () => !children.some(isRunning));
  await start();
  await deposit(4_000_000);
  // The lease of the dead process must lapse first.
  await vi.waitFor(async () => expect(await balance()).toBe(due), { timeout: 60_000, interval: 200 });
  expect(await runCheckLedger(bundle, { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
}, 120_000);
