// Settlements that could not be made while somebody waited for them: the database was away for longer. They wait in this process,
// and are made once it answers again. What is lost with the process is freed by the reaper, and nothing is charged for it.

import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { sqlStateOf } from "@/lib/db/failure";
import { type Commit, isRefusal } from "./commit/commit";
import { type Hold, releaseOf, type Settled, type Settlement } from "./holds";

/** Of each kind. Some thousands a second come to this in ten seconds; the answers that idempotency keys keep are all that is large of them. */
const MAX_WAITING = 10_000;
const TRY_EVERY_MS = 500;
const TOGETHER = 64;
/** A statement whose connection broke may still run on the server, and place its hold after this was released, until its time limit. */
const STATEMENT_ENDS_WITHIN_MS = 35_000;
const LOCK_NOT_AVAILABLE = "55P03";

interface Waiting {
  commit: Commit;
  settlement: Settlement;
  /** Monotonic: when it is made for the first time, and when once more; null for those that need not be. */
  dueAt: number;
  againAt: number | null;
  /** Called once it is made, and again when it failed. */
  onSettled: OnSettled;
}

type OnSettled = (settled: Settled) => unknown;

/** The oldest comes first. */
interface Queue {
  charges: Set<Waiting>;
  /** While no hold can be placed releases are many, and must crowd out no charge. */
  releases: Set<Waiting>;
  timer: NodeJS.Timeout | undefined;
  trying: Promise<void> | undefined;
}

const queue = processSingleton<Queue>("waiting settlements", () => ({
  charges: new Set(),
  releases: new Set(),
  timer: undefined,
  trying: undefined,
}));

/** Makes a settlement as soon as the database answers. Where too many wait, the oldest is given up, and its hold expires. */
export function settleLater(commit: Commit, settlement: Settlement, onSettled: OnSettled = () => undefined): void {
  add({ commit, settlement, dueAt: 0, againAt: null, onSettled });
}

/** Releases a hold of which nobody knows whether it was placed. */
export function releaseUnknown(commit: Commit, hold: Hold): void {
  const againAt = performance.now() + STATEMENT_ENDS_WITHIN_MS;
  add({ commit, settlement: releaseOf(hold), dueAt: 0, againAt, onSettled: () => undefined });
}

/** How many settlements wait for a database that does not answer. */
export const countWaitingSettlements = (): number => allWaiting().filter(({ dueAt }) => dueAt === 0).length;

const allWaiting = (): Waiting[] => [...queue().charges, ...queue().releases];

const queueOf = ({ settlement }: Waiting): Set<Waiting> => (settlement.charge ? queue().charges : queue().releases);

/** Tries all that wait once more: for the drain, which cannot wait for longer. What is left then is the reaper's. */
export async function tryWaitingSettlements(): Promise<void> {
  await queue().trying;
  await tryAll();
}

function add(waiting: Waiting): void {
  const all = queueOf(waiting);
  const [oldest] = all;
  if (all.size >= MAX_WAITING && oldest) giveUp(oldest);
  all.add(waiting);
  schedule();
}

function giveUp(oldest: Waiting): void {
  const { hold, charge } = oldest.settlement;
  queueOf(oldest).delete(oldest);
  if (!charge) return;
  metrics().lostAnswers.inc();
  log().error({ requestId: hold.requestId }, "too many settlements wait for the database: this one is given up, and its hold expires");
}

function schedule(): void {
  const all = queue();
  all.timer ??= setTimeout(() => {
    all.timer = undefined;
    all.trying = tryAll().finally(() => {
      all.trying = undefined;
      if (all.charges.size + all.releases.size > 0) schedule();
    });
  }, TRY_EVERY_MS).unref();
}

async function tryAll(): Promise<void> {
  const due = allWaiting().filter(({ dueAt }) => dueAt <= performance.now());
  for (let from = 0; from < due.length; from += TOGETHER) {
    const areMade = await Promise.all(due.slice(from, from + TOGETHER).map(tryOne));
    // While the database does not answer these, it does not answer the others.
    if (!areMade.includes(true)) return;
  }
}

/** False when the database could not, and would not do others either. */
async function tryOne(one: Waiting): Promise<boolean> {
  const waiting = queueOf(one);
  const { requestId } = one.settlement.hold;
  try {
    const settled = await one.commit.settle(one.settlement);
    await one.onSettled(settled);
    if (one.againAt === null) waiting.delete(one);
    else Object.assign(one, { dueAt: one.againAt, againAt: null });
    return true;
  } catch (error) {
    // An account that somebody keeps locked says nothing of the others.
    if (!isRefusal(error)) return sqlStateOf(error) === LOCK_NOT_AVAILABLE;
    waiting.delete(one);
    log().error({ err: error, requestId }, "the ledger refuses a settlement; its hold expires");
    return true;
  }
}
