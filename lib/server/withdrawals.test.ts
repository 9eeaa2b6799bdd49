// The operator's command for withdrawals on a real database; as a process of its own where it asks in a terminal.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getAddress, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { now } from "@/lib/base/clock";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { prisma } from "@/lib/db/prisma";
import { sample } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { openSecrets } from "@/lib/sandbox/secrets";
import { isApprovedBy } from "@/lib/wallets/custody/limits/operator-approval";
import { checkWithdrawals } from "@/lib/wallets/withdrawals/check";
import { newOwner, operator, ordered, orderedBeforeStart, startWorld, USD, type World } from "@/lib/wallets/withdrawals/testing/world";
import { findWithdrawal } from "@/lib/wallets/withdrawals/withdrawal";
import { type Outcome, runCommand } from "./testing/command";
import { bundleService, cleanUpServices, newDataDir } from "./testing/service";
import { CTRL_D, hasTerminal, runInTerminal } from "./testing/terminal";
import { main } from "./withdrawals";

const database = await openTestDatabase();
let script = "";
let dataDir = "";
let world: World;
beforeAll(async () => {
  const bundle = bundleService();
  dataDir = newDataDir();
  openSecrets(dataDir);
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

/** Settings of the operator's machine beyond a sandbox's own. */
let settings: Record<string, string> = {};

const environment = () => ({
  PATH: process.env.PATH,
  SHELL: "/bin/sh",
  NODE_ENV: "production" as const,
  DATABASE_URL: database.url,
  LOG_LEVEL: "silent",
  DATA_DIR: dataDir,
  ...settings,
});

const run = (...words: string[]): Promise<Outcome> => runCommand(main, words, { environment: environment() });

test("it lists withdrawals that wait for approval first, approves one, or refunds one with the operator's reason", async () => {
  const owner = await newOwner(200n * USD);
  const small = await ordered(owner, { amount: 5n * USD });
  const [large, larger] = [await ordered(owner, { amount: 20n * USD }), await ordered(owner, { amount: 30n * USD })];
  const listed = await run("list");
  expect(listed.code).toBe(0);
  const lines = listed.output.trim().split("\n");
  expect(lines.map((line) => line.slice(0, 23).trim())).toEqual([large, larger, small, expect.stringContaining("2 awaiting approval")]);
  expect(lines[0]).toMatch(/\$20\.00 +base +0x[0-9a-fA-F]{40} +acc_\w{20} +awaiting_approval$/);
  expect(lines.at(-1)).toBe("2 awaiting approval ($50.00 in total), 1 being paid.");

  expect(await run("approve", large, "--yes")).toMatchObject({ code: 0, output: expect.stringContaining(`Approved ${large}`) });
  const approved = await findWithdrawal(large);
  expect(approved).toMatchObject({ state: "approved" });
  const { operatorKey } = openSecrets(dataDir);
  expect(approved && (await isApprovedBy(privateKeyToAddress(operatorKey as Hex), approved))).toBe(true);
  expect(await run("approve", large)).toEqual({ code: 1, output: `${large} is already approved. Nothing was changed.\n` });

  await orderedBeforeStart(larger);
  expect(await run("refuse", larger)).toEqual({
    code: 1,
    output: expect.stringMatching(/first asks the chain whether it was paid.*Try again in a/s),
  });
  await prisma().withdrawal.update({ where: { id: larger }, data: { unpaidAt: now() } });
  expect(await run("refuse", larger, "ask", "us", "first")).toMatchObject({ code: 0 });
  expect(await findWithdrawal(larger)).toMatchObject({ state: "refused", reason: "ask us first" });
  expect((await readBalance(owner.accountId)).posted).toBe(200n * USD - 25n * USD - 200_000_000n);
  expect(await run("refuse", larger)).toEqual({ code: 1, output: `${larger} is already refused. Nothing was changed.\n` });
  expect(await checkWithdrawals()).toEqual([]);
});

test("an operator whose key is elsewhere gets the text, and the command takes its signature and no other", async () => {
  settings = { OPERATOR_ADDRESS: operator.address, DATA_DIR: "none" };
  onTestFinished(() => {
    settings = {};
  });
  const owner = await newOwner(200n * USD);
  const id = await ordered(owner, { amount: 40n * USD });
  const message = (await run("text", id)).output;
  expect(message.split("\n")).toEqual([
    ...["PennyPrompt Withdrawal Approval", "", "Amount: 40 USDC", "Fee: 0.1 USDC", `To: ${getAddress(owner.evm.address)}`],
    ...[expect.stringMatching(/^Chain: Base /), `Account: ${owner.accountId}`, expect.stringMatching(/^Nonce: /)],
    ...[expect.stringMatching(/^Issued at: /), expect.stringMatching(/^Valid until: /), `Ordered by: ${getAddress(owner.evm.address)}`],
  ]);
  const asked = await run("approve", id);
  expect(asked).toMatchObject({ code: 1, output: expect.stringContaining(message) });
  expect(asked.output).toContain("npm run withdrawals -- approve <id> 0x<signature>");
  const foreign = privateKeyToAccount(generatePrivateKey());
  for (const wrong of [await foreign.signMessage({ message }), await operator.signMessage({ message: `${message}\n` }), "0x", "yes"]) {
    expect(await run("approve", id, wrong)).toMatchObject({ code: 1, output: expect.stringContaining("Nothing was changed") });
    expect(await findWithdrawal(id)).toMatchObject({ state: "awaiting_approval", operatorSignature: null });
  }
  const signature = await operator.signMessage({ message });
  expect(await run("approve", id, signature)).toMatchObject({ code: 0 });
  expect(await findWithdrawal(id)).toMatchObject({ state: "approved", operatorSignature: signature });
});

test("a key in a file signs; one that others may read, or that is none, is refused and not shown", async () => {
  const path = join(dataDir, "operator-key");
  const key = generatePrivateKey();
  settings = { OPERATOR_ADDRESS: privateKeyToAddress(key), OPERATOR_KEY_FILE: path };
  onTestFinished(() => {
    settings = {};
  });
  const owner = await newOwner(200n * USD);
  const id = await ordered(owner, { amount: 40n * USD });
  expect((await run("approve", id)).output).toMatch(/OPERATOR_KEY_FILE: .* cannot be read/);
  writeFileSync(path, `${key}\n`, { mode: 0o644 });
  expect(await run("approve", id)).toMatchObject({ code: 1, output: expect.stringContaining(`chmod 600 ${path}`) });
  chmodSync(path, 0o600);
  expect(await run("approve", id, "--yes")).toMatchObject({ code: 0 });
  writeFileSync(path, "hunter2");
  const other = await ordered(owner, { amount: 41n * USD });
  const refused = await run("approve", other);
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("holds something else") });
  expect(refused.output).not.toContain("hunter2");
});

