// The real ledger as the tests drive it: batches of its SQL functions on one connection, with a failed batch tried item by
// item as the batcher does, and its tables as plain text to compare.

import type { PoolClient } from "pg";
import type { HoldAsk, HoldResult, Period, SettleAsk, SettleResult } from "./model-types";

/** A price version at which a token costs one nano-USD, so that costs are token counts. */
export const unitPrice = "unit-price";

/** What the request path tells the planner; see lib/db/hot-connection.ts. */
export const hotSettings =
  "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off; SET plan_cache_mode = force_generic_plan";

export const failed = "failed";

interface HoldRow {
  outcome: HoldResult["outcome"];
  available: bigint | null;
  spent: bigint | null;
  key_state: string | null;
  cap: bigint | null;
  period: Period | null;
  period_start: Date | null;
}

/** Decides a batch of holds that expire at `untilMs`; one result per item. */
export async function placeHolds(client: PoolClient, items: readonly HoldAsk[], atMs: number): Promise<HoldResult[]> {
  const claims = items.some((item) => item.idempotency !== null);
  const { rows } = await client.query<HoldRow>({
    name: "place_holds",
    text: `SELECT outcome, available, spent, key_state, cap, period, period_start
           FROM gateway_place_holds($1, $2, $3, $4, $5, $6, $7, $8) ORDER BY ord`,
    values: [
      items.map((item) => item.request),
      items.map((item) => item.account),
      items.map((item) => item.key),
      items.map((item) => item.ceiling),
      claims ? items.map((item) => item.idempotency) : null,
      claims ? items.map((item) => (item.hash === null ? null : Buffer.from(item.hash, "hex"))) : null,
      new Date(atMs),
      new Date(items[0]?.deadlineMs ?? atMs),
    ],
  });
  return rows.map((row) => ({
    outcome: row.outcome,
    available: row.available,
    spent: row.spent,
    keyState: row.key_state,
    cap: row.cap,
    period: row.period,
    periodStart: row.period_start?.getTime() ?? null,
  }));
}

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
  const { rows } = await client.query<{ outcome: SettleResult["outcome"]; input_cost: bigint | null; output_cost: bigint | null }>({
    name: "settle_holds",
    text: "SELECT outcome, input_cost, output_cost FROM gateway_settle_holds($1, $2, $3, $4, $5) ORDER BY ord",
    values: [
      JSON.stringify(items.map(writeItem)),
      items.map((item) => item.request),
      items.map((item) => item.account),
      writeReplies(items),
      new Date(atMs),
    ],
  });
  return rows.map((row) => ({ outcome: row.outcome, inputCost: row.input_cost, outputCost: row.output_cost }));
}

function writeItem({ charges, periodStart, inputCost, outputCost, request, account, key, period }: SettleAsk, ord: number): object {
  const money = { inputCost: inputCost.toString(), outputCost: outputCost.toString() };
  const start = periodStart === null ? null : new Date(periodStart);
  const details = charges ? chargeDetails(Number(inputCost), Number(outputCost)) : {};
  return { ord, request, account, key, period, periodStart: start, ...money, charged: charges, ...details };
}

function writeReplies(items: readonly SettleAsk[]): string | null {
  const replies = items.flatMap(({ account, idempotency, request, body }) =>
    idempotency === null ? [] : [{ account, idempotency, request, ...(body === null ? {} : { status: 200, streamed: false, body }) }],
  );
  return replies.length === 0 ? null : JSON.stringify(replies);
}

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
