// Settlements that could not be made while somebody waited for them: the database was away for longer. They wait in this process,
// and are made once it answers again. What is lost with the process is freed by the reaper, and nothing is charged for it.

import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { once } from "@/lib/base/once";
import type { Commit } from "./commit/commit";
import { type Hold, releaseOf, type Settled, type Settlement } from "./holds";
import { isRefusal } from "./settle-hold";

/** Some thousands a second come to this in ten seconds; the answers that idempotency keys keep are all that is large of them. */
const MAX_WAITING = 10_000;
const TRY_EVERY_MS = 500;
const TOGETHER = 64;
/** A statement whose connection broke may still run on the server, and place its hold after this was released, until its time limit. */
const STATEMENT_ENDS_WITHIN_MS = 35_000;

interface Waiting {
  commit: Commit;
  settlement: Settlement;
  /** Monotonic: when it is made for the first time, and when once more; null for those that need not be. */
  dueAt: number;
  againAt: number | null;
  /** Called once it is made. */
  onSettled: (settled: Settled) => void;
}

interface Queue {
  /** By request and account; the oldest comes first. */
  waiting: Map<string, Waiting>;
  timer: NodeJS.Timeout | undefined;
  trying: Promise<void> | undefined;
}

const queue = () => once<Queue>("waiting settlements", () => ({ waiting: new Map(), timer: undefined, trying: undefined }));

/** Makes a settlement as soon as the database answers. Where too many wait, the oldest is given up, and its hold expires. */
export function settleLater(commit: Commit, settlement: Settlement, onSettled: (settled: Settled) => void = () => undefined): void {
  add({ commit, settlement, dueAt: 0, againAt: null, onSettled });
}

/** Releases a hold of which nobody knows whether it was placed. */
export function releaseUnknown(commit: Commit, hold: Hold): void {
  const againAt = performance.now() + STATEMENT_ENDS_WITHIN_MS;
  add({ commit, settlement: releaseOf(hold), dueAt: 0, againAt, onSettled: () => undefined });
}

/** How many settlements wait for a database that does not answer. */
export const countWaitingSettlements = (): number => [...queue().waiting.values()].filter(({ dueAt }) => dueAt === 0).length;

/** Tries all that wait once more: for the drain, which cannot wait for longer. What is left then is the reaper's. */
export async function tryWaitingSettlements(): Promise<void> {
  await queue().trying;
  await tryAll();
}

/** A hold of which not even the account is known is released of each that it can be of. */
const keyOf = ({ hold }: Settlement): string => `${hold.requestId} ${hold.accountId}`;

function add(waiting: Waiting): void {
  const all = queue();
  const [oldest] = all.waiting.keys();
  if (all.waiting.size >= MAX_WAITING && oldest) {
    all.waiting.delete(oldest);
    metrics().lostAnswers.inc();
    log().error({ hold: oldest }, "too many settlements wait for the database: this one is given up, and its hold expires");
  }
  all.waiting.set(keyOf(waiting.settlement), waiting);
  schedule();
}

function schedule(): void {
  const all = queue();
  all.timer ??= setTimeout(() => {
    all.timer = undefined;
    all.trying = tryAll().finally(() => {
      all.trying = undefined;
      if (all.waiting.size > 0) schedule();
    });
  }, TRY_EVERY_MS).unref();
}

async function tryAll(): Promise<void> {
  const due = [...queue().waiting.values()].filter(({ dueAt }) => dueAt <= performance.now());
  for (let from = 0; from < due.length; from += TOGETHER) {
    const areMade = await Promise.all(due.slice(from, from + TOGETHER).map(tryOne));
    // While the database does not answer these, it does not answer the others.
    if (!areMade.includes(true)) return;
  }
}

/** False when the database could not. */
async function tryOne(one: Waiting): Promise<boolean> {
  const { waiting } = queue();
  const { requestId } = one.settlement.hold;
  try {
    const settled = await one.commit.settle(one.settlement);
    one.onSettled(settled);
    if (one.againAt === null) waiting.delete(keyOf(one.settlement));
    else Object.assign(one, { dueAt: one.againAt, againAt: null });
    return true;
  } catch (error) {
    if (!isRefusal(error)) return false;
    waiting.delete(keyOf(one.settlement));
    log().error({ err: error, requestId }, "the ledger refuses a settlement; its hold expires");
    return true;
  }
}
