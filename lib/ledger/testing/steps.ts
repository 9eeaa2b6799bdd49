// Steps of a ledger, as fast-check generates them: small balances, ceilings and caps, so that they often meet.

import fc from "fast-check";
import type { Period } from "./model-types";

/** Numbers pick an account, a key or an earlier request by index, among those that exist when the step is run. */
export interface HoldPick {
  account: number;
  /** 0 = no key, as for an owner who is signed in. */
  key: number;
  ceiling: bigint;
  /** Null, or one of a few idempotency keys with one of two bodies. */
  idempotency: number | null;
  body: number;
  poison: "none" | "again" | "range" | "nobody";
}

export interface SettlePick {
  request: number;
  kind: "exact" | "part" | "overrun" | "zero" | "release" | "lost" | "range" | "nobody";
  cost: number;
}

export type Step =
  | { do: "credit"; account: number; amount: bigint; again: boolean }
  | { do: "hold"; items: HoldPick[] }
  | { do: "settle"; items: SettlePick[] }
  /** A process's batch under load: settlements and holds together. */
  | { do: "commit"; settlements: SettlePick[]; holds: HoldPick[] }
  | { do: "advance"; ms: number }
  | { do: "expire"; most: number }
  | { do: "key"; key: number; state: "active" | "paused" | "revoked" }
  | { do: "account"; account: number; state: "open" | "frozen" }
  | { do: "cap"; key: number; cap: bigint | null; period: Period }
  /** Money that came in is reversed. */
  | { do: "take-back"; account: number; amount: bigint }
  | { do: "collect"; account: number }
  | { do: "roll-up" }
  | { do: "forget-replies" };

const place = fc.nat({ max: 1_000 });
const hourMs = 3_600_000;

/** `idempotent`: whether idempotency keys are used; they are few, so that they often collide. */
const holdPick = (idempotent: boolean): fc.Arbitrary<HoldPick> =>
  fc
    .record({
      account: fc.nat({ max: 2 }),
      key: fc.nat({ max: 2 }),
      ceiling: fc.bigInt({ min: 0n, max: 12n }),
      idempotency: idempotent ? fc.option(fc.nat({ max: 3 }), { freq: 2 }) : fc.constant(null),
      body: fc.nat({ max: 4 }).map((n) => (n === 0 ? 1 : 0)),
      poison: fc.oneof(
        { weight: 40, arbitrary: fc.constant("none" as const) },
        { weight: 1, arbitrary: fc.constantFrom("again" as const, "range" as const, "nobody" as const) },
      ),
    })
    .map((pick) => (pick.poison === "none" ? pick : { ...pick, idempotency: null, key: pick.poison === "nobody" ? 0 : pick.key }));

const settlePick: fc.Arbitrary<SettlePick> = fc.record({
  request: place,
  kind: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom("exact", "part", "overrun", "zero", "release") },
    { weight: 2, arbitrary: fc.constantFrom("range", "nobody", "lost") },
  ) as fc.Arbitrary<SettlePick["kind"]>,
  cost: fc.nat({ max: 12 }),
});

/** Mostly a few items, occasionally up to forty. */
const batchOf = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 2 }) },
    { weight: 4, arbitrary: fc.array(item, { minLength: 3, maxLength: 10 }) },
    { weight: 1, arbitrary: fc.array(item, { minLength: 11, maxLength: 40 }) },
  );

export const holdBatch = fc.boolean().chain((idempotent) => batchOf(holdPick(idempotent)));
export const settleBatch = batchOf(settlePick);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("credit" as const),
      account: fc.nat({ max: 2 }),
      amount: fc.bigInt({ min: -5n, max: 60n }).filter((amount) => amount !== 0n),
      again: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("hold" as const), items: holdBatch }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("settle" as const), items: settleBatch }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("commit" as const), settlements: settleBatch, holds: holdBatch }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      ms: fc.oneof(fc.nat({ max: 120_000 }), fc.integer({ min: hourMs, max: 30 * hourMs }), fc.constant(24 * hourMs)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("expire" as const), most: fc.integer({ min: 1, max: 30 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("key" as const),
      key: fc.nat({ max: 5 }),
      state: fc.constantFrom("active" as const, "active" as const, "paused" as const, "revoked" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("account" as const),
      account: fc.nat({ max: 2 }),
      state: fc.constantFrom("open" as const, "open" as const, "frozen" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("cap" as const),
      key: fc.nat({ max: 5 }),
      cap: fc.option(fc.bigInt({ min: 0n, max: 40n })),
      period: fc.constantFrom("hour" as const, "day" as const, "week" as const, "month" as const, "total" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("take-back" as const),
      account: fc.nat({ max: 2 }),
      amount: fc.bigInt({ min: 1n, max: 40n }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("collect" as const), account: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: "roll-up" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "forget-replies" as const }) },
);

const funds: fc.Arbitrary<Step[]> = fc.constant(
  [0, 1, 2].map((account) => ({ do: "credit" as const, account, amount: 40n, again: false })),
);

/** The steps of a ledger: three accounts with some money, then at most `length` steps. */
export const life = (length: number): fc.Arbitrary<Step[]> =>
  fc.tuple(funds, fc.array(step, { minLength: 1, maxLength: length, size: "max" })).map(([first, rest]) => [...first, ...rest]);
