import { beforeAll, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { type AccountId, type KeyId, madeAtMs, newRequestId } from "@/lib/base/ids";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import type { ChargeDetails } from "@/lib/ledger/commit/codec";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { endHold, openHold, type TestHold } from "@/lib/ledger/testing/hold";
import { evmNetwork } from "@/lib/payments/claims/networks";
import { claimed, creditIn } from "@/lib/payments/testing/credited";
import { readReceipt } from "./receipts";

const { pool } = await openTestDatabase();
beforeAll(openFunding);

const at = new Date(Date.UTC(2026, 0, 31, 9));
const deadline = new Date(at.getTime() + 60_000);

const hold = (account: AccountId, key: KeyId | null) => openHold(account, 30n, { key, at, until: deadline });
const charge = (held: TestHold, input: number, output: number) => endHold(held, { input, output, at });

test("a running request shows its hold; a charged one shows how tokens and prices make up its cost", async () => {
  const account = await fundedAccount(100);
  const { keyId } = await createKey({ accountId: account, name: "ci" });
  const held = await hold(account, keyId);
  const requestId = held.request;
  const ofKey = { requestId, startedAt: new Date(madeAtMs(requestId)), key: "ci", isKeyRevoked: false };
  expect(await readReceipt(account, requestId)).toEqual({ ...ofKey, state: "in_progress", at, ceiling: 30n, deadline });
  await charge(held, 7, 12);
  expect(await readReceipt(account, requestId)).toMatchObject({
    ...ofKey,
    state: "charged",
    lines: [
      { kind: "input", tokens: 7, price: 1n, due: 7n },
      { kind: "output", tokens: 12, price: 1n, due: 12n },
    ],
    due: 19n,
    cost: 19n,
    borne: 0n,
    provider: "provider",
    paidBy: "balance",
  });
});

test("an answer that exceeded its hold: the operator's share is shown separately from what was paid", async () => {
  const account = await fundedAccount(100);
  const held = await hold(account, null);
  const requestId = held.request;
  await charge(held, 20, 25);
  expect(await readReceipt(account, requestId)).toMatchObject({
    key: "Playground",
    due: 45n,
    cost: 30n,
    borne: 15n,
    inputCost: 20n,
    outputCost: 10n,
  });
});

test("a stream whose client left was cut where we counted it, and read on where its provider did", async () => {
  const account = await fundedAccount(100);
  const leftWith = async (details: Partial<ChargeDetails>) => {
    const held = await hold(account, null);
    await endHold(held, { input: 1, output: 1, at, details });
    return readReceipt(account, held.request);
  };
  expect(await leftWith({ outcome: "cancelled", estimated: true })).toMatchObject({ whenLeft: "cut" });
  expect(await leftWith({ outcome: "cancelled", estimated: false })).toMatchObject({ whenLeft: "drained" });
  expect(await leftWith({ outcome: "partial", estimated: true })).toMatchObject({ whenLeft: null });
});

test("a request paid by an unlinked wallet belongs to the key's account, and shows the payer", async () => {
  const account = await fundedAccount(0);
  const { keyId } = await createKey({ accountId: account, name: "agent" });
  const payer = newAddress();
  const payment = await claimed({ chain: "evm", payer, amount: 5_000n, accountId: account });
  const credit = await creditIn(7, payment, "0xabc");
  const held = await hold(credit, null);
  const requestId = held.request;
  await pool.query("SELECT payments_record_request($1, $2)", [payment, requestId]);
  await pool.query("UPDATE payment_claim SET key_id = $2 WHERE id = $1", [payment, keyId]);
  await charge(held, 7, 12);
  const paid = { network: evmNetwork(), payer, amount: 5_000n, transaction: "0xabc" };
  expect(await readReceipt(account, requestId)).toMatchObject({ key: "agent", cost: 19n, payment: paid });
  expect(await readReceipt(await fundedAccount(0), requestId)).toBeNull();
});

test("a foreign, unknown or malformed id has no receipt, without distinction", async () => {
  const [owner, other] = [await fundedAccount(100), await fundedAccount(100)];
  const held = await hold(owner, null);
  const requestId = held.request;
  expect(await readReceipt(other, requestId)).toBeNull();
  await charge(held, 1, 1);
  expect(await readReceipt(other, requestId)).toBeNull();
  for (const id of [
    newRequestId(),
    "",
    "req_1",
    "' OR true --",
    `${requestId}0`,
    "é".repeat(10_000),
    null,
    7,
    { toString: () => requestId },
  ]) {
    expect(await readReceipt(owner, id)).toBeNull();
  }
});
