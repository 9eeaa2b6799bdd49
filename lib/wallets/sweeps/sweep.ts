// Sweeps as they are stored. Each change names the state that it comes from, so that of two processes one makes it.

import { now } from "@/lib/base/clock";
import { fromUsdcUnits } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { inTransaction, lockName, prisma, type Transaction } from "@/lib/db/prisma";
import type { RelayChain } from "@/lib/relay/chain";

export type SweepChain = RelayChain;

/** States of what is neither done nor given up. */
export const UNDER_WAY = ["planned", "relayed"];

/** What a planned sweep waits for. */
export const WAIT_REASONS = [
  /** USDC does not move at all. */
  "paused",
  /** USDC refuses the address, or the treasury. */
  "address_blocked",
  "treasury_blocked",
  /** Whoever pays for transactions has no money for it. */
  "no_gas_money",
  "relay_stopped",
  /** Its transaction was refused by the chain, or would be. */
  "failed",
  /** Its transaction ran out of time. */
  "lost",
] as const;

export type WaitReason = (typeof WAIT_REASONS)[number];

export interface PlannedSweep {
  id: string;
  index: number;
  /** As its owner sees it: on Solana, the owner and not the token account. */
  address: string;
  /** USDC base units. */
  units: bigint;
  /** The final block as of which they were read. */
  readBlock: number;
  /** How often it was signed so far. */
  attempt: number;
  reason: WaitReason | null;
  /** Since when it waits; null when it does not. */
  waitsSince: Date | null;
}

/** What the relay knows the next attempt by. */
export const nextRelayedId = ({ id, attempt }: Pick<PlannedSweep, "id" | "attempt">): string => `${id}_${attempt + 1}`;

/** What can be signed now, the longest waiting first. */
export async function listDue(chain: SweepChain, max: number): Promise<PlannedSweep[]> {
  const rows = await prisma().sweep.findMany({
    where: { chain, state: "planned", tryAt: { lte: now() } },
    select: { id: true, derivationIndex: true, address: true, units: true, readBlock: true, attempt: true, reason: true, waitsSince: true },
    orderBy: [{ tryAt: "asc" }, { id: "asc" }],
    take: max,
  });
  return rows.map(({ derivationIndex, reason, ...row }) => ({ ...row, index: derivationIndex, reason: reason as WaitReason | null }));
}

/** How many are signed and not ended. */
export const countRelayed = (chain: SweepChain): Promise<number> => prisma().sweep.count({ where: { chain, state: "relayed" } });

/** USDC base units that are on their way to the treasury, or planned to be. */
export async function readUnitsUnderWay(chain: SweepChain): Promise<bigint> {
  const { _sum } = await prisma().sweep.aggregate({ where: { chain, state: { in: UNDER_WAY } }, _sum: { units: true } });
  return _sum.units ?? 0n;
}

/** Another process took one of the sweeps: it goes on with them. */
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
  // In one order, so that two processes that want the same do not wait for each other for ever.
  for (const { id, attempt } of [...sweeps].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const taken = { state: "relayed", attempt: attempt + 1, relayedId, reason: null, waitsSince: null };
    const { count } = await transaction.sweep.updateMany({ where: { id, state: "planned", attempt }, data: taken });
    if (count === 0) throw new SweepTaken();
  }
}

/** What ends by itself, for all at once: it costs one look. */
const SHARED_REASONS: ReadonlySet<WaitReason> = new Set(["paused", "treasury_blocked", "no_gas_money", "relay_stopped"]);
const MIN_WAIT_MS = 60_000;
const MAX_WAIT_MS = 3_600_000;

/** Lets planned sweeps wait: a minute, or for a reason of their own as long as they have waited already, at most an hour. */
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
  if (news.length > 0) log().warn({ sweeps: news, reason }, "sweeps wait, and are tried again");
}

/** The attempt `relayedId` moved nothing and never will: its sweeps are planned again. */
export async function retrySweeps(relayedId: string, reason: "failed" | "lost"): Promise<void> {
  const at = now();
  const tryAt = new Date(at.getTime() + (reason === "lost" ? 0 : MIN_WAIT_MS));
  await prisma().sweep.updateMany({ where: { relayedId, state: "relayed" }, data: { state: "planned", reason, waitsSince: at, tryAt } });
  log().warn({ relayedId, reason }, "a sweep's transaction came to nothing; another one will be made");
}

/** Ends sweeps whose money is at the treasury for good, as of `block`. */
export async function endSweeps(chain: SweepChain, ids: readonly string[], block: number): Promise<void> {
  const ended = await prisma().sweep.updateManyAndReturn({
    where: { id: { in: [...ids] }, state: { in: UNDER_WAY } },
    data: { state: "done", block, endedAt: now(), reason: null, waitsSince: null },
    select: { units: true },
  });
  metrics().sweptNanoUsd.inc({ chain }, Number(fromUsdcUnits(ended.reduce((sum, { units }) => sum + units, 0n))));
}

/** Gives a planned sweep up, whose money is no longer all there; what is there is for another one. */
export async function giveUpSweep(chain: SweepChain, { id, address }: PlannedSweep): Promise<void> {
  await inTransaction(async (transaction) => {
    await lockPlanning(chain, transaction);
    const data = { state: "failed", reason: "money_gone", endedAt: now(), waitsSince: null };
    const { count } = await transaction.sweep.updateMany({ where: { id, state: "planned" }, data });
    // A local chain takes back even final blocks; both values are named, since the index of `sweptBy` begins with them.
    const swept = { chain, OR: [{ finalized: true }, { finalized: false }], sweptBy: id };
    if (count > 0) await transaction.deposit.updateMany({ where: swept, data: { sweptBy: null } });
  });
  log().error({ sweep: id, address }, "a custodial address has less than was read there, though nothing of ours took it");
}

/** Until the transaction ends, no other one plans sweeps of the chain, gives one up, or records what they sweep. */
export const lockPlanning = (chain: SweepChain, transaction: Transaction): Promise<void> => lockName(`sweeps on ${chain}`, transaction);

/** Shows in the metrics how many sweeps wait, and for what. */
export async function measureSweeps(chain: SweepChain): Promise<void> {
  const groups = await prisma().sweep.groupBy({ by: "reason", where: { chain, state: "planned", reason: { not: null } }, _count: true });
  const counts = new Map(groups.map(({ reason, _count }) => [reason, _count]));
  for (const reason of WAIT_REASONS) metrics().sweepsWaiting.set({ chain, reason }, counts.get(reason) ?? 0);
}
