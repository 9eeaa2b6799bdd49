// A receipt is found by its account alone, in every state that a request can have.

import { beforeAll, expect, test } from "vitest";
import { type AccountId, newRequestId, type RequestId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findReceipt } from "./receipt";
import { chargeDetails, unitPrice } from "./testing/books";
import { fundedAccount, openFunding } from "./testing/fund";

await openTestDatabase();
beforeAll(openFunding);

const at = new Date(Date.UTC(2026, 0, 31, 9));
const deadline = new Date(at.getTime() + 60_000);

async function hold(accountId: AccountId): Promise<RequestId> {
  const requestId = newRequestId();
  const values = [requestId, accountId, at, deadline];
  await pool().query("SELECT * FROM ledger_place_hold($1, $2, 'key', 30, NULL, NULL, NULL, $3, $4)", values);
  return requestId;
}

/** Ends the hold with a charge, or without one. */
async function settle(account: AccountId, request: RequestId, charged: boolean): Promise<void> {
  const details = { ...chargeDetails(7, 12), cachedInputTokens: 3, reasoningTokens: 5, firstTokenMs: 450, providerMs: 900 };
  const item = { ord: 0, request, account, key: "key", inputCost: 7, outputCost: 12, charged, ...(charged && details) };
  await pool().query("SELECT * FROM ledger_settle_holds($1, $2, $3, $4)", [JSON.stringify([item]), [request], [account], at]);
}

test("under way it says what is held, and once it is charged what it cost and at which price", async () => {
  const account = await fundedAccount(100);
  const requestId = await hold(account);
  expect(await findReceipt(account, requestId)).toEqual({ state: "in_progress", at, keyId: "key", ceiling: 30n, deadline });
  await settle(account, requestId, true);
  expect(await findReceipt(account, requestId)).toEqual({
    ...chargeDetails(7, 12),
    state: "charged",
    at,
    keyId: "key",
    cachedInputTokens: 3,
    reasoningTokens: 5,
    inputCost: 7n,
    outputCost: 12n,
    priceVersion: unitPrice,
    inputPrice: 1n,
    outputPrice: 1n,
    firstTokenMs: 450,
    providerMs: 900,
  });
});

test("a request that was released has none", async () => {
  const account = await fundedAccount(100);
  const requestId = await hold(account);
  await settle(account, requestId, false);
  expect(await findReceipt(account, requestId)).toBeNull();
});

test("nobody finds another account's, under way or charged", async () => {
  const [owner, other] = [await fundedAccount(100), await fundedAccount(100)];
  const requestId = await hold(owner);
  expect(await findReceipt(other, requestId)).toBeNull();
  await settle(owner, requestId, true);
  expect(await findReceipt(other, requestId)).toBeNull();
});

test("an id of any other form names no request", async () => {
  const account = await fundedAccount(0);
  for (const text of ["", "req_", "req_0", "'; DROP TABLE hold; --", "é".repeat(10_000), "%", "REQ_00000000000000000000"]) {
    expect(await findReceipt(account, text)).toBeNull();
  }
});
