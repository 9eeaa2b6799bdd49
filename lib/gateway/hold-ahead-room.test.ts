// What a hold ahead has above its request's own ceiling, and how long it waits: neither stands in anybody's way.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { openFunding, openKey } from "@/lib/ledger/testing/fund";
import { releaseHoldsAhead } from "./hold-ahead";
import { checkPayment } from "./pay/payment-hold";
import { ask, askInARow, begin, callerOf, chargesOf, heldOf, holdsOf, openCustomer, quoteOf } from "./testing/asking";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

/** Monotonic milliseconds. */
let ms = 1_000_000;
beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => ms);
});
afterEach(async () => {
  vi.restoreAllMocks();
  ms += 60_000;
  await releaseHoldsAhead();
  await expectBooksToClose();
});

test("the last money: another key is served by the room of a hold ahead whose request is still being answered", async () => {
  // 126 are left beside what was charged; 125 of them lie ahead, of which the next request may cost 90.
  const customer = await openCustomer(130);
  const other = { accountId: customer.accountId, keyId: await openKey(customer.accountId) };
  await askInARow(customer);
  const underWay = await begin(customer, { ceiling: 90 });
  expect(await heldOf(customer)).toBe(125n);
  expect(await ask(other, { ceiling: 36, cost: 36 })).toMatchObject({ charged: 36n });
  await expect(ask(other, { ceiling: 1 })).rejects.toThrow("Insufficient balance");
  expect(await underWay.charge(95)).toMatchObject({ outputCost: 90n });
  expect((await chargesOf(customer)).at(-1)).toEqual({ id: underWay.id, cost: 90n, loss: 5n });
  expect(await readBalance(customer.accountId)).toEqual({ posted: 0n, held: 0n, available: 0n });
});

test("the last of a cap: a second request of the key is served by the room of the first", async () => {
  const customer = await openCustomer(1_000, { nanoUsd: 130, period: "total" });
  await askInARow(customer);
  const first = await begin(customer, { ceiling: 90 });
  const second = await begin(customer, { ceiling: 36 });
  await expect(begin(customer, { ceiling: 1 })).rejects.toThrow("may spend");
  await Promise.all([first.charge(3), second.charge(4)]);
  await releaseHoldsAhead();
  expect(await readBalance(customer.accountId)).toEqual({ posted: 989n, held: 0n, available: 989n });
});

test("whoever asks what is held is told the ceiling of the request, and it is released or charged as ever", async () => {
  const customer = await openCustomer(1_000);
  for (const end of ["charge", "release"] as const) {
    await askInARow(customer);
    const underWay = await begin(customer, { ceiling: 90 });
    expect(await releaseHoldsAhead(customer.accountId)).toBe(true);
    expect(await heldOf(customer)).toBe(90n);
    await (end === "charge" ? underWay.charge(10) : underWay.release());
    await releaseHoldsAhead(customer.accountId);
    expect(await heldOf(customer)).toBe(0n);
  }
});

test("a settlement that begins while the room is being given back frees all of its hold", async () => {
  const customer = await openCustomer(1_000);
  await askInARow(customer);
  const underWay = await begin(customer, { ceiling: 90 });
  const given = releaseHoldsAhead(customer.accountId);
  expect(await underWay.charge(95)).toMatchObject({ outputCost: 90n });
  await given;
  await releaseHoldsAhead(customer.accountId);
  expect(await readBalance(customer.accountId)).toEqual({ posted: 906n, held: 0n, available: 906n });
});

test("it waits 0.9 s from when it was asked for, whatever its key was charged meanwhile", async () => {
  const customer = await openCustomer(1_000);
  for (const _ of [1, 2, 3]) await ask(customer);
  const [first, second] = [await begin(customer), await begin(customer)];
  const charged = first.charge(1);
  ms += 800;
  await Promise.all([charged, second.charge(1)]);
  const [ahead] = await holdsOf(customer);
  ms += 100;
  const late = await begin(customer);
  expect(late.id).not.toBe(ahead?.id);
  await late.release();
});

test("a payment of a key with a cap may be taken although a hold of the key lies ahead", async () => {
  const customer = await openCustomer(1_000, { nanoUsd: 130, period: "total" });
  const payer = "0x00000000000000000000000000000000000000ab";
  await pool().query("INSERT INTO identity (account_id, chain, address, linked_at, is_first) VALUES ($1, 'evm', $2, now(), true)", [
    customer.accountId,
    payer,
  ]);
  await askInARow(customer);
  expect(await checkPayment(callerOf(customer), payer, quoteOf(100))).toEqual({ outcome: "payable" });
  await (await begin(customer, { ceiling: 30 })).charge(1);
  expect(await checkPayment(callerOf(customer), payer, quoteOf(126))).toMatchObject({ outcome: "cap_reached", spent: 5n });
});
