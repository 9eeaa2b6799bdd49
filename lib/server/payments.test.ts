// Payments on a live service whose seed is in a separate process: a series of signed proofs, paid one after the other, while
// either process is killed in the middle of one.

import { randomBytes, randomInt } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { maxUint256, parseAbi } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { fromCents } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { proofText, settlementAddress } from "@/lib/chains/evm/settlement";
import { startUsdcChain, type UsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { pool } from "@/lib/db/pool";
import { openDurableDatabase } from "@/lib/db/testing/durable-database";
import { isLong } from "@/lib/db/testing/sample";
import { checkBooks } from "@/lib/jobs/check-books";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { deploySettlement } from "@/lib/payments/settlement/deploy-settlement";
import { setRelayer } from "@/lib/relay/relayer";
import { startTestModels } from "@/lib/sandbox/models/testing";
import { createWords } from "@/lib/wallets/custody/mnemonic";
import { COST_FOR_RANDOM, sealSeed } from "@/lib/wallets/custody/seed-file";
import { fingerprintOf, openSigner } from "@/lib/wallets/custody/seed-signer";
import { writeNewSeedFile } from "@/lib/wallets/custody/seed-storage";
import type { Signer } from "@/lib/wallets/custody/signer";
import { bundleService, cleanUpServices, newDataDir, onCleanUp, type Running, startService, until } from "./testing/service";

const PAYMENTS = isLong ? 1_000 : 8;
const CENTS = 10n;
const UNITS_PER_CENT = 10_000n;

const database = await openDurableDatabase();
const secret = () => randomBytes(32).toString("hex");

type Role = "web" | "jobs";
let bundle: string;
let chain: UsdcChain;
let signer: Signer;
let settings: Record<Role, Record<string, string>>;
const running: Partial<Record<Role, Running>> = {};
let origin = "";
let key = "";

beforeAll(async () => {
  bundle = bundleService();
  chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  onCleanUp(() => chain.stop());
  settings = await createSettings();
  await start("jobs");
  await start("web");
  await deploy();
  await openFunding();
  setSandboxPepper(settings.web.KEY_PEPPER ?? ""); // this process hashes keys as the service does
  key = (await createKey({ accountId: await fundedAccount(fromCents(1)), name: "payments" })).key;
});
afterAll(cleanUpServices);

async function createSettings(): Promise<Record<Role, Record<string, string>>> {
  const models = await startTestModels();
  onCleanUp(async () => void (await models.stop()));
  const [words, passphrase, dataDir, pepper] = [createWords(), secret(), newDataDir(), secret()];
  const options = { mode: "live", fingerprint: await fingerprintOf(words), cost: COST_FOR_RANDOM } as const;
  await writeNewSeedFile(join(dataDir, "seed"), await sealSeed(words, passphrase, options));
  signer = await openSigner(words, "live");
  const both = {
    MODE: "live",
    HOST: "127.0.0.1",
    DATABASE_URL: database.url,
    PUBLIC_URL: "https://pennyprompt.example",
    KEY_PEPPER: pepper,
    SESSION_SECRET: secret(),
    RATE_LIMIT_PER_MINUTE: "1000000",
    BASE_RPC_URLS: chain.url(),
    BASE_CHAIN_ID: `${chain.chainId}`,
    SINGLE_NODE: "accept",
    TREASURY_BASE_ADDRESS: signer.treasury.base,
    TREASURY_SOLANA_ADDRESS: signer.treasury.solana,
    OPENAI_API_KEY: models.apiKey,
    OPENAI_BASE_URL: models.baseUrls.openai,
    PROVIDER_TOTAL_TIMEOUT_MS: "1000",
  };
  return {
    web: { ...both, ROLES: "web", DATA_DIR: newDataDir() },
    jobs: {
      ...both,
      ROLES: "jobs",
      DATA_DIR: dataDir,
      CUSTODY_SEED_FILE: join(dataDir, "seed"),
      CUSTODY_PASSPHRASE: passphrase,
      SIGNER_STATE_DIR: join(dataDir, "signer"),
      OPERATOR_ADDRESS: `0x${"2".repeat(40)}`,
    },
  };
}

async function start(role: Role): Promise<void> {
  const service = startService(bundle, settings[role]);
  running[role] = service;
  const address = await service.ready;
  if (role === "web") origin = address;
}

/** Kills the process with SIGKILL and starts it again, as a supervisor would. */
async function killAndStart(role: Role): Promise<void> {
  running[role]?.process.kill("SIGKILL");
  await running[role]?.ended;
  await start(role);
}

async function deploy(): Promise<void> {
  await chain.fundGas(signer.relayer.address);
  setSandboxEvmNodes([chain.url()]);
  setRelayer(signer.relayer);
  await deploySettlement(contractTerms(), { waitMs: 20_000 });
  // From here on only the process with the seed settles.
  setRelayer(undefined);
}

const contractTerms = () => ({
  serviceName: "PennyPrompt",
  usdc: chain.usdc,
  treasury: signer.treasury.base,
  relayer: signer.relayer.address,
});

async function newPayer(): Promise<PrivateKeyAccount> {
  const account = await chain.newAccount(BigInt(PAYMENTS) * CENTS * UNITS_PER_CENT);
  const abi = parseAbi(["function approve(address spender, uint256 value) returns (bool)"]);
  const args = [settlementAddress(contractTerms()), maxUint256] as const;
  const hash = await chain.client.writeContract({ account, address: chain.usdc, abi, functionName: "approve", args });
  await chain.client.waitForTransactionReceipt({ hash });
  return account;
}

async function signBody(payer: PrivateKeyAccount): Promise<string> {
  const [requestNumber, timestamp] = [randomInt(2 ** 47), Date.now()];
  const words = { requestNumber: BigInt(requestNumber), cents: CENTS, timestampMs: BigInt(timestamp) };
  const signature = await payer.signMessage({ message: proofText("PennyPrompt", words) });
  const payment = { from: payer.address, amount: Number(CENTS), signature, timestamp, requestId: `req_${requestNumber}`, network: "base" };
  return JSON.stringify({ model: "gpt-3.5-turbo", prompt: "Say a number.", maxTokens: 20, payment });
}

interface Answer {
  requestId: string;
  payment: { transaction: string };
}

/** Sends the same request until it is answered, as clients are advised to. */
async function payPatiently(body: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (;;) {
    const answer = await fetch(`${origin}/api/v1/prompt`, { method: "POST", headers, body }).catch(() => null);
    if (answer?.status === 200) return (await answer.json()) as Answer;
    if (answer && answer.status !== 409 && answer.status < 500) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer?.text();
    await sleep(100);
  }
}

const countOf = async (sql: string): Promise<number> => Number((await pool().query<{ count: string }>(sql)).rows[0]?.count);

test(`${PAYMENTS} consecutive payments are each paid and answered once, without a nonce gap, through kill -9 of either process`, async () => {
  const payer = await newPayer();
  const deaths = new Map<number, Role>([[Math.floor(PAYMENTS / 3), "jobs"]]);
  // What a dead web process held is free a minute later, once its hold has expired.
  if (isLong) deaths.set(Math.floor((2 * PAYMENTS) / 3), "web");
  const answers: Answer[] = [];
  for (let index = 0; index < PAYMENTS; index++) {
    const answer = payPatiently(await signBody(payer));
    const victim = deaths.get(index);
    if (victim) {
      await sleep(randomInt(40));
      await killAndStart(victim);
    }
    answers.push(await answer);
  }
  expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(PAYMENTS);
  expect(new Set(answers.map(({ payment }) => payment.transaction)).size).toBe(PAYMENTS);
  expect(await countOf("SELECT count(*) FROM charge WHERE paid_by = 'payment'")).toBe(PAYMENTS);
  expect(await countOf("SELECT count(*) FROM transfer WHERE kind = 'payment'")).toBe(PAYMENTS);
  expect(await countOf("SELECT count(*) FROM payment_claim WHERE state = 'paid'")).toBe(PAYMENTS);

  const abi = parseAbi(["function balanceOf(address account) view returns (uint256)"]);
  const args = [signer.treasury.base] as const;
  const units = await chain.client.readContract({ address: chain.usdc, abi, functionName: "balanceOf", args });
  expect(units).toBe(BigInt(PAYMENTS) * CENTS * UNITS_PER_CENT);
  // One transaction more: it deployed the contract. Each has the next nonce, on the chain and in the books.
  const { rows } = await pool().query<{ nonce: number }>("SELECT nonce FROM relayed WHERE chain = 'base' ORDER BY nonce");
  expect(rows.map(({ nonce }) => nonce)).toEqual(Array.from({ length: PAYMENTS + 1 }, (_, nonce) => nonce));
  expect(await chain.client.getTransactionCount({ address: signer.relayer.address })).toBe(PAYMENTS + 1);

  await chain.mine(20);
  await until("all of them are final", async () => (await countOf("SELECT count(*) FROM payment_claim WHERE NOT finalized")) === 0);
  expect(await checkBooks()).toEqual([]);
}, 1_800_000);
