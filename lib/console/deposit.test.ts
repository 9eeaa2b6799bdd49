import { afterEach, beforeAll, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { forgetOnce } from "@/lib/base/once";
import { inTransaction } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { openWallet } from "@/lib/wallets/custodial-wallet";
import { findDepositAddresses, listDeposits } from "./deposit";
import { openTestCustody } from "./testing/custody";

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
};
const before = { ...process.env };

function goLive(more: Record<string, string> = {}): void {
  Object.assign(process.env, liveSettings, more);
  forgetOnce("config");
}

afterEach(() => {
  for (const name of [...Object.keys(liveSettings), "BASE_CHAIN_ID"]) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  forgetOnce("config");
});

async function accountWithWallet(): Promise<AccountId> {
  const account = await fundedAccount(0);
  await inTransaction((transaction) => openWallet(account, transaction));
  return account;
}

test("before it has a wallet an account has no addresses", async () => {
  expect(await findDepositAddresses(await fundedAccount(0))).toBeNull();
});

test("in a sandbox addresses are texts: nothing that a wallet would open", async () => {
  const addresses = await findDepositAddresses(await accountWithWallet());
  expect(addresses).toEqual({
    base: { chain: "base", address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), paymentUri: null },
    solana: { chain: "solana", address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/), paymentUri: null },
  });
});

test("in live mode wallets open a transfer of USDC to the account's own address, by EIP-681 and by Solana Pay", async () => {
  const account = await accountWithWallet();
  goLive();
  const addresses = await findDepositAddresses(account);
  expect(addresses?.base.paymentUri).toBe(
    `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${addresses?.base.address}`,
  );
  // Circle's mint, although the database names another one.
  expect(addresses?.solana.paymentUri).toBe(`solana:${addresses?.solana.address}?spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`);
  expect(new URL(addresses?.solana.paymentUri ?? "").protocol).toBe("solana:");
});

test("on an EVM chain whose USDC is not known there is no link that would send another token", async () => {
  const account = await accountWithWallet();
  goLive({ BASE_CHAIN_ID: "84532" });
  expect((await findDepositAddresses(account))?.base.paymentUri).toBeNull();
});

test("nobody has deposits yet", async () => {
  expect(await listDeposits(await accountWithWallet())).toEqual([]);
});
