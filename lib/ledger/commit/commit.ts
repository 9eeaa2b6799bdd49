// Commits of this process's holds and settlements: items that arrive during a commit go into the next one. So a few disk flushes serve many
// requests, and holds and settlements of one account rarely wait for each other's locks. Items are decided in as few statements as
// possible: many together as sets. Accounts with an item that sets cannot decide, such as a refused hold, are decided item by item, so that
// they delay no other account.

import { setTimeout as sleep } from "node:timers/promises";
import { dateOf, now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { deferTelemetry, log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { isStatementError, sqlStateOf } from "@/lib/db/failure";
import { processId } from "@/lib/db/heartbeat";
import type { Hold, HoldDecision } from "../holds";
import { Batcher, Failure } from "./batcher";
import type { Settled, Settlement } from "./codec";
import {
  type Circumstances,
  type CommitFunctions,
  type Items,
  manyStatement,
  placeHoldStatement,
  readHoldDecision,
  readSettled,
  settleHoldStatement,
  type TextStatement,
} from "./codec";
import { hasIdleConnection, runOnCommitConnection } from "./connections";

const MAX_ITEMS = 256;
/** Fewer items are not worth a separate commit while answers that are about to be handed out lead to more of them. */
const ENOUGH_ITEMS = 6;
/** This many are worth a second commit in parallel; fewer would cost each of them more than they gain. */
const MIN_PARALLEL_BATCH = 20;
/** One or two items are decided faster one after the other than as sets. */
const MIN_BATCH = 3;
/** Number of accounts whose last hold was refused that are remembered. */
const MAX_REFUSED = 10_000;
/** The time for the settlement: a hold is safe from the reaper for this long after the provider's own time limit. */
const SETTLE_MARGIN_MS = 60_000;

export interface Commit {
  /** Decides a hold, together with items that arrive at the same time. @throws what pg throws; a broken connection leaves it unknown */
  place(hold: Hold): Promise<HoldDecision>;
  /** Ends a hold; resolves once that is on the disk. @throws what pg throws */
  settle(settlement: Settlement): Promise<Settled>;
  /** Resolves once everything submitted is done. */
  idle(): Promise<void>;
  functions: CommitFunctions;
}

/** The commits of this process, through these calls. */
export function createCommit(functions: CommitFunctions): Commit {
  const refused = new Set<string>();
  const decider: Decider = { functions, run, circumstances, refused };
  const options = {
    maxBatch: MAX_ITEMS,
    minEagerBatch: ENOUGH_ITEMS,
    keyOf: accountOf,
    hasRoom: hasIdleConnection,
    mayRetrySingly: isStatementError,
  };
  const batcher = new Batcher<Item, Result>({ ...options, run: measured(decider, decide), minParallelBatch: MIN_PARALLEL_BATCH });
  // One refused hold makes its batch slow: accounts that are refused repeatedly have their own batches, and delay no other account.
  const refusedBatcher = new Batcher<Item, Result>({
    ...options,
    run: measured(decider, decideItems),
    minParallelBatch: Number.POSITIVE_INFINITY,
  });
  return {
    place: (hold) => (refused.has(hold.accountId) ? refusedBatcher : batcher).submit({ hold }) as Promise<HoldDecision>,
    settle: (settlement) => batcher.submit({ settlement }) as Promise<Settled>,
    idle: async () => void (await Promise.all([batcher.idle(), refusedBatcher.idle()])),
    functions,
  };
}

const RETRY_DELAYS_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 3_200, 3_200, 3_200];

/**
 * Ends one hold, together with others that end at the same time. Settling is idempotent, so after a broken connection or a temporary
 * failure of the database it is retried while the caller waits.
 * @throws Error when the database was unavailable for over 15 s, refuses this settlement for good, or does not know the call
 */
export async function settleHold(commit: Commit, settlement: Settlement): Promise<Settled> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await commit.settle(settlement);
    } catch (error) {
      if (isRefusal(error) || isUnknownCall(error)) throw error;
      log().warn({ err: error, requestId: settlement.hold.requestId }, "settling a hold failed; retrying");
    }
    await sleep(delayMs);
  }
  return commit.settle(settlement);
}

/**
 * True when the database refused the item itself (a value, a constraint, an exception of ours) and would refuse it again. Lock timeouts,
 * deadlocks, and a server without memory or connections are temporary.
 */
export const isRefusal = (error: unknown): boolean => /^(22|23|P0)/.test(sqlStateOf(error) ?? "") && !isUnknownCall(error);

/**
 * True when the database does not know the call itself: its functions or types are those of another release, which would refuse every item.
 * It says nothing about this one, which is to be settled all the same.
 */
export const isUnknownCall = (error: unknown): boolean => /^(22P0[23]|42|0A000|08P01)/.test(sqlStateOf(error) ?? "");

/** A hold outlives the provider's time limit by the margin: a later settlement comes from a process that counts as dead. */
export const holdDeadline = (placedAt: Date): Date => dateOf(placedAt.getTime() + config().PROVIDER_TOTAL_TIMEOUT_MS + SETTLE_MARGIN_MS);

function circumstances(): Circumstances {
  const at = now();
  return { at, until: holdDeadline(at), processId: processId() };
}

async function run(statement: TextStatement): Promise<string> {
  const [text] = await runOnCommitConnection(statement);
  if (text === undefined) throw new Error("the ledger decided nothing");
  return text;
}

