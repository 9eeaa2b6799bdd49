// The operator's command for the settlement contract: beside a sandbox that has deployed it automatically,
// and for a live service on a chain without it.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once as nextEvent } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { settlementAddress } from "@/lib/chains/evm/settlement";
import { startUsdcChain, type UsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createWords } from "@/lib/wallets/custody/mnemonic";
import { COST_FOR_RANDOM, sealSeed } from "@/lib/wallets/custody/seed-file";
import { fingerprintOf, openSigner } from "@/lib/wallets/custody/seed-signer";
import { writeNewSeedFile } from "@/lib/wallets/custody/seed-storage";
import type { Signer } from "@/lib/wallets/custody/signer";
import { startCustody } from "@/lib/wallets/custody/start-custody";
import { main } from "./settlement";
import { type Outcome, runCommand } from "./testing/command";
import { bundleService, cleanUpServices, newDataDir, onCleanUp, startService, until } from "./testing/service";

const database = await openTestDatabase();
const secret = () => randomBytes(32).toString("hex");
let bundle = "";
let script = "";
beforeAll(() => {
  bundle = bundleService();
  script = join(bundle, "run-settlement.mjs");
  writeFileSync(script, 'const { main } = await import("./settlement.mjs");\nawait main();\n');
});
afterAll(cleanUpServices);

/** As the operator starts it. */
async function start(word: string, settings: Record<string, string>): Promise<Outcome> {
  const child = spawn(process.execPath, [script, word], { env: environment(settings) });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code] = (await nextEvent(child, "close")) as [number | null];
  return { code, output };
}

const environment = (settings: Record<string, string>) => ({
  PATH: process.env.PATH,
  NODE_ENV: "production" as const,
  LOG_LEVEL: "silent",
  ...settings,
});

const run = (word: string, settings: Record<string, string>): Promise<Outcome> =>
  runCommand(main, word.split(" "), { environment: environment(settings) });

const readTerms = async (baseUrl: string) =>
  (await (await fetch(`${baseUrl}/api/v1/payment-terms`)).json()) as { networks: { isDeployed: boolean }[] };

test("a sandbox deploys it on its own chain automatically, also after a kill and a restart, and the command finds it there", async () => {
  const DATA_DIR = newDataDir();
  const settings = { DATA_DIR, LOG_LEVEL: "info" };
  expect(await run("verify", settings)).toMatchObject({ code: 1, output: expect.stringContaining("Start the sandbox once") as string });
  for (const end of ["SIGKILL", "SIGTERM"] as const) {
    const service = startService(bundle, settings);
    const baseUrl = await service.ready;
    await until("the contract is there", async () => (await readTerms(baseUrl)).networks[0]?.isDeployed === true);
    let verified = await start("verify", settings);
    // After the kill the orphaned old chain may answer for a moment.
    await until("the new chain is there", async () => {
      if (verified.output.includes("is not running")) verified = await run("verify", settings);
      return !verified.output.includes("is not running");
    });
    expect(verified).toMatchObject({ code: 0, output: expect.stringContaining("its code matches this release") as string });
    if (end === "SIGKILL")
      expect(await run("deploy", settings)).toMatchObject({ code: 0, output: expect.stringContaining("Already deployed") as string });
    service.process.kill(end);
    await service.ended;
  }
  const { code, output } = await run("verify", settings);
  expect(code).toBe(1);
  expect(output).toMatch(/The sandbox in DATA_DIR=.* is not running\. Start it/);
}, 240_000);

interface Live {
  chain: UsdcChain;
  signer: Signer;
  settings: Record<string, string>;
}

async function openLive(): Promise<Live> {
  const chain = await startUsdcChain({ blockTimeMs: 1_000 });
  onCleanUp(() => chain.stop());
  const [words, passphrase, dataDir] = [createWords(), secret(), newDataDir()];
  const path = join(dataDir, "seed");
  const options = { mode: "live", fingerprint: await fingerprintOf(words), cost: COST_FOR_RANDOM } as const;
  await writeNewSeedFile(path, await sealSeed(words, passphrase, options));
  const signer = await openSigner(words, "live");
  const settings = {
    MODE: "live",
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PUBLIC_URL: "https://pennyprompt.example",
    KEY_PEPPER: secret(),
    SESSION_SECRET: secret(),
    BASE_RPC_URLS: chain.url(),
    BASE_CHAIN_ID: `${chain.chainId}`,
    SINGLE_NODE: "accept",
    ROLES: "jobs",
    CUSTODY_SEED_FILE: path,
    CUSTODY_PASSPHRASE: passphrase,
    SIGNER_STATE_DIR: join(dataDir, "signer"),
    OPERATOR_ADDRESS: `0x${"2".repeat(40)}`,
    TREASURY_BASE_ADDRESS: signer.treasury.base,
    TREASURY_SOLANA_ADDRESS: signer.treasury.solana,
  };
  return { chain, signer, settings };
}

test("an operator deploys it once and sees its cost; each obstacle to a deployment is reported with its fix", async () => {
  const { chain, signer, settings } = await openLive();
  expect(await run("verify", settings)).toMatchObject({ code: 1, output: expect.stringContaining("has no seed yet") as string });
  await startCustody(signer);
  const { treasury, relayer } = signer;
  const address = settlementAddress({ serviceName: "PennyPrompt", usdc: chain.usdc, treasury: treasury.base, relayer: relayer.address });
  const absent = await run("verify", settings);
  expect(absent).toMatchObject({
    code: 1,
    output: expect.stringContaining("The contract is not deployed. Run: npm run settlement -- deploy") as string,
  });
  expect(absent.output).toContain(`Settlement contract  ${address} on chain ${chain.chainId}`);

  const { CUSTODY_SEED_FILE: _file, CUSTODY_PASSPHRASE: _passphrase, ...seedless } = settings;
  const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ ...seedless, ROLES: "web" }, /SIGNER_SOCKET is not set\. Run this command with the settings/],
    [{ ...settings, SERVICE_NAME: "a".repeat(32) }, /SERVICE_NAME/],
    [{ ...settings, BASE_RPC_URLS: "http://127.0.0.1:9" }, /BASE_RPC_URLS/],
    [settings, /The relayer 0x\w{40} has 0 ETH, and the deployment can cost up to 0\.\d+ ETH\. Send it/],
  ];
  for (const [wrong, pattern] of refused) {
    const { code, output } = await run("deploy", wrong);
    expect(code, pattern.source).toBe(1);
    expect(output).toMatch(pattern);
    expect(output).not.toMatch(/^ +at .*:\d+/m);
  }

  await chain.fundGas(relayer.address);
  const deployed = await start("deploy", settings);
  expect(deployed.output).toMatch(/Maximum cost for the relayer: 0\.\d+ ETH \(\d+ gas\)[\s\S]*Deployed in 0x\w{64} for 0\.\d+ ETH\.\n$/);
  expect(deployed.code).toBe(0);
  expect(await run("deploy", settings)).toMatchObject({ code: 0, output: expect.stringContaining("Nothing to do") as string });
  expect(await run("verify", { ...seedless, ROLES: "web" })).toMatchObject({ code: 0 });
  expect(await chain.client.getTransactionCount({ address: relayer.address })).toBe(1);
}, 240_000);

test.each(["", "remove", "deploy now"])("%j prints the usage", async (word) => {
  expect(await run(word, {})).toMatchObject({ code: 1, output: expect.stringContaining("npm run settlement -- verify") as string });
});
