import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type AccountId, newRequestId, type RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { chargeDetails } from "@/lib/ledger/testing/books";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { commitsIdle } from "./commit-batch";
import type { SettleItem } from "./commit-items";
import { submitHold } from "./hold-batch";
import { submitSettlement } from "./settle-batch";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

/** Of the holds here. */
const ceilings = new Map<RequestId, NanoUsd>();

async function hold(account: AccountId, ceiling: number): Promise<RequestId> {
  const request = newRequestId();
  const { outcome } = await submitHold({ request, account, key: null, ceiling: nanoUsd(ceiling), idempotency: null, hash: null });
  expect(outcome).toBe("held");
  ceilings.set(request, nanoUsd(ceiling));
  return request;
}

const charge = (request: RequestId, account: AccountId, input: number, output: number): SettleItem => ({
  request,
  account,
  key: null,
  period: null,
  periodStart: null,
  ceiling: ceilings.get(request) ?? nanoUsd(input + output),
  inputCost: nanoUsd(input),
  outputCost: nanoUsd(output),
  charge: chargeDetails(input, output),
});
const release = (request: RequestId, account: AccountId): SettleItem => ({ ...charge(request, account, 0, 0), charge: null });

test("an answer is charged with what it cost, and the rest of its hold is free again", async () => {
  const account = await fundedAccount(100);
  const request = await hold(account, 50);
  expect(await submitSettlement(charge(request, account, 7, 13))).toEqual({ outcome: "settled", inputCost: 7n, outputCost: 13n });
  expect(await readBalance(account)).toEqual({ posted: 80n, held: 0n, available: 80n });
});

test("an answer that cost more than its hold is charged up to the hold, the input first; the operator bears the rest", async () => {
  const account = await fundedAccount(100);
  const request = await hold(account, 50);
  expect(await submitSettlement(charge(request, account, 40, 13))).toEqual({ outcome: "settled", inputCost: 40n, outputCost: 10n });
  expect((await readBalance(account)).posted).toBe(50n);
  const { rows } = await pool().query("SELECT operator_loss FROM charge WHERE request_id = $1", [request]);
  expect(rows).toEqual([{ operator_loss: 3n }]);
});

test("a hold that is released charges nothing and leaves no charge", async () => {
  const account = await fundedAccount(100);
  const request = await hold(account, 50);
  expect(await submitSettlement(release(request, account))).toEqual({ outcome: "released", inputCost: 0n, outputCost: 0n });
  expect(await readBalance(account)).toEqual({ posted: 100n, held: 0n, available: 100n });
  expect((await pool().query("SELECT 1 FROM charge WHERE request_id = $1", [request])).rowCount).toBe(0);
});

test("a settlement that is sent again, alone, beside itself or among others, is charged once and told the same costs", async () => {
  const account = await fundedAccount(100);
  const [request, ...others] = [await hold(account, 20), await hold(account, 20), await hold(account, 20)];
  const again = charge(request, account, 5, 6);
  await submitSettlement(again);
  const settled = await Promise.all(
    [again, again, ...others.map((other) => charge(other, account, 1, 1)), again].map((item) => submitSettlement(item)),
  );
  const already = { outcome: "already", inputCost: 5n, outputCost: 6n };
  const once = { outcome: "settled", inputCost: 1n, outputCost: 1n };
  expect(settled).toEqual([already, already, once, once, already]);
  expect((await readBalance(account)).posted).toBe(85n);
});

test("in a batch every bad item fails alone: a cost out of range, and a late one of nobody; the others are charged", async () => {
  const account = await fundedAccount(1_000);
  const requests = await Promise.all(Array.from({ length: 6 }, () => hold(account, 10)));
  const items = requests.map((request) => charge(request, account, 1, 2));
  const bad = [
    { ...charge(newRequestId(), account, 1, 1), inputCost: nanoUsd(2n ** 63n) },
    charge(newRequestId(), "acc_nobody" as AccountId, 1, 1),
    { ...charge(requests[5] ?? newRequestId(), account, 1, 1), inputCost: nanoUsd(2n ** 63n - 1n), outputCost: nanoUsd(1) },
  ];
  const submitted = [...items.slice(0, 2), ...bad, ...items.slice(2, 5)].map((item) =>
    submitSettlement(item)
      .then(({ outcome }) => outcome)
      .catch((error: { code: string }) => error.code),
  );
  expect(await Promise.all(submitted)).toEqual(["settled", "settled", "22003", "P0001", "22003", "settled", "settled", "settled"]);
  expect(await readBalance(account)).toEqual({ posted: 985n, held: 10n, available: 975n });
});

test("a settlement that waits too long for its wallet's lock is tried again until it is known, and holds up no other wallet", async () => {
  const [account, other] = [await fundedAccount(100), await fundedAccount(100)];
  const request = await hold(account, 50);
  const warn = vi.spyOn(log(), "warn");
  const blocker = await pool().connect();
  try {
    await blocker.query("BEGIN");
    await blocker.query("SELECT 1 FROM ledger_account WHERE id = $1 FOR UPDATE", [account]);
    const settled = submitSettlement(charge(request, account, 1, 1));
    await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(0);
    await hold(other, 50);
    await blocker.query("ROLLBACK");
    expect(await settled).toEqual({ outcome: "settled", inputCost: 1n, outputCost: 1n });
  } finally {
    warn.mockRestore();
    blocker.release();
  }
});

test("a connection that is cut under a settlement costs nothing but time: it is charged once", async () => {
  const account = await fundedAccount(10_000);
  const requests = await Promise.all(Array.from({ length: 200 }, () => hold(account, 20)));
  const settling = Promise.all(requests.map((request) => submitSettlement(charge(request, account, 3, 4))));
  const cut =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%_settle_%' AND pid <> pg_backend_pid()";
  for (let round = 0; round < 5; round++) await pool().query(cut);
  const settled = await settling;
  for (const { outcome, inputCost, outputCost } of settled) {
    expect(["settled", "already"]).toContain(outcome);
    expect([inputCost, outputCost]).toEqual([3n, 4n]);
  }
  await commitsIdle();
  expect(await readBalance(account)).toEqual({ posted: 8_600n, held: 0n, available: 8_600n });
});

test("after all of this the books close", expectBooksToClose);

test("a settlement that failed for the hold that came with it is tried without it, for as long as any other", async () => {
  const account = await fundedAccount(100);
  const [request, taken] = [await hold(account, 20), await hold(account, 20)];
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  let statements = 0;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [{ callback: (error: Error) => void }];
    // The first is refused by the database, since there is such a hold already; the second does not reach it.
    if (++statements !== 2) return query.apply(this, args);
    return statement.callback(new Error("the connection was cut"));
  });
  const next = { request: taken, account, key: null, ceiling: nanoUsd(1), idempotency: null, hash: null };
  expect(await submitSettlement(charge(request, account, 7, 13), next)).toEqual({ outcome: "settled", inputCost: 7n, outputCost: 13n });
  spy.mockRestore();
  expect(statements).toBeGreaterThan(2);
  await submitSettlement(release(taken, account));
  expect(await readBalance(account)).toEqual({ posted: 80n, held: 0n, available: 80n });
});
