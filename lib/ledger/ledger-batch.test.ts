import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { nowMs } from "@/lib/base/clock";
import { pool } from "@/lib/db/pool";
import { rowsRead } from "@/lib/db/testing/rows-read";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import { type Ask, commit, hotSettings, placeHolds } from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldAsk, HoldResult, SettleAsk, SettleResult } from "./testing/model-types";
import { chargeAsk, holdAsk, spendsOf } from "./testing/waiting";

// A batch whose every item fits goes the straight way; one item that does not sends all of it the long one, and what the straight way
// had written by then is gone.

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

/** Two accounts of 100, one with a key that has a cap of 100 and one without; each with two holds of 10. */
async function openHolds() {
  const [capped, free] = [await fundedAccount(100), await fundedAccount(100)];
  const [cappedKey, freeKey] = [await openKey(capped, cap), await openKey(free)];
  const holds = [holdAsk(capped, cappedKey, 10), holdAsk(free, freeKey, 10), holdAsk(capped, cappedKey, 10), holdAsk(free, freeKey, 10)];
  const placed = await placeHolds(client, holds, nowMs());
  return { capped, cappedKey, free, freeKey, charges: holds.map((hold, place) => chargeAsk(hold, placed[place])) };
}

type Result = SettleResult | HoldResult;

/** Only the long way tells what was available to a hold that it placed. */
const wentStraight = (results: Result[]) =>
  results.every((result) => ("available" in result ? result.outcome === "held" && result.available === null : result.outcome !== "late"));

const outcomes = (results: Result[]) => results.map(({ outcome }) => outcome);

