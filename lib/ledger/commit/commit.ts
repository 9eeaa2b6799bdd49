// Commits of all that this process holds and settles: what arrives while a commit is under way goes into the next one. So few disk
// flushes serve many requests, and holds and settlements of one account rarely wait for each other's locks.

import { dateOf, now } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { deferTelemetry } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { isStatementError } from "@/lib/db/failure";
import { processId } from "@/lib/db/heartbeat";
import type { Hold, HoldDecision, Settled, Settlement } from "../holds";
import { Batcher } from "./batcher";
import type { Circumstances, CommitFunctions, TextStatement } from "./codec";
import { hasIdleConnection, runOnCommitConnection } from "./connections";
import { accountOf, type Decider, decide, decideItems, divide, type Item, type Result } from "./decide";

const MAX_ITEMS = 256;
/** Fewer items are not worth a commit of their own while answers that are about to be handed out lead to more of them. */
const ENOUGH_ITEMS = 6;
/** So many are worth a commit of their own beside one that is under way; fewer would cost each of them more than they gain. */
const MIN_PARALLEL_BATCH = 20;
/** How long after the provider's own time limit a hold is still safe from the reaper: for the settlement. */
const SETTLE_MARGIN_MS = 60_000;

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
  const refused = new Set<string>();
  const decider: Decider = { functions, run, circumstances, refused };
  const options = { most: MAX_ITEMS, enough: ENOUGH_ITEMS, keyOf: accountOf, hasRoom: hasIdleConnection, mayRetrySingly: isStatementError };
  const batcher = new Batcher<Item, Result>({ ...options, run: measured(decider, decide), crowd: MIN_PARALLEL_BATCH });
  // One refused hold sends its batch the long way: who is refused again and again has batches of its own, and delays nobody else.
  const refusedBatcher = new Batcher<Item, Result>({ ...options, run: measured(decider, decideItems), crowd: Number.POSITIVE_INFINITY });
  return {
    place: (hold) => (refused.has(hold.accountId) ? refusedBatcher : batcher).submit({ hold }) as Promise<HoldDecision>,
    settle: (settlement) => batcher.submit({ settlement }) as Promise<Settled>,
    idle: async () => void (await Promise.all([batcher.idle(), refusedBatcher.idle()])),
    functions,
  };
}

/** A hold outlives the provider's time limit by the margin: what settles later than that comes from the dead. */
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
