// What is asked of the ledger when a hold ends, and what it answers. Settling is idempotent, so whatever came between, a
// broken connection or a database that could not just now, it is tried again until it is known; the caller's answer waits.

import { setTimeout as sleep } from "node:timers/promises";
import type { RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { isStatementError } from "@/lib/db/failure";
import { submitToCommit } from "./commit-batch";
import type { HoldItem, SettleItem } from "./commit-items";
import type { CommitRow } from "./commit-statements";
import { type HoldDecision, readDecision } from "./hold-batch";

export interface Settled {
  outcome: "settled" | "released" | "late" | "already";
  /** What was charged, nano-USD. */
  inputCost: NanoUsd;
  outputCost: NanoUsd;
  /** What was decided of the hold that came with it; undefined when none came, or that is not known. */
  next: HoldDecision | undefined;
}

const RETRY_DELAYS_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 3_200, 3_200, 3_200];

/**
 * Ends one hold together with those that end beside it, and resolves when that is durable. `next` is placed in the same commit, if it fits.
 * @throws Error when the database stayed away for over 15 s: the reaper frees the hold then, and the operator bears the answer
 */
export const submitSettlement = (item: SettleItem, next: HoldItem | null = null): Promise<Settled> =>
  submitToCommit({ kind: "settle", settle: item, next }).then(readSettled, (error: unknown) => settleAgain(item, error, next !== null));

/** Without the hold that came with it, which may be what was at fault. */
function settleAgain(item: SettleItem, error: unknown, hadNext: boolean): Promise<Settled> {
  const settle = () => submitToCommit({ kind: "settle", settle: item, next: null }).then(readSettled);
  if (!hadNext || !isRefusal(error)) return tryAgain(item.request, error, settle);
  return settle().catch((next: unknown) => tryAgain(item.request, next, settle));
}

/** Does again what failed with `firstError`, until the database can. @throws Error what it could not do for 15 s, or never will */
export async function tryAgain<Result>(requestId: RequestId, firstError: unknown, work: () => Promise<Result>): Promise<Result> {
  let error = firstError;
  for (const delayMs of RETRY_DELAYS_MS) {
    if (isRefusal(error)) break;
    log().warn({ err: error, requestId }, "settling a hold failed, trying again");
    await sleep(delayMs);
    try {
      return await work();
    } catch (next) {
      error = next;
    }
  }
  throw error;
}

/**
 * True when the database refused the item itself (a value, a constraint, an exception of ours) and would again. A lock that
 * was not got, a server without memory or connections, a deadlock: those pass.
 */
const isRefusal = (error: unknown): boolean => isStatementError(error) && /^(22|23|42|P0)/.test((error as { code: string }).code);

function readSettled({ outcome, input_cost, output_cost, next }: CommitRow): Settled {
  return {
    outcome: readOutcome(outcome),
    inputCost: nanoUsd(input_cost ?? 0n),
    outputCost: nanoUsd(output_cost ?? 0n),
    next: next === null ? undefined : readDecision(next),
  };
}

function readOutcome(outcome: string): Settled["outcome"] {
  if (outcome === "settled" || outcome === "released" || outcome === "late" || outcome === "already") return outcome;
  throw new Error(`the ledger ended a hold as "${outcome}"`);
}
