// Settlements that failed while their callers waited, because the database was unavailable for longer. They wait in this process, and are
// made once it answers again. Those lost with the process are freed by the reaper, and nothing is charged for them.

import { ZERO_USD } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { sqlStateOf } from "@/lib/db/failure";
import type { Settled, Settlement } from "./commit/codec";
import { type Commit, isRefusal, isUnknownCall, settleHold } from "./commit/commit";
import type { Hold } from "./holds";

/** For charges and for releases each. Ten seconds at thousands per second; only the answers kept for idempotency keys are large. */
const MAX_WAITING = 10_000;
const TRY_EVERY_MS = 500;
const TOGETHER = 64;
/** A statement whose connection broke may still run on the server until its time limit, and place its hold after the release. */
const STATEMENT_ENDS_WITHIN_MS = 35_000;
const LOCK_NOT_AVAILABLE = "55P03";
/** After a call that the database does not know: functions do not change by the second. */
const UNKNOWN_CALL_EVERY_MS = 10_000;

interface Waiting {
  commit: Commit;
  settlement: Settlement;
  /** Monotonic: when the settlement is tried. `againAt`: when it is made a second time; null if that is not necessary. */
  dueAt: number;
  againAt: number | null;
  /** Monotonic: the database did not know the call, and is not asked again before then. */
  restsUntil?: number;
  /** Called once it is made; called again if the callback itself failed. */
  onSettled: OnSettled;
}

type OnSettled = (settled: Settled) => unknown;

/** Both sets have the oldest first. */
interface Queue {
  charges: Set<Waiting>;
  /** Separate: while no hold can be placed releases are many, and must not crowd out charges. */
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

/** Makes a settlement as soon as the database answers. When too many wait, the oldest is given up, and its hold expires. */
export function settleLater(commit: Commit, settlement: Settlement, onSettled: OnSettled = () => undefined): void {
  add({ commit, settlement, dueAt: 0, againAt: null, onSettled });
}

/** Releases a hold that may or may not have been placed. */
export function releaseUnknown(commit: Commit, hold: Hold): void {
  const againAt = performance.now() + STATEMENT_ENDS_WITHIN_MS;
  add({ commit, settlement: releaseOf(hold), dueAt: 0, againAt, onSettled: () => undefined });
}

/** Number of settlements that wait for a database that does not answer. */
export const countWaitingSettlements = (): number => allWaiting().filter(({ dueAt }) => dueAt === 0).length;

const allWaiting = (): Waiting[] => [...queue().charges, ...queue().releases];

const queueOf = ({ settlement }: Waiting): Set<Waiting> => (settlement.charge ? queue().charges : queue().releases);

/** Tries all waiting settlements again: for the drain, which cannot wait longer. The rest is left to the reaper. */
export const tryWaitingSettlements = (): Promise<void> =>
  nextRound(() => {
    for (const one of allWaiting()) if (one.restsUntil !== undefined) one.restsUntil = 0;
    return tryAll();
  });

/** Says which charges the end of this process loses. */
export function reportLeftCharges(): void {
  const left = [...queue().charges].map(({ settlement }) => settlement.hold.requestId);
  if (left.length > 0)
    log().error({ count: left.length, requestIds: left.slice(0, 20) }, "charges are left that the database did not take");
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
  log().error({ requestId: hold.requestId }, "too many settlements are waiting for the database: dropped one, and its hold expires");
}

function schedule(): void {
  const all = queue();
  all.timer ??= setTimeout(() => {
    all.timer = undefined;
    void nextRound(tryAll).finally(() => {
      if (all.charges.size + all.releases.size > 0) schedule();
    });
  }, TRY_EVERY_MS).unref();
}

/** Rounds run one after the other: two at once would make a settlement twice, and tell its caller twice. */
function nextRound(tryThem: () => Promise<void>): Promise<void> {
  const all = queue();
  const round = (all.trying ?? Promise.resolve()).then(tryThem).finally(() => {
    if (all.trying === round) all.trying = undefined;
  });
  all.trying = round;
  return round;
}

async function tryAll(): Promise<void> {
  const due = allWaiting().filter(({ dueAt, restsUntil = 0 }) => Math.max(dueAt, restsUntil) <= performance.now());
  for (let from = 0; from < due.length; from += TOGETHER) {
    const areMade = await Promise.all(due.slice(from, from + TOGETHER).map(tryOne));
    // While the database does not answer these, it does not answer the others either.
    if (!areMade.includes(true)) return;
  }
}

/** False when the database could not settle it, and would not settle others either. */
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
    if (isUnknownCall(error)) return rest(one, error);
    // A locked account says nothing about the others.
    if (!isRefusal(error)) return sqlStateOf(error) === LOCK_NOT_AVAILABLE;
    waiting.delete(one);
    log().error({ err: error, requestId }, "the ledger refused a settlement; its hold expires");
    return true;
  }
}

/** No delivered answer is given up because a newer release has changed the database under this process. The log says so once. */
function rest(one: Waiting, error: unknown): true {
  if (one.restsUntil === undefined) {
    metrics().unknownCalls.inc();
    const { requestId } = one.settlement.hold;
    log().error(
      { err: error, requestId },
      "the database does not know this release's settlements: bring its functions back, or this answer is free",
    );
  }
  one.restsUntil = performance.now() + UNKNOWN_CALL_EVERY_MS;
  return true;
}

/** Frees a hold, on the disk before it resolves; if that fails now, the hold is freed once the database answers again. */
export async function releaseHold(commit: Commit, hold: Hold): Promise<void> {
  const release = releaseOf(hold);
  try {
    await settleHold(commit, release);
  } catch (error) {
    // This error must not hide the caller's own.
    log().error({ err: error, requestId: hold.requestId }, "could not release a hold; retrying later");
    settleLater(commit, release);
  }
}

/** Ends a hold without a charge. */
export const releaseOf = (hold: Hold): Settlement => ({ hold, inputCost: ZERO_USD, outputCost: ZERO_USD, charge: null, reply: null });
