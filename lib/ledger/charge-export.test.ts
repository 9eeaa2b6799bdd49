// An export contains the ledger's charges, each once, while others are being booked.

import { beforeAll, expect, test } from "vitest";
import type { RequestId } from "@/lib/base/ids";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import { type ExportedCharge, exportCharges } from "./charge-export";
import { unitPrice } from "./testing/books";
import { charge, kindsOf, someCharges, spanOf, sumsOf } from "./testing/charges";
import { fundedAccount, openFunding } from "./testing/fund";
import { listChargedRequests, type UsageSpan } from "./usage";

await openTestDatabase();
beforeAll(openFunding);

/** Reads the whole export; `between` runs after each batch. */
async function readAll(
  span: UsageSpan & { mark: bigint },
  between: () => Promise<void> = async () => undefined,
): Promise<ExportedCharge[]> {
  const rows: ExportedCharge[] = [];
  for await (const batch of exportCharges(span)) {
    rows.push(...batch);
    await between();
  }
  return rows;
}

const idsOf = (rows: readonly { requestId: RequestId }[]) => rows.map(({ requestId }) => requestId);

test("thousands of charges, while others are booked: each once, newest first, and their sum equals totals and payments", async () => {
  const account = await fundedAccount(100_000_000);
  const charges = someCharges(2_500);
  await charge(account, charges);
  const paid = 100_000_000n - (await readBalance(account)).posted;
  const { mark, totals } = await listChargedRequests(spanOf(account), 1, null);
  const found = await readAll({ ...spanOf(account), mark }, () => charge(account, someCharges(100)));
  expect(idsOf(found)).toEqual(idsOf(charges).sort().reverse());
  const sum = found.reduce((cost, { inputCost, outputCost }) => cost + inputCost + outputCost, 0n);
  expect(sum).toBe(totals.inputCost + totals.outputCost);
  expect(sum).toBe(paid);
  expect(totals).toEqual(sumsOf(charges));
  expect((await listChargedRequests(spanOf(account), 1, null)).totals.requests).toBe(2_800);
});

test("an export whose last batch is full ends", async () => {
  const account = await fundedAccount(100_000_000);
  const charges = someCharges(2_000);
  await charge(account, charges);
  const { mark } = await listChargedRequests(spanOf(account), 1, null);
  expect(await readAll({ ...spanOf(account), mark })).toHaveLength(2_000);
  expect(await readAll({ ...spanOf(account, { model: "none" }), mark })).toEqual([]);
});

test("a row has the same tokens, price version and payment as the receipt", async () => {
  const account = await fundedAccount(10_000);
  const [one] = someCharges(1);
  if (!one) throw new Error("no charge was made");
  await charge(account, [one]);
  const { atMs, inputTokens, outputTokens, ...same } = one;
  const { mark } = await listChargedRequests(spanOf(account), 1, null);
  expect(await readAll({ ...spanOf(account), mark })).toEqual([
    {
      ...same,
      at: new Date(atMs),
      inputTokens,
      outputTokens,
      inputCost: BigInt(inputTokens),
      outputCost: BigInt(outputTokens),
      outcome: "complete",
      streamed: inputTokens % 2 === 1,
      provider: "provider",
      ...kindsOf(one),
      estimated: false,
      priceVersion: unitPrice,
      paidBy: "balance",
    },
  ]);
});
