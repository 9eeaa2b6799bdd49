// The real ledger as the tests drive it: batches of its SQL functions on one connection, where a failed batch is retried item by item as
// the batcher does; and its tables as plain text to compare.

import type { PoolClient } from "pg";
import { expect } from "vitest";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { nanoUsd, ZERO_USD } from "@/lib/base/money";
import { countsOf, noTokens, type TokenCounts, tokenKinds } from "@/lib/base/tokens/token-kinds";
import { commit as productCommit } from "@/lib/gateway/prompt/commit";
import { Failure } from "../commit/batcher";
import type { ChargeDetails, Settlement, TextStatement } from "../commit/codec";
import { decide, type Item, type Result } from "../commit/commit";
import { plannerSettings, runStatement } from "../commit/connections";
import type { Hold } from "../holds";
import { releaseOf } from "../waiting-settlements";
import type { HoldRequest, HoldResult, SettleRequest, SettleResult } from "./model-types";

/** A price version at which a token costs one nano-USD, so that costs are token counts. */
export const unitPrice = "unit-price";
/** One at which tokens from the cache and of reasoning cost `DEAR`, for amounts that no charge could count one by one. */
export const dearPrice = "dear-price";
export const DEAR = 1_000_000;
const MOST_TOKENS = 2 ** 31 - 1;

/** The request path's planner settings, as statements. */
export const hotSettings = Object.entries(plannerSettings)
  .map(([setting, value]) => `SET ${setting} = ${value}`)
  .join("; ");

export const failed = "failed";
export const processOfTests = "prc_test";

/** The items of a batch, in any order. */
export type LedgerRequest = { settle: SettleRequest } | { hold: HoldRequest };

interface Decided {
  results: (SettleResult | HoldResult)[];
  /** The functions called, in order. */
  called: string[];
}

/** Decides a batch as the request path does: settlements first, then holds, which all expire with the first one's deadline. */
export async function decideRequests(client: PoolClient, asks: readonly LedgerRequest[], atMs: number): Promise<Decided> {
  const holds = asks.flatMap((ask) => ("hold" in ask ? [ask.hold] : []));
  const items = asks.map((ask) => ("hold" in ask ? { hold: holdOf(ask.hold) } : { settlement: settlementOf(ask.settle) }));
  const { results, called } = await decideItems(client, items, atMs, holds[0]?.deadlineMs);
  for (const result of results) if (result instanceof Failure) throw result.error;
  return { results: results.map((result) => readResult(result as Result)), called };
}

/** Decides items in one batch; an item that failed while others did not has a failure. */
export async function decideItems(client: PoolClient, items: readonly Item[], atMs: number, deadlineMs = atMs) {
  const circumstances = () => ({ at: new Date(atMs), until: new Date(deadlineMs), processId: processOfTests });
  const called: string[] = [];
  const run = async (statement: TextStatement) => {
    called.push(statement.name.replace(/ .*/, ""));
    return (await runStatement(client, statement))[0] ?? "";
  };
  const results = await decide({ functions: productCommit().functions, run, circumstances, refused: new Set() }, items);
  return { results, called };
}

function readResult(result: Result): SettleResult | HoldResult {
  if (!("isTold" in result)) return result as SettleResult | HoldResult;
  // Whom a refusal is told to is the gateway's matter.
  const { isTold: _, ...decided } = result;
  return "resetsAt" in decided ? { ...decided, resetsAt: decided.resetsAt?.getTime() ?? null } : decided;
}

export async function commit(client: PoolClient, asks: readonly LedgerRequest[], atMs: number): Promise<(SettleResult | HoldResult)[]> {
  const { results } = await decideRequests(client, asks, atMs);
  expect(results).toHaveLength(asks.length);
  return results;
}

/** Decides a batch of holds; one result per item. */
export async function placeHolds(client: PoolClient, items: readonly HoldRequest[], atMs: number): Promise<HoldResult[]> {
  const asks = items.map((hold) => ({ hold }));
  return (await commit(client, asks, atMs)) as HoldResult[];
}

export const holdOf = ({ request, account, key, ceiling, idempotency, hash }: HoldRequest): Hold => ({
  requestId: request as RequestId,
  accountId: account as AccountId,
  keyId: key as KeyId | null,
  model: "model",
  ceiling: nanoUsd(ceiling),
  claim: idempotency === null ? null : { key: idempotency, bodyHash: Buffer.from(hash ?? "", "hex") },
  paidBy: "balance",
});

/** Changes of a charge; counts of tokens beside its other details. */
export type TestDetails = Partial<Omit<ChargeDetails, "usage"> & TokenCounts>;

/** A side of a charge of that many nano-USD: all of its tokens, and the dear ones among them. */
const dearSide = (cost: number) => ({ tokens: Math.floor(cost / DEAR) + (cost % DEAR), dear: Math.floor(cost / DEAR) });

