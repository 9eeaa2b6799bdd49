// Sweeps as they are stored. Each change names the state that it comes from, so that of two processes one makes it.

import { now } from "@/lib/base/clock";
import { fromUsdcUnits } from "@/lib/base/money";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pool } from "@/lib/db/pool";
import type { Transaction } from "@/lib/db/prisma";
import type { RelayChain } from "@/lib/relay/chain";

export type SweepChain = RelayChain;

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
}

/** What the relay knows the next attempt by. */
export const nextRelayedId = ({ id, attempt }: Pick<PlannedSweep, "id" | "attempt">): string => `${id}_${attempt + 1}`;

/** What can be signed now, the longest waiting first. */
export async function listDue(chain: SweepChain, most: number): Promise<PlannedSweep[]> {
  const { rows } = await pool().query<PlannedSweep>(
    `SELECT id, derivation_index AS "index", address, units, read_block AS "readBlock", attempt, reason FROM sweep
     WHERE chain = $1 AND state = 'planned' AND try_at <= $2 ORDER BY try_at, id LIMIT $3`,
    [chain, now(), most],
  );
  return rows;
}

/** How many are signed and not ended. */
export async function countRelayed(chain: SweepChain): Promise<number> {
  const { rows } = await pool().query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM sweep WHERE chain = $1 AND state = 'relayed'",
    [chain],
  );
  return rows[0]?.count ?? 0;
}

/** USDC base units that are on their way to the treasury, or planned to be. */
export async function readUnitsUnderWay(chain: SweepChain): Promise<bigint> {
  const { rows } = await pool().query<{ units: bigint }>(
    "SELECT coalesce(sum(units), 0)::bigint AS units FROM sweep WHERE chain = $1 AND state IN ('planned', 'relayed')",
    [chain],
  );
  return rows[0]?.units ?? 0n;
}

/** Somebody else took one of the sweeps: whoever catches this leaves them alone. */
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
  const { rows } = await transaction.query<{ taken: boolean }>("SELECT wallets_take_sweeps($1, $2, $3) AS taken", [
    sweeps.map(({ id }) => id),
    sweeps.map(({ attempt }) => attempt),
    relayedId,
  ]);
  if (rows[0]?.taken !== true) throw new SweepTaken();
}

/** What ends by itself, for all at once: it costs one look. */
const SHARED_REASONS: ReadonlySet<WaitReason> = new Set(["paused", "treasury_blocked", "no_gas_money", "relay_stopped"]);
const MIN_WAIT_S = 60;
const MAX_WAIT_S = 3_600;

/** Lets planned sweeps wait: a minute, or for a reason of their own as long as they have waited already, at most an hour. */
export async function delaySweeps(sweeps: readonly PlannedSweep[], reason: WaitReason): Promise<void> {
  const ids = sweeps.map(({ id }) => id);
  const most = SHARED_REASONS.has(reason) ? MIN_WAIT_S : MAX_WAIT_S;
  await pool().query("SELECT wallets_delay_sweeps($1, $2, $3, $4, $5)", [ids, reason, MIN_WAIT_S, most, now()]);
  const news = sweeps.filter((sweep) => sweep.reason !== reason).map(({ id }) => id);
  if (news.length > 0) log().warn({ sweeps: news, reason }, "sweeps wait, and are tried again");
}

/** The attempt `relayedId` moved nothing and never will: its sweeps are planned again. */
export async function retrySweeps(relayedId: string, reason: "failed" | "lost"): Promise<void> {
  const waitS = reason === "lost" ? 0 : MIN_WAIT_S;
  await pool().query("SELECT wallets_retry_sweeps($1, $2, $3, $4)", [relayedId, reason, waitS, now()]);
  log().warn({ relayedId, reason }, "a sweep's transaction came to nothing; another one will be made");
}

/** Ends sweeps whose money is at the treasury for good, as of `block`. */
export async function endSweeps(chain: SweepChain, ids: readonly string[], block: number): Promise<void> {
  const { rows } = await pool().query<{ units: bigint }>("SELECT wallets_end_sweeps($1, $2, $3) AS units", [ids, block, now()]);
  metrics().sweptNanoUsd.inc({ chain }, Number(fromUsdcUnits(rows[0]?.units ?? 0n)));
}

/** Gives a planned sweep up, whose money is no longer all there; what is there is for another one. */
export async function giveUpSweep({ id, address }: PlannedSweep): Promise<void> {
  await pool().query("SELECT wallets_give_up_sweep($1, $2, $3)", [id, "money_gone", now()]);
  log().error({ sweep: id, address }, "a custodial address has less than was read there, though nothing of ours took it");
}

/** Shows in the metrics how many sweeps wait, and for what. */
export async function measureSweeps(chain: SweepChain): Promise<void> {
  const { rows } = await pool().query<{ reason: WaitReason; count: number }>(
    "SELECT reason, count(*)::integer AS count FROM sweep WHERE chain = $1 AND state = 'planned' AND reason IS NOT NULL GROUP BY reason",
    [chain],
  );
  const counts = new Map(rows.map(({ reason, count }) => [reason, count]));
  for (const reason of WAIT_REASONS) metrics().sweepsWaiting.set({ chain, reason }, counts.get(reason) ?? 0);
}
