import { beforeAll, expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { type AccountId, type KeyId, newRequestId, type RequestId } from "@/lib/base/ids";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { chargeDetails } from "@/lib/ledger/testing/books";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { evmNetwork } from "@/lib/payments/networks";
import { claimed, creditIn } from "@/lib/payments/testing/credited";
import { readReceipt } from "./receipts";

const { pool } = await openTestDatabase();
beforeAll(openFunding);

const at = new Date(Date.UTC(2026, 0, 31, 9));
const deadline = new Date(at.getTime() + 60_000);

async function hold(accountId: AccountId, keyId: KeyId | null): Promise<RequestId> {
  const requestId = newRequestId();
  const values = [requestId, accountId, keyId, at, deadline];
  await pool.query("SELECT * FROM ledger_place_hold($1, $2, $3, 30, NULL, NULL, NULL, $4, $5)", values);
  return requestId;
}

async function settle(account: AccountId, request: RequestId, key: KeyId | null, inputTokens: number, outputTokens: number): Promise<void> {
  const item = { ord: 0, request, account, key, inputCost: inputTokens, outputCost: outputTokens, charged: true };
  const items = JSON.stringify([{ ...item, ...chargeDetails(inputTokens, outputTokens) }]);
  await pool.query("SELECT * FROM ledger_settle_holds($1, $2, $3, $4)", [items, [request], [account], at]);
}

test("under way it says what is held; charged, how tokens and prices come to its cost", async () => {
  const account = await fundedAccount(100);
  const { keyId } = await createKey({ accountId: account, name: "ci" });
  const requestId = await hold(account, keyId);
  const ofKey = { requestId, key: "ci", isKeyRevoked: false };
  expect(await readReceipt(account, requestId)).toEqual({ ...ofKey, state: "in_progress", at, ceiling: 30n, deadline });
  await settle(account, requestId, keyId, 7, 12);
  expect(await readReceipt(account, requestId)).toMatchObject({
    ...ofKey,
    state: "charged",
    lines: [
      { side: "input", tokens: 7, price: 1n, due: 7n },
      { side: "output", tokens: 12, price: 1n, due: 12n },
    ],
    due: 19n,
    cost: 19n,
    borne: 0n,
    provider: "provider",
    paidBy: "balance",
  });
});

test("an answer that ran over its hold: what the operator bears stands apart from what was paid", async () => {
  const account = await fundedAccount(100);
  const requestId = await hold(account, null);
  await settle(account, requestId, null, 20, 25);
  expect(await readReceipt(account, requestId)).toMatchObject({
    key: "Playground",
    due: 45n,
    cost: 30n,
    borne: 15n,
    inputCost: 20n,
    outputCost: 10n,
  });
});

test("a request that a stranger's wallet paid for is of the account whose key carried it, and says who paid", async () => {
  const account = await fundedAccount(0);
  const { keyId } = await createKey({ accountId: account, name: "agent" });
  const payer = newAddress();
  const payment = await claimed({ chain: "evm", payer, amount: 5_000n, accountId: account });
  const credit = await creditIn(7, payment, "0xabc");
  const requestId = await hold(credit, null);
  await pool.query("SELECT payments_note_request($1, $2)", [payment, requestId]);
  await pool.query("UPDATE payment_claim SET key_id = $2 WHERE id = $1", [payment, keyId]);
  await settle(credit, requestId, null, 7, 12);
  const paid = { network: evmNetwork(), payer, amount: 5_000n, transaction: "0xabc" };
  expect(await readReceipt(account, requestId)).toMatchObject({ key: "agent", cost: 19n, payment: paid });
  expect(await readReceipt(await fundedAccount(0), requestId)).toBeNull();
});

test("a foreign, unknown or malformed id has no receipt, all alike", async () => {
  const [owner, other] = [await fundedAccount(100), await fundedAccount(100)];
  const requestId = await hold(owner, null);
  expect(await readReceipt(other, requestId)).toBeNull();
  await settle(owner, requestId, null, 1, 1);
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
