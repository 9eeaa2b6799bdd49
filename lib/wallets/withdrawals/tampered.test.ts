// An attacker who can write to the withdrawal table but has no key gets nothing paid, and the owner gets back exactly what the books took.

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { WithdrawalId } from "@/lib/base/ids";
import { readHead } from "@/lib/chains/evm/head";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { findRelayed } from "@/lib/relay/relayed";
import { runRelay } from "@/lib/relay/run";
import { checkWithdrawals } from "./check";
import { cancelWithdrawal } from "./decisions";
import { payWithdrawals } from "./pay-withdrawals";
import { relayIdOf } from "./steps";
import { newOwner, ordered, startWorld, type TestOwner, USD, type World } from "./testing/world";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

await openTestDatabase();
let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.fillTreasury("base", 1_000_000_000n);
  await world.fillTreasury("solana", 1_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(1_000n * USD), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(1_000n * USD), { timeout: 30_000 });
});
afterAll(() => world?.stop());
afterEach(async () => {
  expect(await checkLedger()).toEqual([]);
  await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours'");
});

const change = (id: WithdrawalId, set: string, values: unknown[] = []) =>
  pool().query(`UPDATE withdrawal SET ${set} WHERE id = $1`, [id, ...values]);

/** Expects that nothing is signed, now or in a later round. */
async function expectUnpaid(id: WithdrawalId): Promise<void> {
  for (let n = 0; n < 3; n++) await payWithdrawals();
  const found = await findWithdrawal(id);
  expect(found?.attempt).toBe(0);
  expect(await findRelayed([relayIdOf({ id, attempt: 1 })])).toEqual([]);
}

async function expectWhole({ accountId }: TestOwner): Promise<void> {
  expect(await readBalance(accountId)).toMatchObject({ posted: 50n * USD });
}

test.each([
  ["amount", "amount = amount + 30000000000"],
  ["fee", "fee = 0"],
  ["nonce", "nonce = 'AAAAAAAAAAAAAAAAAAAAAA'"],
  ["expiry", "valid_until = valid_until + interval '30 days'"],
])("a row with a changed %s is not paid, a wrong sum fails the check, and its owner gets back what was taken", async (_what, set) => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: 5n * USD });
  await change(id, set);
  await expectUnpaid(id);
  expect(await findWithdrawal(id)).toMatchObject({ state: "approved", waitsFor: "signature" });
  expect((await checkWithdrawals()).length > 0).toBe(/amount|fee/.test(set));
  expect(await cancelWithdrawal(owner.accountId, id)).toBe(true);
  await expectWhole(owner);
  await change(id, "nonce = $2, amount = 5000000000, fee = 100000000", [`${id.slice(3)}00`]);
});

test("a row with a changed destination, a stranger's wallet or another of the owner's, is not paid", async () => {
  const [owner, thief] = [await newOwner(50n * USD), await newOwner(0n)];
  const id = await ordered(owner, { amount: 5n * USD });
  await change(id, "destination = $2", [thief.evm.address]);
  await expectUnpaid(id);
  expect(await findWithdrawal(id)).toMatchObject({ state: "failed" });
  await expectWhole(owner);
  // Even if the attacker also links the wallet, the signed text differs.
  const other = await ordered(owner, { amount: 5n * USD });
  await pool().query("UPDATE identity SET account_id = $1 WHERE address = $2", [owner.accountId, thief.evm.address]);
  await change(other, "destination = $2", [thief.evm.address]);
  await expectUnpaid(other);
  expect(await findWithdrawal(other)).toMatchObject({ waitsFor: "signature" });
  expect(await cancelWithdrawal(owner.accountId, other)).toBe(true);
  await expectWhole(owner);
});

test("a row forged with another row's signature pays nothing, and affects no other withdrawal", async () => {
  const [owner, honest] = [await newOwner(50n * USD), await newOwner(50n * USD)];
  const id = await ordered(owner, { amount: 5n * USD });
  await pool().query(
    `INSERT INTO withdrawal (id, account_id, chain, destination, amount, fee, opens_account, nonce, issued_at, valid_until, signer_chain,
       signer_address, signature, state, requested_at, approved_at)
     SELECT 'wd_forged00000000000000', account_id, chain, destination, amount, fee, opens_account, 'forgedforgedforgedforg', issued_at,
       valid_until, signer_chain, signer_address, signature, 'approved', requested_at, approved_at FROM withdrawal WHERE id = $1`,
    [id],
  );
  const other = await ordered(honest, { amount: 5n * USD });
  await payWithdrawals();
  await expectUnpaid("wd_forged00000000000000" as WithdrawalId);
  expect(await findWithdrawal(other)).toMatchObject({ attempt: 1 });
  // It is not in the books, so nothing can be returned for it either.
  await expect(cancelWithdrawal(owner.accountId, "wd_forged00000000000000" as WithdrawalId)).rejects.toThrow(/is not in the books/);
  expect(await checkWithdrawals()).not.toEqual([]);
  await pool().query("DELETE FROM withdrawal WHERE id = 'wd_forged00000000000000'");
  expect(await checkWithdrawals()).toEqual([]);
});

test("a paid row reset to approved is not paid twice on Base: one text has one authorization", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: 5n * USD });

  await vi.waitFor(
    async () => {
      await payWithdrawals();
      await runRelay({ resendAfterMs: 0 });
      expect(await findWithdrawal(id)).toMatchObject({ state: "final" });
    },
    { timeout: 30_000, interval: 100 },
  );
  await change(id, "state = 'approved', ended_at = NULL, confirmed_at = NULL");
  for (let n = 0; n < 3; n++) await payWithdrawals();
  // USDC shows that it was paid, and the books do not accept it twice.
  expect(await findWithdrawal(id)).toMatchObject({ state: "approved", attempt: 1, waitsFor: "chain" });
  expect(await findRelayed([relayIdOf({ id, attempt: 2 })])).toEqual([]);
  // Nor is it returned to its owner.
  await expect(cancelWithdrawal(owner.accountId, id)).rejects.toThrow("was paid out already");
  await change(id, "state = 'final', ended_at = now(), confirmed_at = now(), waits_for = NULL");
});
