// A receipt is found only by its own account, in every state that a request can have.

import { beforeAll, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { fillPrices } from "@/lib/providers/prices";
import { findReceipt } from "./receipt";
import { chargeDetails, unitPrice } from "./testing/books";
import { fundedAccount, openFunding } from "./testing/fund";
import { endHold, openHold, type TestHold } from "./testing/hold";

await openTestDatabase();
beforeAll(openFunding);

const at = new Date(Date.UTC(2026, 0, 31, 9));
const deadline = new Date(at.getTime() + 60_000);

const hold = (account: AccountId) => openHold(account, 30n, { key: "key", at, until: deadline });

const details = { cachedInputTokens: 3, reasoningTokens: 5, firstTokenMs: 450, providerMs: 900 };
const charge = (held: TestHold) => endHold(held, { input: 7, output: 12, details, at });

test("under way it shows what is held; once charged, the cost and the prices", async () => {
  const account = await fundedAccount(100);
  const held = await hold(account);
  const requestId = held.request;
  expect(await findReceipt(account, requestId)).toEqual({ state: "in_progress", at, keyId: "key", ceiling: 30n, deadline });
  await charge(held);
  // The provider's id of the answer, and what it probably bills, are between the operator and the provider.
  const { providerRequestId: _, unbilled: __, usage, tag: ___, endUser: ____, ...details } = chargeDetails(7, 12);
  expect(await findReceipt(account, requestId)).toEqual({
    ...details,
    ...usage,
    state: "charged",
    at,
    keyId: "key",
    cachedInputTokens: 3,
    reasoningTokens: 5,
    inputCost: 7n,
    outputCost: 12n,
    priceVersion: unitPrice,
    prices: fillPrices({ input: nanoUsd(1), output: nanoUsd(1) }),
    firstTokenMs: 450,
    providerMs: 900,
  });
});

test("a released request has no receipt", async () => {
  const account = await fundedAccount(100);
  const held = await hold(account);
  const requestId = held.request;
  await endHold(held, null);
  expect(await findReceipt(account, requestId)).toBeNull();
});

test("another account's receipt is not found, under way or charged", async () => {
  const [owner, other] = [await fundedAccount(100), await fundedAccount(100)];
  const held = await hold(owner);
  const requestId = held.request;
  expect(await findReceipt(other, requestId)).toBeNull();
  await charge(held);
  expect(await findReceipt(other, requestId)).toBeNull();
});

test("an id of any other form finds no request", async () => {
  const account = await fundedAccount(0);
  for (const text of ["", "req_", "req_0", "'; DROP TABLE hold; --", "é".repeat(10_000), "%", "REQ_00000000000000000000"]) {
    expect(await findReceipt(account, text)).toBeNull();
  }
});
