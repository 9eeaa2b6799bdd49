// How items are decided in as few statements as it takes: many by sets, and the accounts that stand in the way of that, for one
// refused hold is enough, item by item, so that they keep nobody else.

import { isStatementError } from "@/lib/db/failure";
import type { Hold, HoldDecision, Settled, Settlement } from "../holds";
import { Failure } from "./batcher";
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

/** One or two items are decided sooner one after the other than by sets. */
const MIN_BATCH = 3;

export type Item = { hold: Hold } | { settlement: Settlement };
export type Result = HoldDecision | Settled;

/** Of so many accounts it is remembered that their last hold was refused. */
const MAX_REFUSED = 10_000;

export interface Decider {
  functions: CommitFunctions;
  /** Runs a statement in a commit of its own. @throws what pg throws */
  run: (statement: TextStatement) => Promise<string>;
  circumstances: () => Circumstances;
  /** Accounts whose last hold was refused, the oldest first: their next ones cannot be decided by sets either, most likely. */
  refused: Set<string>;
}

export const accountOf = (item: Item): string => ("hold" in item ? item.hold : item.settlement.hold).accountId;

/** Decides items; each has a result of its own, in order. @throws what pg throws for all of them: none is decided then */
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
  // The two are committed by themselves: what fails in the second takes back nothing of the first.
  const decided = new Map(zip(rest, await decide(decider, rest)));
  const results = await decideItems(decider, those).catch((error: unknown) => decideSingly(decider, those, error));
  for (const [item, result] of zip(those, results)) decided.set(item, result);
  return items.map((item) => decided.get(item) ?? new Failure(new Error("assertion failed: an item was not decided")));
}

const zip = <One, Other>(ones: readonly One[], others: readonly Other[]): [One, Other][] =>
  ones.flatMap((one, index) => (index < others.length ? [[one, others[index] as Other]] : []));

/** Decides each item by itself, in one statement. @throws what pg throws for all of them */
export async function decideItems(decider: Decider, items: readonly Item[]): Promise<(Result | Failure)[]> {
  const results = await runItems(decider, items);
  for (const [item, result] of zip(items, results)) if ("hold" in item) noteRefused(decider, accountOf(item), result.outcome !== "held");
  return results;
}

function noteRefused({ refused }: Decider, account: string, isRefused: boolean): void {
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

/** After a statement for all of them failed: each by itself, so that the one at fault fails alone. */
async function decideSingly(decider: Decider, items: readonly Item[], error: unknown): Promise<(Result | Failure)[]> {
  if (!isStatementError(error)) return items.map(() => new Failure(error));
  const results: (Result | Failure)[] = [];
  for (const item of items) results.push(...(await decideItems(decider, [item]).catch((failed: unknown) => [new Failure(failed)])));
  return results;
}

export function divide(items: readonly Item[]): Items {
  const settlements: Settlement[] = [];
  const holds: Hold[] = [];
  for (const item of items) {
    if ("hold" in item) holds.push(item.hold);
    else settlements.push(item.settlement);
  }
  return { settlements, holds };
}

/** Lines come settlements first, then holds, each in the order of the items; of a batch that was decided by sets holds have none. */
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
