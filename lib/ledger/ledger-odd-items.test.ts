import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setKeyState } from "@/lib/access/keys";
import { nowMs } from "@/lib/base/clock";
import { type AccountId, type KeyId, newRequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit as productCommit } from "@/lib/gateway/prompt/commit";
import { openLossAccount, readBalance } from "./accounts";
import { Failure } from "./commit/batcher";
import type { Item } from "./commit/commit";
import {
  chargeDetails,
  commit,
  decideItems,
  decideRequests,
  holdOf,
  hotSettings,
  type LedgerRequest,
  placeHolds,
  settlementOf,
} from "./testing/books";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { credit, fundedAccount, openFunding, openKey } from "./testing/fund";
import type { HoldRequest, SettleRequest } from "./testing/model-types";
import { chargeRequest, holdRequest, spendsOf } from "./testing/waiting";

// An item of a batch that is refused, or that sets cannot decide, affects only its own account: that account's items are decided one by
// one, all others as sets, and nothing is left of the first attempt.

await openTestDatabase();
let client: PoolClient;

beforeAll(async () => {
  await openFunding();
  await openLossAccount("losses");
  client = await pool().connect();
  await client.query(hotSettings);
});
afterAll(async () => {
  client.release();
  await closeRequestPath();
});

const cap = { nanoUsd: 100, period: "total" } as const;
const onceMore = ["gateway_decide_batch", "gateway_decide_batch", "gateway_decide_items"];

interface Holder {
  account: AccountId;
  key: KeyId;
  charges: [SettleRequest, SettleRequest];
}

/** An account of 100, with a key that has a cap of 100 and two holds of 10. */
async function openHolder(): Promise<Holder> {
  const account = await fundedAccount(100);
  const key = await openKey(account, cap);
  const holds = [holdRequest(account, key, 10), holdRequest(account, key, 10)] as const;
  await placeHolds(client, holds, nowMs());
  return { account, key, charges: [chargeRequest(holds[0]), chargeRequest(holds[1])] };
}

const outcomes = (results: { outcome: string }[]) => results.map(({ outcome }) => outcome);

const countCharges = async () =>
  (await pool().query('SELECT count(*) AS charges, (SELECT last_value - 1 + is_called::int FROM charge_seq_seq) AS "lastSeq" FROM charge'))
    .rows[0] as {
    charges: bigint;
    lastSeq: bigint;
  };

async function pausedHold({ account }: Holder): Promise<LedgerRequest> {
  const key = await openKey(account);
  await setKeyState(account, key, "paused");
  return { hold: holdRequest(account, key, 1) };
}

async function takenKeyHold({ account, key }: Holder): Promise<LedgerRequest> {
  const claim = (): HoldRequest => ({ ...holdRequest(account, key, 1), idempotency: "taken", hash: "00" });
  await placeHolds(client, [claim()], nowMs());
  return { hold: claim() };
}

async function settledBefore({ charges }: Holder): Promise<LedgerRequest> {
  await commit(client, [{ settle: charges[1] }], nowMs());
  return { settle: charges[1] };
}

async function holdOfDebtor({ account, key }: Holder): Promise<LedgerRequest> {
  await pool().query("SELECT ledger_take_back($1, $2, 'test_funding', 'losses', 100, now())", [`back of ${account}`, account]);
  return { hold: holdRequest(account, key, 0) };
}

async function settlementOfDebtor(holder: Holder): Promise<LedgerRequest> {
  await holdOfDebtor(holder);
  return { settle: holder.charges[1] };
}

const odd: [string, (holder: Holder) => Promise<LedgerRequest> | LedgerRequest, string][] = [
  ["a hold that does not fit", ({ account, key }) => ({ hold: holdRequest(account, key, 88) }), "insufficient"],
  [
    "a hold beyond its key's cap",
    async ({ account, key }) => {
      await credit(account, 100, `more for ${account}`);
      return { hold: holdRequest(account, key, 88) };
    },
    "cap_reached",
  ],
  ["a hold of a key that is paused", pausedHold, "key_unusable"],
  ["a hold whose idempotency key is taken", takenKeyHold, "in_progress"],
  [
    "the first hold of a capped key's period",
    async ({ account }) => ({ hold: holdRequest(account, await openKey(account, cap), 1) }),
    "held",
  ],
  ["a settlement whose hold is gone", ({ charges }) => ({ settle: { ...charges[1], request: newRequestId() } }), "late"],
  ["a settlement that was made before", settledBefore, "already"],
  ["an answer that was lost", ({ charges }) => ({ settle: { ...charges[1], isLost: true } }), "settled"],
  ["a hold of an account with a debt", holdOfDebtor, "insufficient"],
  ["a settlement of an account with a debt", settlementOfDebtor, "settled"],
];

/** One item alone is decided by its own function. */
const calledFor = (ask: LedgerRequest) => ("settle" in ask ? "gateway_settle_hold" : "gateway_place_hold");

