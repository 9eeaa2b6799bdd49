import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nowMs } from "@/lib/base/clock";
import { pool } from "@/lib/db/pool";
import { rowsRead } from "@/lib/db/testing/rows-read";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import { commit, decideRequests, hotSettings, type LedgerRequest, placeHolds } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldRequest, SettleRequest } from "./testing/model-types";
import { chargeRequest, holdRequest, spendsOf } from "./testing/waiting";

// A batch in which every item fits is decided as sets, in one statement.

await openTestDatabase();
let client: PoolClient;

beforeAll(async () => {
  await openFunding();
  client = await pool().connect();
  await client.query(hotSettings);
});
afterAll(async () => {
  client.release();
  await closeRequestPath();
});

const cap = { nanoUsd: 100, period: "total" } as const;
const bySets = ["gateway_decide_batch"];

/** Two accounts of 100, one with a key that has a cap of 100 and one without; each with two holds of 10. */
async function openHolds() {
  const [capped, free] = [await fundedAccount(100), await fundedAccount(100)];
  const [cappedKey, freeKey] = [await openKey(capped, cap), await openKey(free)];
  const holds = [
    holdRequest(capped, cappedKey, 10),
    holdRequest(free, freeKey, 10),
    holdRequest(capped, cappedKey, 10),
    holdRequest(free, freeKey, 10),
  ];
  await placeHolds(client, holds, nowMs());
  return { capped, cappedKey, free, freeKey, charges: holds.map(chargeRequest) };
}

const outcomes = (results: { outcome: string }[]) => results.map(({ outcome }) => outcome);

test("a batch reads only the holds that it ends, even if it was planned while none was open", async () => {
  const free = await fundedAccount(10_000);
  const freeKey = await openKey(free);
  const openAndEnd = async (opened: number, ended: number) => {
    const holds = Array.from({ length: opened }, () => holdRequest(free, freeKey, 1));
    await placeHolds(client, holds, nowMs());
    const ends = holds.slice(0, ended).map((hold) => ({ settle: chargeRequest(hold) }));
    const before = await rowsRead(client, "hold");
    expect(outcomes(await commit(client, ends, nowMs()))).toEqual(Array(ended).fill("settled"));
    return (await rowsRead(client, "hold")) - before;
  };
  await client.query("VACUUM ANALYZE hold");
  await client.query("BEGIN");
  try {
    for (let round = 0; round < 8; round++) await openAndEnd(5, 5);
    expect(await openAndEnd(3_000, 5)).toBe(5);
  } finally {
    await client.query("ROLLBACK");
  }
});

test("charges, a release and holds of several accounts, with and without a cap, are decided together as sets", async () => {
  const { capped, cappedKey, free, freeKey, charges } = await openHolds();
  const [first, second, third] = charges as [SettleRequest, SettleRequest, SettleRequest];
  const asks: LedgerRequest[] = [
    { settle: first },
    { settle: { ...second, inputCost: 9n } },
    { settle: { ...third, charges: false } },
    { hold: holdRequest(free, freeKey, 5) },
    { hold: holdRequest(capped, cappedKey, 93) },
  ];
  const { results, called } = await decideRequests(client, asks, nowMs());
  expect(called).toEqual(bySets);
  expect(results).toEqual([
    { outcome: "settled", inputCost: 3n, outputCost: 4n },
    { outcome: "settled", inputCost: 9n, outputCost: 1n },
    { outcome: "released", inputCost: 0n, outputCost: 0n },
    { outcome: "held" },
    { outcome: "held" },
  ]);
  // The hold of 93 fits only after the charge and the release of the same batch have freed their holds.
  expect(await readBalance(capped)).toEqual({ posted: 93n, held: 93n, available: 0n });
  expect(await readBalance(free)).toEqual({ posted: 90n, held: 15n, available: 75n });
  expect(await spendsOf(cappedKey)).toEqual([{ period: "total", spent: 7n, held: 93n }]);
  const booked = "SELECT input_cost, output_cost, operator_loss, ceiling, late, period FROM charge WHERE account_id = $1";
  const overran = { input_cost: 9n, output_cost: 1n, operator_loss: 3n, ceiling: 10n, late: false, period: null };
  expect((await pool().query(booked, [free])).rows).toEqual([overran]);
  const counted = { input_cost: 3n, output_cost: 4n, operator_loss: 0n, ceiling: 10n, late: false, period: "total" };
  expect((await pool().query(booked, [capped])).rows).toEqual([counted]);
});

test("the same settlement twice in a batch is made once", async () => {
  const { capped, charges } = await openHolds();
  const [first] = charges as [SettleRequest];
  const results = await commit(client, [{ settle: first }, { settle: charges[1] as SettleRequest }, { settle: first }], nowMs());
  expect(outcomes(results)).toEqual(["settled", "settled", "already"]);
  expect(await readBalance(capped)).toEqual({ posted: 93n, held: 10n, available: 83n });
});

test("holds with idempotency keys are decided as sets too, and item by item if a key was used before", async () => {
  const { free, freeKey } = await openHolds();
  const claim = (name: string): LedgerRequest => ({ hold: { ...holdRequest(free, freeKey, 1), idempotency: name, hash: "00" } });
  const fresh = await decideRequests(client, [claim("a"), claim("b"), { hold: holdRequest(free, freeKey, 1) }], nowMs());
  expect([fresh.called, outcomes(fresh.results)]).toEqual([bySets, ["held", "held", "held"]]);
  const again = await decideRequests(client, [claim("c"), claim("a"), claim("d")], nowMs());
  expect(again.called).toEqual([...bySets, "gateway_decide_items"]);
  expect(outcomes(again.results)).toEqual(["held", "in_progress", "held"]);
  expect((await readBalance(free)).held).toBe(25n);
  const { rows } = await pool().query("SELECT idempotency_key FROM idempotent_reply WHERE account_id = $1 ORDER BY 1", [free]);
  expect(rows.map((row) => row.idempotency_key)).toEqual(["a", "b", "c", "d"]);
});

test("an idempotency key used twice in a batch goes to the first", async () => {
  const { free, freeKey } = await openHolds();
  const claim = (): HoldRequest => ({ ...holdRequest(free, freeKey, 1), idempotency: "twice", hash: "00" });
  expect(outcomes(await placeHolds(client, [claim(), claim(), holdRequest(free, freeKey, 1)], nowMs()))).toEqual([
    "held",
    "in_progress",
    "held",
  ]);
});

test("a batch of holds only books nothing, and waits for no roll-up", async () => {
  const { free, freeKey } = await openHolds();
  const rollUp = await pool().connect();
  try {
    await rollUp.query("BEGIN");
    await rollUp.query("SELECT pg_advisory_xact_lock(7305001)");
    const holds = Array.from({ length: 3 }, () => holdRequest(free, freeKey, 1));
    expect(outcomes(await placeHolds(client, holds, nowMs()))).toEqual(["held", "held", "held"]);
    expect(outcomes(await placeHolds(client, [holdRequest(free, freeKey, 1)], nowMs()))).toEqual(["held"]);
  } finally {
    await rollUp.query("ROLLBACK");
    rollUp.release();
  }
});

test("after all these tests the books close", expectBooksToClose);
