import { afterAll, beforeAll, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { AccountId, SessionId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { askFaucet, faucetAmount, setFaucet } from "@/lib/console/faucet";
import type { Owner } from "@/lib/console/owner";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { openFaucet } from "./faucet";

await openTestDatabase();
beforeAll(openFunding);
afterAll(() => setFaucet(undefined));

const ownerOf = (accountId: AccountId, isFrozen = false): Owner => ({
  accountId,
  sessionId: "ses_test" as SessionId,
  wallet: { chain: "evm", address: `0x${"4f".repeat(20)}` },
  isFrozen,
});

test("without a sandbox there is no faucet, and asking for it moves nothing", async () => {
  setFaucet(undefined);
  const account = await fundedAccount(0);
  expect(faucetAmount()).toBeNull();
  expect(await askFaucet(ownerOf(account))).toMatchObject({ ok: false, message: expect.stringMatching(/no faucet/) });
  expect((await readBalance(account)).posted).toBe(0n);
});

test("it gives 5 USD twenty times a day, even when asked for all of them at once, and again the next day", async () => {
  openFaucet();
  const [account, other] = [await fundedAccount(0), await fundedAccount(0)];
  const restore = setClock(() => Date.UTC(2026, 10, 21, 23, 59));
  try {
    expect(await askFaucet(ownerOf(account))).toEqual({ ok: true, amount: fromCents(500) });
    const asked = await Promise.all(Array.from({ length: 25 }, () => askFaucet(ownerOf(account))));
    expect(asked.filter(({ ok }) => ok)).toHaveLength(19);
    expect(asked.find(({ ok }) => !ok)).toMatchObject({ message: expect.stringMatching(/20 times a day.*midnight UTC/) });
    expect((await readBalance(account)).posted).toBe(fromCents(10_000));
    expect(await askFaucet(ownerOf(other))).toMatchObject({ ok: true });
  } finally {
    restore();
  }
  const tomorrow = setClock(() => Date.UTC(2026, 10, 22));
  expect(await askFaucet(ownerOf(account)).finally(tomorrow)).toMatchObject({ ok: true });
  expect((await readBalance(account)).posted).toBe(fromCents(10_500));
  expect(await checkLedger()).toEqual([]);
});

test("a frozen account is given nothing", async () => {
  openFaucet();
  const account = await fundedAccount(0);
  expect(await askFaucet(ownerOf(account, true))).toMatchObject({ ok: false, message: expect.stringMatching(/frozen/) });
  expect((await readBalance(account)).posted).toBe(0n);
});
