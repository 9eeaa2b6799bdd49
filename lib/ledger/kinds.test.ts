// The proof of the books prices every kind of token and every tier as a charge does.

import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { newRequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import {
  countsInSlots,
  countsOf,
  kinds,
  noTokens,
  partKinds,
  slotsOf,
  type TokenCounts,
  type TokenKind,
  tokenKinds,
} from "@/lib/base/tokens/token-kinds";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { costOf, fillPrices } from "@/lib/providers/prices";
import { findPrices, recordPriceVersions } from "./price-versions";
import { fundedAccount, openFunding } from "./testing/fund";
import { chargeLate } from "./testing/hold";

await openTestDatabase();
beforeAll(openFunding);

const price = fc.nat({ max: 50 }).map((value) => nanoUsd(value));
const kindPrices = fc.record(Object.fromEntries(kinds.map((kind) => [kind, price])) as Record<TokenKind, typeof price>, {
  requiredKeys: ["input", "output"],
});
const anyPrices = fc
  .tuple(kindPrices, fc.option(kindPrices, { nil: undefined }))
  .map(([base, tier]) => fillPrices(base, tier && [{ ...tier, fromInputTokens: 50 }]));
/** Tokens of each kind, a side the sum of its own and of its parts. */
const anyCounts = fc.tuple(...kinds.map(() => fc.nat({ max: 20 }))).map((plain): TokenCounts => {
  const own = (kind: TokenKind): number => plain[kinds.indexOf(kind)] ?? 0;
  return countsOf(
    (kind) => own(kind) + partKinds.filter((part) => tokenKinds[part].partOf === kind).reduce((sum, part) => sum + own(part), 0),
  );
});

const wrongCharges = async (): Promise<string[]> =>
  (
    await pool().query<{ subject: string }>("SELECT subject FROM ledger_check(now()) WHERE invariant LIKE 'a charge is its tokens%'")
  ).rows.map(({ subject }) => subject);

test("a charge of any kinds, prices and tiers is proved; one unit more or less of it is reported", async () => {
  const account = await fundedAccount(10_000_000);
  let version = 0;
  const wrong: string[] = [];
  await fc.assert(
    fc.asyncProperty(anyPrices, anyCounts, fc.constantFrom(0, 0, 1), async (prices, counts, made) => {
      const id = `version ${version++}`;
      await recordPriceVersions([{ id, model: "model", prices }]);
      expect(await findPrices(id)).toEqual(prices);
      const { inputCost, outputCost } = costOf(prices, counts);
      const request = newRequestId();
      const hold = { request, account, key: null, ceiling: inputCost + outputCost + 1n };
      await chargeLate(hold, { input: Number(inputCost) + made, output: Number(outputCost), details: { priceVersion: id, ...counts } });
      if (made > 0) wrong.push(request);
    }),
    { numRuns: 60 },
  );
  expect((await wrongCharges()).sort()).toEqual(wrong.sort());
});

test("a version from before there were kinds prices all of them as input and output", async () => {
  await pool().query("INSERT INTO price_version (id, model, input_price, output_price, recorded_at) VALUES ('old', 'model', 2, 3, now())");
  expect(await findPrices("old")).toEqual(fillPrices({ input: nanoUsd(2), output: nanoUsd(3) }));
  const account = await fundedAccount(1_000);
  const before = await wrongCharges();
  const hold = { request: newRequestId(), account, key: null, ceiling: 100n };
  await chargeLate(hold, {
    input: 20,
    output: 9,
    details: { priceVersion: "old", inputTokens: 10, cachedInputTokens: 4, outputTokens: 3 },
  });
  expect(await wrongCharges()).toEqual(before);
});

test("SQL knows the same kinds, slots and sides", async () => {
  const { rows } = await pool().query("SELECT slot, name, part_of FROM ledger_token_kinds() ORDER BY slot");
  const ours = Object.values(tokenKinds).map(({ slot, name, partOf }) => ({ slot, name, part_of: partOf }));
  expect(rows).toEqual(ours.sort((one, other) => one.slot - other.slot));
});

test("counts go into their slots and come back, up to the last one that is not 0", () => {
  fc.assert(
    fc.property(anyCounts, (counts) => {
      expect(countsInSlots(slotsOf(counts))).toEqual(counts);
    }),
  );
  expect(slotsOf({ ...noTokens, inputTokens: 3, imageTokens: 2 })).toEqual([3, 0, 0, 0, 0, 2]);
  expect(slotsOf(noTokens)).toEqual([]);
});