test("what is signed here is shown first, and signed only after a yes, or with --yes", async () => {
  const owner = await newOwner(200n * USD);
  const [id, other] = [await ordered(owner, { amount: 40n * USD }), await ordered(owner, { amount: 41n * USD })];
  const text = (await run("text", id)).output;
  expect(await run("approve", id)).toMatchObject({ code: 1, output: expect.stringMatching(/Nothing was done\..*--yes/) });
  expect((await run("approve", id)).output).toContain(text);
  expect(await findWithdrawal(id)).toMatchObject({ state: "awaiting_approval", operatorSignature: null });
  const approved = await run("approve", other, "--yes");
  expect(approved).toMatchObject({ code: 0, output: expect.stringContaining((await run("text", other)).output) });
  expect(await findWithdrawal(other)).toMatchObject({ state: "approved" });
});

test.runIf(hasTerminal)("in a terminal it asks, and anything but yes signs nothing", async () => {
  const id = await ordered(await newOwner(200n * USD), { amount: 40n * USD });
  const text = (await run("text", id)).output;
  const answer = (type: string) => runInTerminal(`"${script}" approve ${id}`, [{ after: "(yes/no) ", type }], environment());
  for (const typed of sample("answers that are not yes", ["no", "", "y", "yes please", CTRL_D], 2)) {
    const refused = await answer(typed);
    expect(refused.screen, JSON.stringify(typed)).toContain(text);
    expect(refused.screen).toContain("Nothing was done.");
    expect(refused.code).toBe(1);
    expect(await findWithdrawal(id)).toMatchObject({ state: "awaiting_approval", operatorSignature: null });
  }
  const { code, screen } = await answer("yes");
  expect(screen).toContain(`Approved ${id}`);
  expect(code).toBe(0);
  expect(await findWithdrawal(id)).toMatchObject({ state: "approved" });
});

test.each([
  [[]],
  [["approve"]],
  [["text", "wd_00000000000000000000", "more"]],
  [["approve", "wd_00000000000000000000", "0x", "more"]],
  [["approve", "wd_1"]],
  [["list", "all"]],
  [["pay", "wd_00000000000000000000"]],
])("%j prints the usage", async (words) => {
  expect(await run(...words)).toMatchObject({ code: 1, output: expect.stringContaining("npm run withdrawals -- list") });
});

test("an unknown id is reported, and changes nothing", async () => {
  const id = "wd_00000000000000000000";
  for (const word of ["approve", "refuse"]) expect(await run(word, id)).toEqual({ code: 1, output: `Withdrawal ${id} not found.\n` });
});
