import { beforeAll, expect, test } from "vitest";
import { authenticateKey } from "@/lib/access/authenticate";
import { setKeyState } from "@/lib/access/keys";
import { setSandboxPepper } from "@/lib/access/pepper";
import { fromCents } from "@/lib/base/money";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { openDemoAccount } from "./demo-account";

const database = await openTestDatabase();

beforeAll(() => setSandboxPepper("0123456789abcdef0123456789abcdef"));

async function whoHas(apiKey: string) {
  const result = await authenticateKey(apiKey);
  if (!result.ok) throw new Error(`the key is ${result.reason}`);
  return result.key;
}

test("a new demo account has 25 USD that came from the faucet, and a key that works", async () => {
  const { accountId } = await whoHas(await openDemoAccount(undefined));
  expect(await readBalance(accountId)).toMatchObject({ posted: fromCents(2_500), held: 0n });
  const { rows } = await database.pool.query("SELECT posted FROM ledger_account WHERE id = 'sandbox_faucet'");
  expect(rows).toEqual([{ posted: -fromCents(2_500) }]);
  expect(await checkLedger()).toEqual([]);
});

test("a key that works is kept; one that does not gives way to a new account", async () => {
  const first = await openDemoAccount(undefined);
  expect(await openDemoAccount(first)).toBe(first);
  const { accountId, keyId } = await whoHas(first);
  await setKeyState(accountId, keyId, "revoked");
  for (const useless of [first, "pp_rubbish"]) {
    const next = await openDemoAccount(useless);
    expect(next).not.toBe(useless);
    expect((await whoHas(next)).accountId).not.toBe(accountId);
  }
});

test("an account that could not be opened whole is not opened at all", async () => {
  const count = async () => (await database.pool.query("SELECT 1 FROM account")).rowCount;
  const before = await count();
  await database.pool.query("ALTER TABLE api_key ADD CONSTRAINT refuse_demo CHECK (name <> 'demo') NOT VALID");
  await expect(openDemoAccount(undefined)).rejects.toThrow("refuse_demo");
  await database.pool.query("ALTER TABLE api_key DROP CONSTRAINT refuse_demo");
  expect(await count()).toBe(before);
  expect(await checkLedger()).toEqual([]);
});