const measured = (decider: Decider, by: typeof decide) => async (items: readonly Item[]) => {
  const startedAt = performance.now();
  const results = await by(decider, items);
  const ms = performance.now() - startedAt;
  deferTelemetry(() => recordBatch(items, ms));
  return results;
};

function recordBatch(items: readonly Item[], ms: number): void {
  const { settlements, holds } = divide(items);
  if (holds.length > 0) metrics().ledgerBatchSize.observe({ operation: "hold" }, holds.length);
  if (settlements.length > 0) metrics().ledgerBatchSize.observe({ operation: "settle" }, settlements.length);
  metrics().ledgerBatchSeconds.observe(ms / 1000);
}

export type Item = { hold: Hold } | { settlement: Settlement };
export type Result = HoldDecision | Settled;

interface Decider {
  functions: CommitFunctions;
  /** Runs a statement in a separate commit. @throws what pg throws */
  run: (statement: TextStatement) => Promise<string>;
  circumstances: () => Circumstances;
  /** Accounts whose last hold was refused, the oldest first: most likely sets cannot decide their next holds either. */
  refused: Set<string>;
}

const accountOf = (item: Item): string => ("hold" in item ? item.hold : item.settlement.hold).accountId;

/** Decides items; each has its own result, in order. @throws what pg throws for all of them: then none is decided */
export const decide = (decider: Decider, items: readonly Item[]): Promise<(Result | Failure)[]> =>
  items.length < MIN_BATCH ? decideItems(decider, items) : decideBatch(decider, items);

async function decideBatch(decider: Decider, items: readonly Item[]): Promise<(Result | Failure)[]> {
  const { functions, run, circumstances } = decider;
  const answer = await run(manyStatement(functions.decideBatch, divide(items), circumstances()));
  if (!answer.startsWith("!")) return readLines(items, answer === "" ? [] : answer.split("\n"));
  const inTheWay = new Set(answer.slice(1).split(","));
  const rest = items.filter((item) => !inTheWay.has(accountOf(item)));
  if (rest.length === 0 || rest.length === items.length) return decideItems(decider, items);
  const those = items.filter((item) => inTheWay.has(accountOf(item)));
  // Two separate commits: a failure in the second rolls back nothing of the first.
  const decided = new Map(zip(rest, await decide(decider, rest)));
  const results = await decideItems(decider, those).catch((error: unknown) => decideSingly(decider, those, error));
  for (const [item, result] of zip(those, results)) decided.set(item, result);
  return items.map((item) => decided.get(item) ?? new Failure(new Error("assertion failed: an item was not decided")));
}

const zip = <One, Other>(ones: readonly One[], others: readonly Other[]): [One, Other][] =>
  ones.flatMap((one, index) => (index < others.length ? [[one, others[index] as Other]] : []));

/** Decides items one after the other, in one statement. @throws what pg throws for all of them */
async function decideItems(decider: Decider, items: readonly Item[]): Promise<(Result | Failure)[]> {
  const results = await runItems(decider, items);
  for (const [item, result] of zip(items, results)) if ("hold" in item) recordRefused(decider, accountOf(item), result.outcome !== "held");
  return results;
}

function recordRefused({ refused }: Decider, account: string, isRefused: boolean): void {
  if (!isRefused) return void refused.delete(account);
  const [oldest] = refused;
  if (refused.size >= MAX_REFUSED && oldest !== undefined) refused.delete(oldest);
  refused.add(account);
}

async function runItems({ functions, run, circumstances }: Decider, items: readonly Item[]): Promise<Result[]> {
  const [first] = items;
  if (items.length > 1 || !first) {
    const answer = await run(manyStatement(functions.decideItems, divide(items), circumstances()));
    return readLines(items, answer.split("\n"));
  }
  if ("hold" in first) return [readHoldDecision(await run(placeHoldStatement(functions, first.hold, circumstances())))];
  return [readSettled(await run(settleHoldStatement(functions, first.settlement, circumstances())), first.settlement)];
}

/** After a statement for all of them failed: decides each in its own statement, so that only the item at fault fails. */
async function decideSingly(decider: Decider, items: readonly Item[], error: unknown): Promise<(Result | Failure)[]> {
  if (!isStatementError(error)) return items.map(() => new Failure(error));
  const results: (Result | Failure)[] = [];
  for (const item of items) results.push(...(await decideItems(decider, [item]).catch((failed: unknown) => [new Failure(failed)])));
  return results;
}

function divide(items: readonly Item[]): Items {
  const settlements: Settlement[] = [];
  const holds: Hold[] = [];
  for (const item of items) {
    if ("hold" in item) holds.push(item.hold);
    else settlements.push(item.settlement);
  }
  return { settlements, holds };
}

/** Lines: settlements first, then holds, each in the order of the items; a batch decided as sets has no lines for its holds. */
function readLines(items: readonly Item[], lines: readonly string[]): Result[] {
  let nextSettled = 0;
  let nextHeld = 0;
  for (const item of items) if (!("hold" in item)) nextHeld++;
  const results: Result[] = [];
  for (const item of items) {
    if ("hold" in item) results.push(readHoldDecision(lines[nextHeld++] ?? "held"));
    else results.push(readSettled(lines[nextSettled++] ?? "", item.settlement));
  }
  return results;
}
