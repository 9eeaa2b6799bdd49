// The operator's command for withdrawals, as a separate process on a real database.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkWithdrawals } from "@/lib/wallets/withdrawals/check";
import { newOwner, ordered, startWorld, USD, type World } from "@/lib/wallets/withdrawals/testing/world";
import { findWithdrawal } from "@/lib/wallets/withdrawals/withdrawal";
import { bundleService, cleanUpServices } from "./testing/service";

const database = await openTestDatabase();
let script = "";
let world: World;
beforeAll(async () => {
  const bundle = bundleService();
  script = join(bundle, "run-withdrawals.mjs");
  writeFileSync(script, 'const { main } = await import("./withdrawals.mjs");\nawait main();\n');
  world = await startWorld();
  vi.stubEnv("WITHDRAWAL_APPROVAL_ABOVE_USD", "10");
  forgetSingleton("config");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await world?.stop();
  await cleanUpServices();
});

function run(...words: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, NODE_ENV: "production", DATABASE_URL: database.url, LOG_LEVEL: "silent" },
  });
  return { code: status, output: stdout + stderr };
}

test("it lists withdrawals that wait for approval first, approves one, or refunds one with the operator's reason", async () => {
  const owner = await newOwner(200n * USD);
  const small = await ordered(owner, { amount: 5n * USD });
  const [large, larger] = [await ordered(owner, { amount: 20n * USD }), await ordered(owner, { amount: 30n * USD })];
  const listed = run("list");
  expect(listed.code).toBe(0);
  const lines = listed.output.trim().split("\n");
  expect(lines.map((line) => line.slice(0, 23).trim())).toEqual([large, larger, small, expect.stringContaining("2 awaiting approval")]);
  expect(lines[0]).toMatch(/\$20\.00 +base +0x[0-9a-fA-F]{40} +acc_\w{20} +awaiting_approval$/);
  expect(lines.at(-1)).toBe("2 awaiting approval ($50.00 in total), 1 being paid.");

  expect(run("approve", large)).toMatchObject({ code: 0, output: expect.stringContaining(`Approved ${large}`) });
  expect(await findWithdrawal(large)).toMatchObject({ state: "approved" });
  expect(run("approve", large)).toEqual({ code: 1, output: `${large} is already approved. Nothing was changed.\n` });

  expect(run("refuse", larger, "ask", "us", "first")).toMatchObject({ code: 0 });
  expect(await findWithdrawal(larger)).toMatchObject({ state: "refused", reason: "ask us first" });
  expect((await readBalance(owner.accountId)).posted).toBe(200n * USD - 25n * USD - 200_000_000n);
  expect(run("refuse", larger)).toEqual({ code: 1, output: `${larger} is already refused. Nothing was changed.\n` });
  expect(await checkWithdrawals()).toEqual([]);
});

test.each([[[]], [["approve"]], [["approve", "wd_1"]], [["list", "all"]], [["pay", "wd_00000000000000000000"]]])(
  "%j prints the usage",
  (words) => {
    expect(run(...words)).toMatchObject({ code: 1, output: expect.stringContaining("npm run withdrawals -- list") });
  },
);

test("an unknown id is reported, and changes nothing", () => {
  const id = "wd_00000000000000000000";
  for (const word of ["approve", "refuse"]) expect(run(word, id)).toEqual({ code: 1, output: `Withdrawal ${id} not found.\n` });
});