/** The details of a charge of that many nano-USD, a token each; at `dearPrice` where that would be too many. */
export function chargeDetails(inputTokens: number, outputTokens: number, changed: TestDetails = {}): ChargeDetails {
  const isDear = Math.max(inputTokens, outputTokens) > MOST_TOKENS;
  const [input, output] = [dearSide(inputTokens), dearSide(outputTokens)];
  const counts = isDear
    ? { inputTokens: input.tokens, cachedInputTokens: input.dear, outputTokens: output.tokens, reasoningTokens: output.dear }
    : { inputTokens, outputTokens };
  const counted = { ...noTokens, ...counts, ...changed };
  const details = Object.fromEntries(Object.entries(changed).filter(([name]) => !(name in noTokens)));
  return {
    model: "model",
    provider: "provider",
    providerRequestId: null,
    priceVersion: isDear ? dearPrice : unitPrice,
    usage: countsOf((kind) => counted[tokenKinds[kind].count]),
    outcome: "complete",
    streamed: true,
    estimated: false,
    paidBy: "balance",
    firstTokenMs: null,
    providerMs: 1,
    unbilled: ZERO_USD,
    tag: null,
    endUser: null,
    ...details,
  };
}

/** Ends a batch of holds; one result per item. */
export async function settleHolds(client: PoolClient, items: readonly SettleRequest[], atMs: number): Promise<SettleResult[]> {
  const asks = items.map((settle) => ({ settle }));
  return (await commit(client, asks, atMs)) as SettleResult[];
}

export const settlementOf = ({ charges, inputCost, outputCost, isLost, isWhole = false, body, ...ask }: SettleRequest): Settlement => {
  const hold = holdOf({ ...ask, deadlineMs: 0, hash: "00" });
  if (!charges) return releaseOf(hold);
  const charge = { ...chargeDetails(Number(inputCost), Number(outputCost)), streamed: !isWhole };
  return {
    hold,
    inputCost: nanoUsd(inputCost),
    outputCost: nanoUsd(outputCost),
    charge: isLost ? { ...charge, outcome: "lost" } : charge,
    reply: body === null ? null : { status: 200, body },
  };
};

/** Runs a batch as the batcher does: if it fails, each item alone, and items that fail alone are `failed`. */
export async function asBatch<LedgerRequest, Result>(
  client: PoolClient,
  items: readonly LedgerRequest[],
  run: (items: readonly LedgerRequest[]) => Promise<Result[]>,
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

/** Runs each item as a separate batch. */
export async function oneByOne<LedgerRequest, Result>(
  client: PoolClient,
  items: readonly LedgerRequest[],
  run: (items: readonly LedgerRequest[]) => Promise<Result[]>,
): Promise<(Result | typeof failed)[]> {
  const results: (Result | typeof failed)[] = [];
  for (const item of items) results.push(...(await asBatch(client, [item], run)));
  return results;
}

/** A refused value or constraint, or an exception of ours: never a mistake in the SQL itself. */
const isRefusal = (error: unknown) => /^(22|23|P0001)/.test((error as { code?: string }).code ?? "");

export interface Violation {
  invariant: string;
  subject: string;
}

/** What check-ledger reports; violated deadlines are returned separately, since tests may let time pass without a reaper. */
export async function checkBooks(client: Pick<PoolClient, "query">, atMs: number): Promise<{ broken: Violation[]; overdue: number }> {
  const { rows } = await client.query<Violation>("SELECT * FROM ledger_check($1)", [new Date(atMs)]);
  const broken = rows.filter((row) => !row.invariant.startsWith("no hold outlives"));
  return { broken, overdue: rows.length - broken.length };
}

const dumps = {
  accounts: "SELECT id, kind, posted, held, debt FROM ledger_account ORDER BY id",
  holds:
    "SELECT request_id, account_id, key_id, model, process_id, ceiling, period, period_start, placed_at, deadline FROM hold ORDER BY request_id",
  transfers: "SELECT id, kind, at FROM transfer ORDER BY id",
  entries: "SELECT transfer_id, account_id, amount FROM ledger_entry ORDER BY transfer_id, account_id",
  charges: "SELECT to_jsonb(c) - 'seq' AS charge FROM charge c ORDER BY account_id, request_id",
  spends: "SELECT * FROM key_spend ORDER BY key_id, period, period_start",
  claims: "SELECT * FROM idempotent_reply ORDER BY account_id, idempotency_key",
};

/** Everything stored in the ledger and the claims, for comparison. */
export async function dumpBooks(client: Pick<PoolClient, "query">): Promise<Record<string, unknown[]>> {
  const dump: Record<string, unknown[]> = {};
  for (const [name, sql] of Object.entries(dumps)) dump[name] = (await client.query<Record<string, unknown>>(sql)).rows;
  return dump;
}
