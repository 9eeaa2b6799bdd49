import { expect, test } from "vitest";
import { newRequestId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import { chargeDetails, unitPrice } from "./testing/books";
import { expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";

// While a release is rolled out, processes of the one before run beside it on the same database, and ask for functions that
// this one no longer does.

await openTestDatabase();

test("a lone request of the release before is held and charged, or told why not", async () => {
  await openFunding();
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 50, period: "day" });
  const hold = (request: string, ceiling: number) =>
    pool().query("SELECT outcome, available, spent, key_state, cap, period FROM gateway_place_lone_hold($1, $2, $3, $4, $5, $6)", [
      request,
      account,
      key,
      ceiling,
      new Date(),
      new Date(Date.now() + 60_000),
    ]);
  const charge = async (request: string) => {
    const { rows } = await pool().query(
      `SELECT outcome, input_cost, output_cost FROM gateway_settle_lone_hold(
         ROW(1, $1, $2, $3, NULL, NULL, 3, 4, true, 'model', 'provider', $4, 3, 4, 0, 0, 'complete', false, false, 'balance', NULL, 1)::ledger_settlement, $5)`,
      [request, account, key, unitPrice, new Date()],
    );
    return rows;
  };
  const request = newRequestId();
  expect((await hold(request, 20)).rows).toMatchObject([{ outcome: "held", available: 80n, key_state: "active", cap: 50n, period: "day" }]);
  expect((await hold(newRequestId(), 31)).rows).toMatchObject([{ outcome: "cap_reached", spent: 20n }]);
  expect(await charge(request)).toEqual([{ outcome: "settled", input_cost: 3n, output_cost: 4n }]);
  expect(await charge(request)).toEqual([{ outcome: "already", input_cost: 3n, output_cost: 4n }]);
  expect(await readBalance(account)).toEqual({ posted: 93n, held: 0n, available: 93n });
  expect((await pool().query("SELECT spent, held FROM key_spend WHERE key_id = $1", [key])).rows).toEqual([{ spent: 7n, held: 0n }]);
});

test("a batch of the release before is decided in order, what ends before what begins", async () => {
  const account = await fundedAccount(100);
  const key = await openKey(account, { nanoUsd: 200, period: "total" });
  const [first, second, third] = [newRequestId(), newRequestId(), newRequestId()];
  const [at, until] = [new Date(), new Date(Date.now() + 60_000)];
  const holds = (requests: string[], ceilings: number[]) => [
    requests,
    requests.map(() => account),
    requests.map(() => key),
    ceilings,
    null,
    null,
  ];
  const { rows: held } = await pool().query("SELECT outcome FROM gateway_place_holds($1, $2, $3, $4, $5, $6, $7, $8) ORDER BY ord", [
    ...holds([first, second, third], [40, 30, 30]),
    at,
    until,
  ]);
  expect(held.map(({ outcome }) => outcome)).toEqual(["held", "held", "held"]);
  const item = (request: string, ord: number) => ({
    ...{ ord, request, account, key, period: null, periodStart: null, inputCost: "3", outputCost: "4", charged: true },
    ...chargeDetails(3, 4),
  });
  const ends = (requests: string[]) => [JSON.stringify(requests.map(item)), requests, requests.map(() => account), null];
  const { rows } = await pool().query(
    "SELECT outcome, input_cost, available FROM gateway_commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ORDER BY place",
    [...ends([first, second]), ...holds([newRequestId(), newRequestId()], [56, 1]), at, until],
  );
  const settled = { outcome: "settled", input_cost: 3n, available: null };
  expect(rows).toEqual([
    settled,
    settled,
    { outcome: "held", input_cost: null, available: 0n },
    { outcome: "insufficient", input_cost: null, available: 0n },
  ]);
  const { rows: last } = await pool().query("SELECT outcome FROM gateway_settle_holds($1, $2, $3, $4, $5)", [...ends([third]), at]);
  expect(last).toEqual([{ outcome: "settled" }]);
  expect(await readBalance(account)).toEqual({ posted: 79n, held: 56n, available: 23n });
});

test("after all of this the books close", expectBooksToClose);
