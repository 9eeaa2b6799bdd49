import { afterEach, beforeAll, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { type CustodialWallet, openWallet } from "@/lib/wallets/custody/custodial-wallet";
import { findCustody } from "@/lib/wallets/custody/custody";
import { openTestCustody } from "../testing/custody";
import { findSendTargets } from "./send-targets";

await openTestDatabase();
beforeAll(async () => {
  await openFunding();
  await openTestCustody();
});

const liveSettings = {
  MODE: "live",
  KEY_PEPPER: "a pepper for tests, of more than 32 characters",
  SESSION_SECRET: "a session secret of more than 32 characters",
  ROLES: "web",
  TREASURY_BASE_ADDRESS: `0x${"1".repeat(40)}`,
  TREASURY_SOLANA_ADDRESS: "1".repeat(32),
  PUBLIC_URL: "https://penny.example",
  DATABASE_URL: "postgresql://nobody@127.0.0.1:9/none",
  BASE_RPC_URLS: "https://key:secret@base.example",
  SOLANA_RPC_URLS: "https://solana.example",
  SINGLE_NODE: "accept",
};
const before = { ...process.env };

function set(settings: Record<string, string>): void {
  Object.assign(process.env, settings);
  forgetSingleton("config");
}

afterEach(() => {
  for (const name of [...Object.keys(liveSettings), "BASE_CHAIN_ID", "BASE_RPC_URLS"]) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  for (const name of ["config", "sandbox EVM nodes"]) forgetSingleton(name);
});

async function newAccount(): Promise<{ accountId: AccountId; wallet: CustodialWallet }> {
  const accountId = await fundedAccount(0);
  return { accountId, wallet: await inTransaction((transaction) => openWallet(accountId, transaction)) };
}

test("nothing can be sent to an account before it has addresses", async () => {
  expect(await findSendTargets(await fundedAccount(0))).toEqual({ base: null, solana: null });
});

test("a sandbox names its own chain id and mint, and gives wallets that chain's URL", async () => {
  const { accountId, wallet } = await newAccount();
  setSandboxEvmNodes(["http://127.0.0.1:5000"]);
  const { base, solana } = await findSendTargets(accountId);
  expect(base).toEqual({
    chainId: 31_337,
    usdc: usdcOnBase,
    to: wallet.baseAddress,
    walletRpcUrl: "http://127.0.0.1:5000",
    isSandbox: true,
  });
  expect(solana).toEqual({ mint: (await findCustody())?.usdcMint, to: wallet.solanaAddress, tokenAccount: wallet.solanaTokenAccount });
  expect(solana?.mint).not.toBe(USDC_MINT);
});

test("a sandbox whose chain has a public chain's id offers no sending on it", async () => {
  const { accountId } = await newAccount();
  set({ BASE_CHAIN_ID: "8453" });
  expect((await findSendTargets(accountId)).base).toBeNull();
});

test("a sandbox whose chain has not started does not reveal the operator's nodes", async () => {
  const { accountId } = await newAccount();
  set({ BASE_RPC_URLS: "https://key:secret@base.example" });
  expect((await findSendTargets(accountId)).base?.walletRpcUrl).toBeNull();
});

test("live mode names Base, the real USDC and the real mint, and none of the operator's nodes", async () => {
  const { accountId, wallet } = await newAccount();
  set(liveSettings);
  const { base, solana } = await findSendTargets(accountId);
  expect(base).toEqual({
    chainId: 8_453,
    usdc: usdcOnBase,
    to: wallet.baseAddress,
    walletRpcUrl: "https://mainnet.base.org",
    isSandbox: false,
  });
  expect(solana?.mint).toBe(USDC_MINT);
  set({ BASE_CHAIN_ID: "84532" });
  expect((await findSendTargets(accountId)).base).toMatchObject({ chainId: 84_532, walletRpcUrl: null });
});
