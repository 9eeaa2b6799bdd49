import { afterEach, beforeAll, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { openWallet } from "@/lib/wallets/custody/custodial-wallet";
import { addDeposit, credit, openScan } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { openTestCustody } from "../testing/custody";
import { findDepositAddresses, listPayableTokens, readDepositView } from "./deposit";

await openTestDatabase();
beforeAll(async () => {
  await openFunding();
  await openTestCustody();
  await openScan("base", { latest: 100, safe: 95, final: 90 });
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
  BASE_RPC_URLS: "https://base.example",
  SOLANA_RPC_URLS: "https://solana.example",
  SINGLE_NODE: "accept",
};
const before = { ...process.env };

function goLive(more: Record<string, string> = {}): void {
  Object.assign(process.env, liveSettings, more);
  forgetSingleton("config");
}

afterEach(() => {
  for (const name of [...Object.keys(liveSettings), "BASE_CHAIN_ID"]) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  forgetSingleton("config");
});

async function accountWithWallet(): Promise<AccountId> {
  const account = await fundedAccount(0);
  await inTransaction((transaction) => openWallet(account, transaction));
  return account;
}

test("an account without a wallet has no addresses", async () => {
  expect(await findDepositAddresses(await fundedAccount(0))).toBeNull();
});

test("in a sandbox addresses are plain text, never a link that a wallet would open", async () => {
  const addresses = await findDepositAddresses(await accountWithWallet());
  expect(addresses).toEqual({
    base: { chain: "base", address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), paymentUri: null },
    solana: { chain: "solana", address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/), paymentUri: null },
  });
});

const pay = async (account: AccountId) => {
  const addresses = await findDepositAddresses(account);
  return { base: addresses?.base ?? null, solana: addresses?.solana ?? null };
};

test("in live mode the links open a USDC transfer to the account's own address, by EIP-681 and by Solana Pay", async () => {
  const account = await accountWithWallet();
  goLive();
  const { base, solana } = await pay(account);
  expect(base?.paymentUri).toBe(`ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${base?.address}`);
  // Circle's mint, although the database names another.
  expect(solana?.paymentUri).toBe(`solana:${solana?.address}?spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`);
  expect(new URL(solana?.paymentUri ?? "").protocol).toBe("solana:");
});

test("on another EVM chain the link is to that chain's own USDC", async () => {
  const account = await accountWithWallet();
  goLive({ BASE_CHAIN_ID: "84532" });
  expect((await pay(account)).base?.paymentUri).toMatch(/^ethereum:0x036CbD53842c5426634e7929541eC2318f3dCF7e@84532\/transfer/);
});

test.each([
  ["without nodes for Base its address is kept back", { BASE_RPC_URLS: "" }, { base: null, solana: { chain: "solana" } }],
  ["without nodes for Solana its address is kept back", { SOLANA_RPC_URLS: "" }, { base: { chain: "base" }, solana: null }],
  ["on a chain whose USDC is not known no address is told", { BASE_CHAIN_ID: "10" }, { base: null, solana: { chain: "solana" } }],
])("in live mode no address is shown for an unwatched chain: %s", async (_, settings, expected) => {
  const account = await accountWithWallet();
  goLive(settings);
  expect(await pay(account)).toMatchObject(expected);
});

test("the docs name Circle's own tokens on the chains that are watched, and none in a sandbox", () => {
  expect(listPayableTokens()).toEqual([]);
  goLive();
  expect(listPayableTokens()).toEqual([
    { network: "Base", token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" },
    { network: "Solana", token: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" },
  ]);
  goLive({ BASE_RPC_URLS: "" });
  expect(listPayableTokens().map(({ network }) => network)).toEqual(["Solana"]);
});

test("explorer links exist for public chains only, never in a sandbox", async () => {
  const account = await fundedAccount(0);
  const ids = [
    await addDeposit({ accountId: account, usd: "5", block: 100 }),
    await addDeposit({ accountId: account, usd: "6", block: 100, chain: "solana" }),
  ];
  const links = async () => new Map((await readDepositView(account)).deposits.map(({ id, transactionUrl }) => [id, transactionUrl]));
  expect([...(await links()).values()]).toEqual([null, null]);
  const transactions = ids.map((id) => id.slice(id.indexOf("_") + 1));
  const expectLinks = async (base: string | null) => {
    const found = await links();
    expect(found.get(ids[0] ?? "")).toBe(base && `${base}/tx/${transactions[0]}`);
    expect(found.get(ids[1] ?? "")).toBe(`https://explorer.solana.com/tx/${transactions[1]}`);
  };
  goLive();
  await expectLinks("https://basescan.org");
  goLive({ BASE_CHAIN_ID: "84532" });
  await expectLinks("https://sepolia.basescan.org");
  goLive({ BASE_CHAIN_ID: "10" });
  await expectLinks(null);
});

test("deposits below the minimum are shown as their address's total, and are credited once that is enough", async () => {
  const account = await fundedAccount(0);
  const small = [await addDeposit({ accountId: account, usd: "0.4", block: 90 })];
  await credit(small);
  expect(await readDepositView(account)).toMatchObject({ available: 0n, uncredited: { base: 400_000_000n, solana: 0n } });
  small.push(await addDeposit({ accountId: account, usd: "0.6", block: 91 }));
  await credit(small);
  expect(await readDepositView(account)).toMatchObject({ available: 1_000_000_000n, uncredited: { base: 0n, solana: 0n } });
});

test("an account's deposits are paged, and another account's never appear", async () => {
  const [account, other] = [await fundedAccount(0), await fundedAccount(0)];
  await addDeposit({ accountId: other, usd: "7", block: 100 });
  for (let count = 0; count < 30; count++) await addDeposit({ accountId: account, usd: "5", block: 100 });
  const newest = await readDepositView(account);
  expect(newest.deposits).toHaveLength(25);
  const older = await readDepositView(account, newest.older);
  expect(older.deposits).toHaveLength(5);
  expect(older.older).toBeNull();
  expect(new Set([...newest.deposits, ...older.deposits].map(({ id }) => id)).size).toBe(30);
  expect((await readDepositView(other, newest.older)).deposits.every(({ amount }) => amount === 7_000_000_000n)).toBe(true);
  for (const nonsense of ["", "x", "1.", ["1.a"], `${newest.older} `, "99999999999999.base"]) {
    expect((await readDepositView(account, nonsense)).deposits.length, String(nonsense)).toBeGreaterThanOrEqual(25);
  }
});
