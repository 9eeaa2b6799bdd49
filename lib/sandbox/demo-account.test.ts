import { beforeAll, expect, test } from "vitest";
import { authenticateKey } from "@/lib/access/authenticate";
import { listIdentities, removeIdentity } from "@/lib/access/identities";
import { setKeyState } from "@/lib/access/keys";
import { fromCents } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import type { Wallet } from "@/lib/chains/wallet";
import { openTestCustody } from "@/lib/console/testing/custody";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { findWallet } from "@/lib/wallets/custody/custodial-wallet";
import { openDemoAccount, readGranted } from "./demo-account";
import { createDemoKeys, demoIdentities } from "./demo-wallets";

const database = await openTestDatabase();

beforeAll(async () => {
  setSandboxPepper("0123456789abcdef0123456789abcdef");
  await openTestCustody();
});

const newWallets = () => demoIdentities(createDemoKeys());

async function whoHas(apiKey: string) {
  const result = await authenticateKey(apiKey);
  if (!result.ok) throw new Error(`the key is ${result.reason}`);
  return result.key;
}

test("a new demo account has 25 USD that count as granted, and a working key", async () => {
  const { accountId } = await whoHas(await openDemoAccount(undefined, newWallets()));
  expect(await readBalance(accountId)).toMatchObject({ posted: fromCents(2_500), held: 0n });
  expect(await findWallet(accountId)).toMatchObject({ accountId });
  expect(await readGranted()).toBe(fromCents(2_500));
  expect(await checkLedger()).toEqual([]);
});

test("a working key is kept; otherwise the account that the demo wallets own gets a new key", async () => {
  const wallets = newWallets();
  const first = await openDemoAccount(undefined, wallets);
  expect(await openDemoAccount(first, wallets)).toBe(first);
  const { accountId, keyId } = await whoHas(first);
  await setKeyState(accountId, keyId, "revoked");
  for (const useless of [first, "pp_rubbish", undefined]) {
    const next = await openDemoAccount(useless, wallets);
    expect(next).not.toBe(useless);
    expect((await whoHas(next)).accountId).toBe(accountId);
  }
  expect(await readBalance(accountId)).toMatchObject({ posted: fromCents(2_500) });
  expect((await whoHas(await openDemoAccount(first, newWallets()))).accountId).not.toBe(accountId);
});

test("both demo wallets own the account, an existing one too; an unlinked wallet stays unlinked", async () => {
  const wallets = newWallets();
  const key = await openDemoAccount(undefined, []);
  const { accountId } = await whoHas(key);
  expect(await listIdentities(accountId)).toEqual([]);
  await openDemoAccount(key, wallets);
  const owned = async () => (await listIdentities(accountId)).map((identity) => identity.wallet);
  expect(await owned()).toEqual(wallets);
  await inTransaction((transaction) => removeIdentity(accountId, wallets[1] as Wallet, transaction));
  await openDemoAccount(key, wallets);
  expect(await owned()).toEqual(wallets.slice(0, 1));
});

test("an account that cannot be opened completely is not opened at all", async () => {
  const count = async () => (await database.pool.query("SELECT 1 FROM account")).rowCount;
  const before = await count();
  await database.pool.query("ALTER TABLE api_key ADD CONSTRAINT refuse_demo CHECK (name <> 'demo') NOT VALID");
  await expect(openDemoAccount(undefined, newWallets())).rejects.toThrow("refuse_demo");
  await database.pool.query("ALTER TABLE api_key DROP CONSTRAINT refuse_demo");
  expect(await count()).toBe(before);
  expect(await checkLedger()).toEqual([]);
});

test("an account whose start died before its grant has its money after the next start", async () => {
  const wallets = newWallets();
  await database.pool.query("ALTER TABLE transfer ADD CONSTRAINT refuse_grant CHECK (kind <> 'credit') NOT VALID");
  await expect(openDemoAccount(undefined, wallets)).rejects.toThrow("refuse_grant");
  await database.pool.query("ALTER TABLE transfer DROP CONSTRAINT refuse_grant");
  for (let start = 0; start < 2; start++) {
    const { accountId } = await whoHas(await openDemoAccount(undefined, wallets));
    expect(await readBalance(accountId)).toMatchObject({ posted: fromCents(2_500) });
  }
});

test("concurrent starts open one account", async () => {
  const count = async () => (await database.pool.query("SELECT 1 FROM account")).rowCount ?? 0;
  const before = await count();
  const wallets = newWallets();
  const orders = [wallets, wallets.toReversed(), wallets];
  const owners = (await Promise.all(orders.map((order) => openDemoAccount(undefined, order)))).map(whoHas);
  expect(new Set((await Promise.all(owners)).map(({ accountId }) => accountId)).size).toBe(1);
  expect(await count()).toBe(before + 1);
  expect(await checkLedger()).toEqual([]);
});
