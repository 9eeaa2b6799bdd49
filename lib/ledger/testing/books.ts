// The real ledger as the tests drive it: batches of its SQL functions on one connection, with a failed batch tried item by
// item as the batcher does, and its tables as plain text to compare.

import type { PoolClient } from "pg";
import { expect } from "vitest";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { runStatement } from "@/lib/db/hot-statement";
import type { HoldItem, SettleItem } from "@/lib/gateway/commit-items";
import { type CommitRow, commitStatement } from "@/lib/gateway/commit-statements";
import type { HoldAsk, HoldResult, Period, SettleAsk, SettleResult } from "./model-types";

/** A price version at which a token costs one nano-USD, so that costs are token counts. */
export const unitPrice = "unit-price";

/** What the request path tells the planner; see lib/db/hot-connections.ts. */
export const hotSettings =
  "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; SET plan_cache_mode = force_generic_plan";

export const failed = "failed";

/** What a batch asks for, in any order. */
export type Ask = { settle: SettleAsk } | { hold: HoldAsk };

/** Decides a batch by the statement that the request path would use: settlements first, then holds, which expire as the first of them says. */
export async function commit(client: PoolClient, asks: readonly Ask[], atMs: number): Promise<(SettleResult | HoldResult)[]> {
  const settlements = asks.flatMap((ask) => ("settle" in ask ? [settleItem(ask.settle)] : []));
  const holds = asks.flatMap((ask) => ("hold" in ask ? [ask.hold] : []));
  const times = { at: new Date(atMs), until: new Date(holds[0]?.deadlineMs ?? atMs) };
  const [rows = []] = await runStatement(client, commitStatement(settlements, holds.map(holdItem), times));
  expect(rows).toHaveLength(asks.length);
  return rows.map((row, place) => (place < settlements.length ? settleResult(row) : holdResult(row)));
}

/** Decides a batch of holds; one result per item. */
export async function placeHolds(client: PoolClient, items: readonly HoldAsk[], atMs: number): Promise<HoldResult[]> {
  return (await commit(
    client,
    items.map((hold) => ({ hold })),
    atMs,
  )) as HoldResult[];
}

const holdResult = (row: CommitRow): HoldResult => ({
  outcome: row.outcome as HoldResult["outcome"],
  available: row.available,
  spent: row.spent,
  keyState: row.key_state,
  cap: row.cap,
  period: row.period as Period | null,
  periodStart: row.period_start?.getTime() ?? null,
});

/** What is told of a hold that was placed the straight way: only what it counts in. */
export const toldStraight = (result: HoldResult): HoldResult =>
  result.outcome === "held" ? { ...result, available: null, spent: null, keyState: null, cap: null } : result;

const holdItem = ({ request, account, key, ceiling, idempotency, hash }: HoldAsk): HoldItem => ({
  request: request as RequestId,
  account: account as AccountId,
  key: key as KeyId | null,
  ceiling: nanoUsd(ceiling),
  idempotency,
  hash: hash === null ? null : Buffer.from(hash, "hex"),
});

/** The columns of a charge that are no money, for a charge at `unitPrice`. */
export const chargeDetails = (inputTokens: number, outputTokens: number) => ({
  model: "model",
  provider: "provider",
  priceVersion: unitPrice,
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  outcome: "complete" as const,
  streamed: false,
  estimated: false,
  paidBy: "balance" as const,
  firstTokenMs: null,
  providerMs: 1,
});

/** Ends a batch of holds; one result per item. */
export async function settleHolds(client: PoolClient, items: readonly SettleAsk[], atMs: number): Promise<SettleResult[]> {
  return (await commit(
    client,
    items.map((settle) => ({ settle })),
    atMs,
  )) as SettleResult[];
}

const settleResult = (row: CommitRow): SettleResult => ({
  outcome: row.outcome as SettleResult["outcome"],
  inputCost: row.input_cost,
  outputCost: row.output_cost,
});

const settleItem = ({ request, account, key, ceiling, inputCost, outputCost, charges, periodStart, ...ask }: SettleAsk): SettleItem => ({
  request: request as RequestId,
  account: account as AccountId,
  key: key as KeyId | null,
  period: ask.period,
  periodStart: periodStart === null ? null : new Date(periodStart),
  ceiling: nanoUsd(ceiling),
  inputCost: nanoUsd(inputCost),
  outputCost: nanoUsd(outputCost),
  charge: charges ? chargeDetails(Number(inputCost), Number(outputCost)) : null,
  ...(ask.idempotency !== null && { idempotency: ask.idempotency }),
  ...(ask.body !== null && { status: 200, body: ask.body }),
});

/** Runs a batch as the batcher does: when it fails, each item alone, and those that fail alone are `failed`. */
export async function asBatch<Ask, Result>(
  client: PoolClient,
  items: readonly Ask[],
  run: (items: readonly Ask[]) => Promise<Result[]>,
): Promise<(Result | typeof failed)[]> {
  await client.query("SAVEPOINT batch");
  try {
    const results = await run(items);
    await client.query("RELEASE batch");
    return results;
  } catch (error) {
    await client.query("ROLLBACK TO batch; RELEASE batch");
    if (items.length === 1) {
      if (!isRefusal(error)) throw error;
      return [failed];
    }
    return oneByOne(client, items, run);
  }
}

/** Runs each item as a batch of its own. */
export async function oneByOne<Ask, Result>(
  client: PoolClient,
  items: readonly Ask[],
  run: (items: readonly Ask[]) => Promise<Result[]>,
): Promise<(Result | typeof failed)[]> {
  const results: (Result | typeof failed)[] = [];
  for (const item of items) results.push(...(await asBatch(client, [item], run)));
  return results;
}

/** A value or a constraint that was refused, or an exception of ours: never a fault of the SQL itself. */
const isRefusal = (error: unknown) => /^(22|23|P0001)/.test((error as { code?: string }).code ?? "");

export interface Violation {
  invariant: string;
  subject: string;
}

/** What check-ledger reports; a violation of the deadline is told apart, since tests may let time pass without a reaper. */
export async function checkBooks(client: Pick<PoolClient, "query">, atMs: number): Promise<{ broken: Violation[]; overdue: number }> {
  const { rows } = await client.query<Violation>("SELECT * FROM ledger_check($1)", [new Date(atMs)]);
  const broken = rows.filter((row) => !row.invariant.startsWith("no hold outlives"));
  return { broken, overdue: rows.length - broken.length };
}

const dumps = {
  accounts: "SELECT id, kind, posted, held FROM ledger_account ORDER BY id",
  holds: "SELECT request_id, account_id, key_id, ceiling, period, period_start, placed_at, deadline FROM hold ORDER BY request_id",
  transfers: "SELECT id, kind, at FROM transfer ORDER BY id",
  entries: "SELECT transfer_id, account_id, amount FROM ledger_entry ORDER BY transfer_id, account_id",
  charges: "SELECT to_jsonb(c) - 'seq' AS charge FROM charge c ORDER BY account_id, request_id",
  spends: "SELECT * FROM key_spend ORDER BY key_id, period, period_start",
  claims: "SELECT * FROM idempotent_reply ORDER BY account_id, idempotency_key",
};

/** Everything that the ledger and the claims hold, to be compared. */
export async function dumpBooks(client: Pick<PoolClient, "query">): Promise<Record<string, unknown[]>> {
  const dump: Record<string, unknown[]> = {};
  for (const [name, sql] of Object.entries(dumps)) dump[name] = (await client.query<Record<string, unknown>>(sql)).rows;
  return dump;
}
