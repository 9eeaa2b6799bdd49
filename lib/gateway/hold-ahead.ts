// Holds ahead. A key that asks again and again has its next hold placed in the commit of its last charge, so that its next request finds
// it on the disk and waits for one commit instead of two. It is a hold like any other, decided by the same rules, of a request that has
// its id before it comes. One that nobody comes for is released, and nobody is refused for the money that lies in it.

import { capPeriodEnd } from "@/lib/access/cap-period";
import { nowMs } from "@/lib/base/clock";
import { config } from "@/lib/base/config";
import { type AccountId, type KeyId, newRequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { onceKept } from "@/lib/base/once";
import { shrinkHold } from "@/lib/ledger/shrink-hold";
import type { HoldItem } from "./commit-items";
import { isDraining } from "./drain";
import type { HoldDecision } from "./hold-batch";
import type { Hold } from "./placed-hold";
import type { Quote } from "./quote";
import { releaseHold } from "./release";

/**
 * How long one waits for its request. Below the second within which a revoked key stops working: whether the key may spend was decided
 * when the hold was placed.
 */
const AHEAD_MS = 900;
/** So many requests in a row, each so soon after an answer, make it likely that another follows. */
const STREAK = 3;
/** Keys are remembered between their answers for so long, and at most so many. */
const FORGET_MS = 300_000;
const MOST_PACES = 20_000;
/** A key comes last among them no more often than this: moving it costs more than finding it. */
const MOVE_MS = 10_000;

/** How a key has been asking. Times are monotonic. */
interface Pace {
  /** Of its last charge. */
  chargedAt: number;
  /** When it came last among all. */
  movedAt: number;
  /** How many of its requests came soon after an answer, one after the other. */
  streak: number;
  /** When the hold ahead was asked for that is being placed. */
  askedAt: number | null;
  ahead: HoldAhead | null;
}

interface HoldAhead {
  pace: Pace;
  hold: Hold;
  endsAt: number;
  /** Unix milliseconds: when it was kept, and the end of the period that it counts in. */
  keptAtMs: number;
  periodEndsAt: number;
}

interface Paces {
  /** Who was moved longest ago comes first. */
  byKey: Map<KeyId, Pace>;
  /** What waits for its request; the oldest comes first. */
  aheads: Set<HoldAhead>;
  /** What is being released, and is not free before its commit. */
  leaving: Set<{ account: AccountId; released: Promise<void> }>;
  /** What was taken by a request that may cost less, with the most that it may cost. */
  roomy: Map<Hold, NanoUsd>;
  timer: NodeJS.Timeout | undefined;
}

const paces = onceKept<Paces>("paces of keys", () => ({
  byKey: new Map(),
  aheads: new Set(),
  leaving: new Set(),
  roomy: new Map(),
  timer: undefined,
}));

/** Notes that a key asks, and returns the hold that is there for it, if it fits; one that does not is released. */
export function takeHoldAhead(key: KeyId, { ceiling }: Quote): Hold | null {
  const pace = paces().byKey.get(key);
  if (!pace) return null;
  const at = performance.now();
  pace.streak = at - pace.chargedAt < AHEAD_MS ? pace.streak + 1 : 0;
  const { ahead } = pace;
  if (!ahead) return null;
  leave(ahead);
  const { hold } = ahead;
  if (at < ahead.endsAt && isOfThisTime(ahead) && hold.ceiling >= ceiling && hold.ceiling <= mostFor(ceiling)) {
    if (hold.ceiling > ceiling) paces().roomy.set(hold, ceiling);
    return hold;
  }
  giveBack(hold);
  return null;
}

/** Its deadline and its period were told by the clock, which may have been set since. */
function isOfThisTime({ keptAtMs, periodEndsAt }: HoldAhead): boolean {
  const ms = nowMs();
  return ms < periodEndsAt && Math.abs(ms - keptAtMs) < 2 * AHEAD_MS;
}

/** Some room, since the next prompt is rarely of the same length; but no hold of much more than its request may cost. */
const roomFor = (ceiling: bigint): bigint => ceiling + ceiling / 4n;
const mostFor = (ceiling: bigint): bigint => ceiling + ceiling / 2n;

/** What the charge of this hold should place with it, when its key is likely to ask again. */
export function askHoldAhead({ keyId, accountId, claim, paidBy }: Hold, { ceiling }: Quote): HoldItem | null {
  if (keyId === null || claim !== null || paidBy !== "balance") return null;
  const pace = notePace(keyId);
  if (pace.streak < STREAK || pace.ahead || pace.askedAt !== null || !isAlone() || isDraining()) return null;
  pace.askedAt = pace.chargedAt;
  return {
    request: newRequestId(),
    account: accountId,
    key: keyId,
    ceiling: nanoUsd(roomFor(ceiling)),
    idempotency: null,
    hash: null,
  };
}

/** Other processes could not ask for what is set aside here, and would refuse whoever needs it. */
const isAlone = (): boolean => config().REDIS_URL === undefined;

function notePace(key: KeyId): Pace {
  const { byKey } = paces();
  const at = performance.now();
  const known = byKey.get(key);
  if (known && at - known.movedAt < MOVE_MS) {
    known.chargedAt = at;
    return known;
  }
  const pace: Pace = known ?? { chargedAt: at, movedAt: at, streak: 0, askedAt: null, ahead: null };
  Object.assign(pace, { chargedAt: at, movedAt: at });
  byKey.delete(key);
  byKey.set(key, pace);
  for (const [oldest, { chargedAt }] of byKey) {
    if (byKey.size <= MOST_PACES && at - chargedAt < FORGET_MS) break;
    byKey.delete(oldest);
  }
  return pace;
}

/** Keeps the hold that was asked for until its request comes. `decision` is undefined when it is not known: then it is given back. */
export function keepHoldAhead({ request, account, key, ceiling }: HoldItem, decision: HoldDecision | undefined): void {
  const pace = key === null ? undefined : paces().byKey.get(key);
  const askedAt = pace?.askedAt ?? null;
  if (pace) pace.askedAt = null;
  if (decision && decision.outcome !== "held") {
    // The next would not be placed either; the key begins anew once it has rested.
    if (pace) pace.streak = Number.NEGATIVE_INFINITY;
    return;
  }
  const { period, periodStart } = decision ?? { period: null, periodStart: null };
  const hold: Hold = { requestId: request, accountId: account, keyId: key, ceiling, period, periodStart, claim: null, paidBy: "balance" };
  if (!pace || askedAt === null || !decision || isDraining()) {
    giveBack(hold);
    return;
  }
  // Counted from before it was decided.
  const endsAt = askedAt + AHEAD_MS;
  const periodEndsAt = capPeriodEnd(period, periodStart)?.getTime() ?? Number.POSITIVE_INFINITY;
  pace.ahead = { pace, hold, endsAt, keptAtMs: nowMs(), periodEndsAt };
  paces().aheads.add(pace.ahead);
  watch();
}

/**
 * Releases what waits, of one account or of all, and what those that were taken have above their requests' ceilings. Resolves to true,
 * when that is durable, if there was any, or some was being released: whoever was decided before may be decided otherwise now.
 */
export async function releaseHoldsAhead(account?: AccountId): Promise<boolean> {
  const { aheads, leaving, roomy } = paces();
  for (const ahead of aheads) {
    if (account !== undefined && ahead.hold.accountId !== account) continue;
    leave(ahead);
    ahead.pace.streak = 0;
    giveBack(ahead.hold);
  }
  for (const [hold, ceiling] of roomy) if (account === undefined || hold.accountId === account) giveRoomBack(hold, ceiling);
  const awaited: Promise<void>[] = [];
  for (const one of leaving) if (account === undefined || one.account === account) awaited.push(one.released);
  await Promise.all(awaited);
  return awaited.length > 0;
}

const giveBack = (hold: Hold): void => noteLeaving(hold, releaseHold(hold));

/** A settlement that begins meanwhile is decided by what the ledger has of the hold. */
function giveRoomBack(hold: Hold, ceiling: NanoUsd): void {
  endRoom(hold);
  const shrunk = shrinkHold(hold, ceiling).then(
    (isOpen) => {
      if (isOpen) hold.ceiling = ceiling;
    },
    (error: unknown) => log().error({ err: error, requestId: hold.requestId }, "a hold keeps its room until it ends"),
  );
  noteLeaving(hold, shrunk);
}

/** Tells that a hold is about to end, with all that it has. */
export const endRoom = (hold: Hold): void => void paces().roomy.delete(hold);

function noteLeaving({ accountId: account }: Hold, released: Promise<void>): void {
  const { leaving } = paces();
  const one = { account, released };
  leaving.add(one);
  void released.finally(() => leaving.delete(one));
}

function leave(ahead: HoldAhead): void {
  paces().aheads.delete(ahead);
  ahead.pace.ahead = null;
}

function watch(): void {
  const all = paces();
  all.timer ??= setTimeout(sweep, AHEAD_MS / 10).unref();
}

/** Releases what nobody came for. */
function sweep(): void {
  const all = paces();
  all.timer = undefined;
  const at = performance.now();
  for (const ahead of all.aheads) {
    if (ahead.endsAt > at) break;
    leave(ahead);
    giveBack(ahead.hold);
  }
  if (all.aheads.size > 0) watch();
}