describe.each(odd)("%s", (_what, make, outcome) => {
  test("has the items of its account decided one by one, and no other account's", async () => {
    const [holder, other, third] = [await openHolder(), await openHolder(), await openHolder()];
    const one = await make(holder);
    const beside: LedgerRequest[] = [
      { settle: other.charges[0] },
      { settle: { ...third.charges[0], charges: false } },
      { hold: holdRequest(other.account, other.key, 2) },
      { hold: holdRequest(third.account, third.key, 3) },
    ];
    const before = await countCharges();
    const asks = "settle" in one ? [one, ...beside] : [...beside, one];
    const { results, called } = await decideRequests(client, asks, nowMs());
    const after = await countCharges();
    const others = ["settled", "released", "held", "held"];
    expect(outcomes(results)).toEqual("settle" in one ? [outcome, ...others] : [...others, outcome]);
    expect(called).toEqual(onceMore.with(2, calledFor(one)));
    // Every insert takes a sequence number: none was inserted and rolled back.
    expect(after.lastSeq - before.lastSeq).toBe(after.charges - before.charges);
    expect(await readBalance(other.account)).toEqual({ posted: 93n, held: 12n, available: 81n });
    expect(await readBalance(third.account)).toEqual({ posted: 100n, held: 13n, available: 87n });
    expect(await spendsOf(other.key)).toEqual([{ period: "total", spent: 7n, held: 12n }]);
  });

  test("leaves its account's items as if they were decided one after the other", async () => {
    const [together, apart, other] = [await openHolder(), await openHolder(), await openHolder()];
    const decideAll = async (holder: Holder, each: (asks: LedgerRequest[]) => Promise<string[]>) => {
      const one = await make(holder);
      const own: LedgerRequest[] = [{ settle: holder.charges[0] }, { hold: holdRequest(holder.account, holder.key, 2) }];
      return each("settle" in one ? [one, ...own] : [...own, one]);
    };
    const beside: LedgerRequest[] = [
      { settle: other.charges[0] },
      { settle: other.charges[1] },
      { hold: holdRequest(other.account, other.key, 1) },
    ];
    const inBatch = await decideAll(together, async (asks) => {
      const { results, called } = await decideRequests(client, [...asks, ...beside], nowMs());
      expect(called).toEqual(onceMore);
      return outcomes(results).slice(0, asks.length);
    });
    const single = await decideAll(apart, async (asks) => {
      const decided: string[] = [];
      for (const ask of asks) decided.push(...outcomes(await commit(client, [ask], nowMs())));
      return decided;
    });
    expect(inBatch).toEqual(single);
    expect(await readBalance(together.account)).toEqual(await readBalance(apart.account));
    expect(await spendsOf(together.key)).toEqual(await spendsOf(apart.key));
  });
});

/** Items that the database refuses in any batch. */
const refused: [string, (holder: Holder) => Item, string][] = [
  ["a hold of less than nothing", ({ account, key }) => ({ hold: holdOf(holdRequest(account, key, -1)) }), "P0001"],
  [
    "a hold beyond the range of a bigint",
    ({ account, key }) => ({ hold: { ...holdOf(holdRequest(account, key, 1)), ceiling: nanoUsd(2n ** 63n) } }),
    "22003",
  ],
  [
    "a hold of a model whose name is not valid text",
    ({ account, key }) => ({ hold: { ...holdOf(holdRequest(account, key, 1)), model: "\0" } }),
    "22021",
  ],
  [
    "a hold that exists already",
    ({ account, key, charges }) => ({ hold: holdOf({ ...holdRequest(account, key, 1), request: charges[1].request }) }),
    "23505",
  ],
  [
    "a charge for a fraction of a token",
    ({ charges }) => {
      const settlement = settlementOf(charges[1]);
      return { settlement: { ...settlement, charge: chargeDetails(1.5, 0) } };
    },
    "22P02",
  ],
  [
    "a charge beyond the range of a bigint",
    ({ charges }) => ({ settlement: settlementOf({ ...charges[1], inputCost: 2n ** 63n - 1n }) }),
    "22003",
  ],
];

describe.each(refused)("%s", (_what, make, code) => {
  test("fails alone, and the rest of the batch is decided", async () => {
    const [holder, other] = [await openHolder(), await openHolder()];
    const bad = make(holder);
    const { place, settle } = productCommit();
    // One commit is under way, so that the other items share the next batch.
    const first = place(holdOf(holdRequest(other.account, other.key, 1)));
    const beside = [
      settle(settlementOf(other.charges[0])),
      settle(settlementOf(holder.charges[0])),
      place(holdOf(holdRequest(holder.account, holder.key, 5))),
      place(holdOf(holdRequest(other.account, other.key, 6))),
    ];
    const failing = "hold" in bad ? place(bad.hold) : settle(bad.settlement);
    await expect(failing).rejects.toMatchObject({ code });
    expect(outcomes(await Promise.all([first, ...beside]))).toEqual(["held", "settled", "settled", "held", "held"]);
    expect(await readBalance(holder.account)).toEqual({ posted: 93n, held: 15n, available: 78n });
    expect(await readBalance(other.account)).toEqual({ posted: 93n, held: 17n, available: 76n });
  });
});

test("a negative hold keeps only its own account's items from being decided as sets", async () => {
  const [holder, other] = [await openHolder(), await openHolder()];
  const items: Item[] = [
    { hold: holdOf(holdRequest(holder.account, holder.key, -1)) },
    { hold: holdOf(holdRequest(holder.account, holder.key, 5)) },
    { settlement: settlementOf(other.charges[0]) },
    { settlement: settlementOf(other.charges[1]) },
    { hold: holdOf(holdRequest(other.account, other.key, 6)) },
  ];
  const { results, called } = await decideItems(client, items, nowMs());
  expect(called).toEqual([...onceMore, "gateway_place_hold", "gateway_place_hold"]);
  expect(results[0]).toBeInstanceOf(Failure);
  expect(outcomes(results.slice(1) as { outcome: string }[])).toEqual(["held", "settled", "settled", "held"]);
  expect(await readBalance(holder.account)).toEqual({ posted: 100n, held: 25n, available: 75n });
});

test("after all these tests the books close", expectBooksToClose);
