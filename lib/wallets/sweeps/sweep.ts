// Stored sweeps. Each update is conditional on the previous state, so that only one of two processes makes it.

import type { ChainId } from "@/lib/base/chains";
import { HOUR_MS, now } from "@/lib/base/clock";
import { fromUsdcUnits } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { inTransaction, lockName, prisma, type Transaction } from "@/lib/db/prisma";

/** States of sweeps that are neither done nor given up. */
export const UNDER_WAY = ["planned", "relayed"];

/** Why a planned sweep waits. */
export const WAIT_REASONS = [
  /** USDC is paused. */
  "paused",
  /** USDC blacklists or freezes the address, or the treasury. */
  "address_blocked",
  "treasury_blocked",
  /** The payer of transaction fees has no money for them. */
  "no_gas_money",
  "relay_stopped",
  /** The chain refused its transaction, or would refuse it. */
  "failed",
  /** Its transaction expired. */
  "lost",
] as const;

export type WaitReason = (typeof WAIT_REASONS)[number];

export interface PlannedSweep {
  id: string;
  index: number;
  /** In its display form: on Solana the owner, not the token account. */
  address: string;
  /** USDC base units. */
  units: bigint;
  /** The final block at which `units` was read. */
  readBlock: number;
  /** How often it has been signed. */
  attempt: number;
  reason: WaitReason | null;
  /** Start of its wait; null when it does not wait. */
  waitsSince: Date | null;
}

/** The relay id of the next attempt. */
export const nextRelayedId = ({ id, attempt }: Pick<PlannedSweep, "id" | "attempt">): string => `${id}_${attempt + 1}`;

/** Sweeps that can be signed now, the longest waiting first. */
export async function listDue(chain: ChainId, max: number): Promise<PlannedSweep[]> {
  const rows = await prisma().sweep.findMany({
    where: { chain, state: "planned", tryAt: { lte: now() } },
    select: { id: true, derivationIndex: true, address: true, units: true, readBlock: true, attempt: true, reason: true, waitsSince: true },
    orderBy: [{ tryAt: "asc" }, { id: "asc" }],
    take: max,
  });
  return rows.map(({ derivationIndex, reason, ...row }) => ({ ...row, index: derivationIndex, reason: reason as WaitReason | null }));
}

/** Number of sweeps that are signed and not ended. */
export const countRelayed = (chain: ChainId): Promise<number> => prisma().sweep.count({ where: { chain, state: "relayed" } });

/** USDC base units of planned and sent sweeps. */
export async function readUnitsUnderWay(chain: ChainId): Promise<bigint> {
  const { _sum } = await prisma().sweep.aggregate({ where: { chain, state: { in: UNDER_WAY } }, _sum: { units: true } });
  return _sum.units ?? 0n;
}

/** Another process took one of the sweeps and continues with them. */
export class SweepTaken extends Error {
  constructor() {
    super("A sweep was taken by another process.");
    this.name = "SweepTaken";
  }
}

/**
 * Takes sweeps to be relayed as `relayedId`, in the transaction that stores their bytes.
 * @throws SweepTaken
 */
export async function takeSweeps(sweeps: readonly PlannedSweep[], relayedId: string, transaction: Transaction): Promise<void> {
  // In id order: two processes with the same sweeps would otherwise deadlock.
  for (const { id, attempt } of [...sweeps].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const taken = { state: "relayed", attempt: attempt + 1, relayedId, reason: null, waitsSince: null };
    const { count } = await transaction.sweep.updateMany({ where: { id, state: "planned", attempt }, data: taken });
    if (count === 0) throw new SweepTaken();
  }
}

/** Reasons that end for all sweeps at once and cost one check, so their wait does not grow. */
const SHARED_REASONS: ReadonlySet<WaitReason> = new Set(["paused", "treasury_blocked", "no_gas_money", "relay_stopped"]);
const MIN_WAIT_MS = 60_000;
const MAX_WAIT_MS = HOUR_MS;

/** Delays planned sweeps by a minute. For an individual reason the delay equals the time already waited, at most an hour. */
export async function delaySweeps(sweeps: readonly PlannedSweep[], reason: WaitReason): Promise<void> {
  const at = now();
  const maxMs = SHARED_REASONS.has(reason) ? MIN_WAIT_MS : MAX_WAIT_MS;
  for (const { id, attempt, waitsSince } of sweeps) {
    const since = waitsSince ?? at;
    const waitMs = Math.min(maxMs, Math.max(MIN_WAIT_MS, at.getTime() - since.getTime()));
    const data = { reason, waitsSince: since, tryAt: new Date(at.getTime() + waitMs) };
    await prisma().sweep.updateMany({ where: { id, state: "planned", attempt }, data });
  }
  const news = sweeps.filter((sweep) => sweep.reason !== reason).map(({ id }) => id);
  if (news.length > 0) log().warn({ sweeps: news, reason }, "sweeps are waiting and will be retried");
}

/** The attempt `relayedId` moved nothing and never can: its sweeps are planned again. */
export async function retrySweeps(relayedId: string, reason: "failed" | "lost"): Promise<void> {
  const at = now();
  const tryAt = new Date(at.getTime() + (reason === "lost" ? 0 : MIN_WAIT_MS));
  await prisma().sweep.updateMany({ where: { relayedId, state: "relayed" }, data: { state: "planned", reason, waitsSince: at, tryAt } });
  log().warn({ relayedId, reason }, "a sweep's transaction failed; a new one will be sent");
}

/** Ends sweeps whose money is finally at the treasury, at `block`. */
export async function endSweeps(chain: ChainId, ids: readonly string[], block: number): Promise<void> {
  const ended = await prisma().sweep.updateManyAndReturn({
    where: { id: { in: [...ids] }, state: { in: UNDER_WAY } },
    data: { state: "done", block, endedAt: now(), reason: null, waitsSince: null },
    select: { units: true },
  });
  metrics().sweptNanoUsd.inc({ chain }, Number(fromUsdcUnits(ended.reduce((sum, { units }) => sum + units, 0n))));
}

/** Gives up a planned sweep whose address has less money than planned; another sweep takes the rest. */
export async function giveUpSweep(chain: ChainId, { id, address }: PlannedSweep): Promise<void> {
  await inTransaction(async (transaction) => {
    await lockPlanning(chain, transaction);
    const data = { state: "failed", reason: "money_gone", endedAt: now(), waitsSince: null };
    const { count } = await transaction.sweep.updateMany({ where: { id, state: "planned" }, data });
    // Includes deposits that are no longer final, since a local chain can revert final blocks; names both values, since the index of
    // `sweptBy` starts with them.
    const swept = { chain, OR: [{ finalized: true }, { finalized: false }], sweptBy: id };
    if (count > 0) await transaction.deposit.updateMany({ where: swept, data: { sweptBy: null } });
  });
  log().error({ sweep: id, address }, "a deposit address has less than before, and no sweep of ours moved it");
}

/** Until the transaction ends, no other transaction plans or gives up sweeps of the chain, or assigns deposits to them. */
export const lockPlanning = (chain: ChainId, transaction: Transaction): Promise<void> => lockName(`sweeps on ${chain}`, transaction);

/** Updates the metrics with the number of waiting sweeps per reason. */
export async function measureSweeps(chain: ChainId): Promise<void> {
  const groups = await prisma().sweep.groupBy({ by: "reason", where: { chain, state: "planned", reason: { not: null } }, _count: true });
  const counts = new Map(groups.map(({ reason, _count }) => [reason, _count]));
  for (const reason of WAIT_REASONS) metrics().sweepsWaiting.set({ chain, reason }, counts.get(reason) ?? 0);
}