test("a batch reads the holds that it ends and no other, also when it was planned while none was open", async () => {
  const free = await fundedAccount(10_000);
  const freeKey = await openKey(free);
  const openAndEnd = async (opened: number, ended: number) => {
    const holds = Array.from({ length: opened }, () => holdAsk(free, freeKey, 1));
    const placed = await placeHolds(client, holds, nowMs());
    const ends = holds.slice(0, ended).map((hold, place) => ({ settle: chargeAsk(hold, placed[place]) }));
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

test("charges, a release and holds of several accounts, with a cap and without, go the straight way together", async () => {
  const { capped, cappedKey, free, freeKey, charges } = await openHolds();
  const [first, second, third] = charges as [SettleAsk, SettleAsk, SettleAsk];
  const results = await commit(
    client,
    [
      { settle: first },
      { settle: { ...second, inputCost: 9n } },
      { settle: { ...third, charges: false } },
      { hold: holdAsk(free, freeKey, 5) },
      { hold: holdAsk(capped, cappedKey, 93) },
    ],
    nowMs(),
  );
  expect(wentStraight(results)).toBe(true);
  expect(results).toEqual([
    { outcome: "settled", inputCost: 3n, outputCost: 4n },
    { outcome: "settled", inputCost: 9n, outputCost: 1n },
    { outcome: "released", inputCost: null, outputCost: null },
    expect.objectContaining({ outcome: "held", period: null, periodStart: null }),
    expect.objectContaining({ outcome: "held", period: "total" }),
  ]);
  // The hold of 93 fits only when the charge and the release beside it have freed theirs.
  expect(await readBalance(capped)).toEqual({ posted: 93n, held: 93n, available: 0n });
  expect(await readBalance(free)).toEqual({ posted: 90n, held: 15n, available: 75n });
  expect(await spendsOf(cappedKey)).toEqual([{ period: "total", spent: 7n, held: 93n }]);
  const { rows } = await pool().query("SELECT input_cost, output_cost, operator_loss FROM charge WHERE account_id = $1", [free]);
  expect(rows).toEqual([{ input_cost: 9n, output_cost: 1n, operator_loss: 3n }]);
});

type World = Awaited<ReturnType<typeof openHolds>>;

const countCharges = async () =>
  (await pool().query('SELECT count(*) AS charges, (SELECT last_value FROM charge_seq_seq) AS "lastSeq" FROM charge')).rows[0] as {
    charges: bigint;
    lastSeq: bigint;
  };

const strange: [string, (world: World) => Promise<Ask> | Ask, string][] = [
  ["a hold that does not fit", ({ free, freeKey }) => ({ hold: holdAsk(free, freeKey, 88) }), "insufficient"],
  ["a hold beyond its key's cap", ({ capped, cappedKey }) => ({ hold: holdAsk(capped, cappedKey, 85) }), "cap_reached"],
  [
    "a hold of a key that is paused",
    async ({ free }) => {
      const paused = await openKey(free);
      await setKeyState(free, paused, "paused");
      return { hold: holdAsk(free, paused, 1) };
    },
    "key_unusable",
  ],
  ["a hold of nobody", ({ freeKey }) => ({ hold: { ...holdAsk("acc_nobody" as never, freeKey, 0), key: null } }), "insufficient"],
  ["the first hold of a capped key", async ({ free }) => ({ hold: holdAsk(free, await openKey(free, cap), 1) }), "held"],
  ["a settlement of a hold that is gone", ({ charges }) => ({ settle: { ...(charges[1] as SettleAsk), request: "req_gone" } }), "late"],
  [
    "a settlement of another ceiling than the hold's",
    ({ charges }) => ({ settle: { ...(charges[1] as SettleAsk), ceiling: 9n } }),
    "settled",
  ],
  [
    "a settlement that was made before",
    async ({ charges }) => {
      await commit(client, [{ settle: charges[1] as SettleAsk }], nowMs());
      return { settle: charges[1] as SettleAsk };
    },
    "already",
  ],
];

test.each(strange)("%s sends the batch the long way, which decides the others as well", async (_what, make, outcome) => {
  const world = await openHolds();
  const { capped, cappedKey, free, freeKey, charges } = world;
  const beside: Ask[] = [{ settle: charges[0] as SettleAsk }, { hold: holdAsk(capped, cappedKey, 2) }, { hold: holdAsk(free, freeKey, 2) }];
  const odd = await make(world);
  const asks = "settle" in odd ? [odd, ...beside] : [...beside, odd];
  const before = await countCharges();
  const results = await commit(client, asks, nowMs());
  const after = await countCharges();
  // Each charge takes a sequence number: none was inserted and taken back.
  expect(after.lastSeq - before.lastSeq).toBe(after.charges - before.charges);
  expect(outcomes(results)).toEqual("settle" in odd ? [outcome, "settled", "held", "held"] : ["settled", "held", "held", outcome]);
  expect(wentStraight(results)).toBe(false);
  expect((await readBalance(capped)).held).toBe(12n);
});

test("the same settlement twice in a batch is made once", async () => {
  const { capped, charges } = await openHolds();
  const [first] = charges as [SettleAsk];
  const results = await commit(client, [{ settle: first }, { settle: charges[1] as SettleAsk }, { settle: first }], nowMs());
  expect(outcomes(results)).toEqual(["settled", "settled", "already"]);
  expect(await readBalance(capped)).toEqual({ posted: 93n, held: 10n, available: 83n });
});

test("holds with idempotency keys go the straight way too, and the long one when a key was used before", async () => {
  const { free, freeKey } = await openHolds();
  const claim = (name: string): HoldAsk => ({ ...holdAsk(free, freeKey, 1), idempotency: name, hash: "00" });
  const place = (asks: HoldAsk[]) => placeHolds(client, asks, nowMs());
  expect(wentStraight(await place([claim("a"), claim("b"), holdAsk(free, freeKey, 1)]))).toBe(true);
  expect(outcomes(await place([claim("c"), claim("a"), claim("d")]))).toEqual(["held", "in_progress", "held"]);
  expect((await readBalance(free)).held).toBe(25n);
  const { rows } = await pool().query("SELECT idempotency_key FROM idempotent_reply WHERE account_id = $1 ORDER BY 1", [free]);
  expect(rows.map((row) => row.idempotency_key)).toEqual(["a", "b", "c", "d"]);
});

test("holds alone book nothing, and wait for no roll-up", async () => {
  const { free, freeKey } = await openHolds();
  const rollUp = await pool().connect();
  try {
    await rollUp.query("BEGIN");
    await rollUp.query("SELECT pg_advisory_xact_lock(7305001)");
    const holds = Array.from({ length: 3 }, () => holdAsk(free, freeKey, 1));
    expect(outcomes(await placeHolds(client, holds, nowMs()))).toEqual(["held", "held", "held"]);
  } finally {
    await rollUp.query("ROLLBACK");
    rollUp.release();
  }
});

test("after all of this the books close", expectBooksToClose);
