// Commits of all that this process holds and settles: what arrives while a commit is under way goes into the next one. So few disk
// flushes serve many requests, and holds and settlements of one account rarely wait for each other's locks. A batch is decided by sets;
// the accounts that stand in its way, for one refused hold is enough, are decided item by item and keep nobody else.

import { dateOf, now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { afterwards } from "@/lib/base/observe/afterwards";
import { metrics } from "@/lib/base/observe/metrics";
import { isStatementError } from "@/lib/db/failure";
import { processId } from "@/lib/db/heartbeat";
import type { Hold, HoldDecision, Settled, Settlement } from "../holds";
import { Batcher, Failure } from "./batcher";
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
/** Fewer items are not worth a commit of their own while answers that are about to be handed out lead to more of them. */
const ENOUGH_ITEMS = 6;
/** So many are worth a commit of their own beside one that is under way; fewer would cost each of them more than they gain. */
const MIN_PARALLEL_BATCH = 20;
/** One or two items are decided sooner one after the other than by sets. */
const MIN_BATCH = 3;
/** How long after the provider's own time limit a hold is still safe from the reaper: for the settlement. */
const SETTLE_MARGIN_MS = 60_000;

type Item = { hold: Hold } | { settlement: Settlement };
type Result = HoldDecision | Settled;
type Results = (Result | Failure)[];

export interface Commit {
  /** Decides a hold, together with what arrives beside it. @throws what pg throws; after a broken connection nobody knows */
  place(hold: Hold): Promise<HoldDecision>;
  /** Ends a hold; resolves when that is on the disk. @throws what pg throws */
  settle(settlement: Settlement): Promise<Settled>;
  /** Resolves when all that was submitted is done. */
  idle(): Promise<void>;
  functions: CommitFunctions;
}

/** The commits of this process, through these SQL functions. */
export function createCommit(functions: CommitFunctions): Commit {
  const batcher = new Batcher<Item, Result>({
    run: (items) => decide(functions, items),
    most: MAX_ITEMS,
    enough: ENOUGH_ITEMS,
    crowd: MIN_PARALLEL_BATCH,
    keyOf: accountOf,
    hasRoom: hasIdleConnection,
    mayRetrySingly: isStatementError,
  });
  return {
    place: (hold) => batcher.submit({ hold }) as Promise<HoldDecision>,
    settle: (settlement) => batcher.submit({ settlement }) as Promise<Settled>,
    idle: () => batcher.idle(),
    functions,
  };
}

const accountOf = (item: Item): string => ("hold" in item ? item.hold : item.settlement.hold).accountId;

/** A hold outlives the provider's time limit by the margin: what settles later than that comes from the dead. */
export const holdDeadline = (placedAt: Date): Date => dateOf(placedAt.getTime() + config().PROVIDER_TOTAL_TIMEOUT_MS + SETTLE_MARGIN_MS);

async function decide(functions: CommitFunctions, items: readonly Item[]): Promise<Results> {
  const startedAt = performance.now();
  const results = items.length < MIN_BATCH ? await decideItems(functions, items) : await decideBatch(functions, items);
  const ms = performance.now() - startedAt;
  afterwards(() => recordBatch(items, ms));
  return results;
}

/** By sets, as far as nothing stands in the way. */
async function decideBatch(functions: CommitFunctions, items: readonly Item[]): Promise<Results> {
  const answer = await run(manyStatement(functions.decideBatch, divide(items), circumstances()));
  if (!answer.startsWith("!")) return readLines(items, answer === "" ? [] : answer.split("\n"));
  const inTheWay = new Set(answer.slice(1).split(","));
  const rest = items.filter((item) => !inTheWay.has(accountOf(item)));
  if (rest.length < MIN_BATCH || rest.length === items.length) return decideItems(functions, items);
  const those = items.filter((item) => inTheWay.has(accountOf(item)));
  // Each of the two is committed by itself: what fails in the second takes back nothing of the first.
  const decided = new Map<Item, Result | Failure>();
  const restResults = await decideBatch(functions, rest);
  for (const [index, item] of rest.entries()) decided.set(item, restResults[index] ?? new Failure(noResult()));
  const thoseResults = await decideItems(functions, those).catch((error: unknown) => decideSingly(functions, those, error));
  for (const [index, item] of those.entries()) decided.set(item, thoseResults[index] ?? new Failure(noResult()));
  return items.map((item) => decided.get(item) ?? new Failure(noResult()));
}

const noResult = () => new Error("assertion failed: an item was not decided");

async function decideItems(functions: CommitFunctions, items: readonly Item[]): Promise<Results> {
  const [first] = items;
  if (items.length > 1 || !first) {
    const answer = await run(manyStatement(functions.decideItems, divide(items), circumstances()));
    return readLines(items, answer.split("\n"));
  }
  if ("hold" in first) return [readHoldDecision(await run(placeHoldStatement(functions, first.hold, circumstances())))];
  return [readSettled(await run(settleHoldStatement(functions, first.settlement, circumstances())), first.settlement)];
}

/** After a statement for all of them failed: each by itself, so that the one at fault fails alone. */
async function decideSingly(functions: CommitFunctions, items: readonly Item[], error: unknown): Promise<Results> {
  if (!isStatementError(error)) return items.map(() => new Failure(error));
  const results: Results = [];
  for (const item of items) results.push(...(await decideItems(functions, [item]).catch((failed: unknown) => [new Failure(failed)])));
  return results;
}

function circumstances(): Circumstances {
  const at = now();
  return { at, until: holdDeadline(at), processId: processId() };
}

async function run(statement: TextStatement): Promise<string> {
  const [text] = await runOnCommitConnection(statement);
  if (text === undefined) throw new Error("the ledger decided nothing");
  return text;
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

/** Lines come settlements first, then holds, each in the order of the items; of a batch without refusals holds have none. */
function readLines(items: readonly Item[], lines: readonly string[]): Results {
  let nextSettled = 0;
  let nextHeld = items.filter((item) => !("hold" in item)).length;
  const results: Results = [];
  for (const item of items) {
    if ("hold" in item) results.push(readHoldDecision(lines[nextHeld++] ?? "held"));
    else results.push(readSettled(lines[nextSettled++] ?? "", item.settlement));
  }
  return results;
}

function recordBatch(items: readonly Item[], ms: number): void {
  const { settlements, holds } = divide(items);
  if (holds.length > 0) metrics().ledgerBatchSize.observe({ operation: "hold" }, holds.length);
  if (settlements.length > 0) metrics().ledgerBatchSize.observe({ operation: "settle" }, settlements.length);
  metrics().ledgerBatchSeconds.observe(ms / 1000);
}
