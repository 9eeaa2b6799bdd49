// Public reserves. Amounts are nano-USD.

import type { ChainId } from "@/lib/base/chains";
import type { UnknownReason } from "@/lib/wallets/reserves/not-known";

export interface Reserves {
  /** none: there is no report yet. */
  state: "covered" | "deficit" | "unknown" | "none";
  /** Why the state is unknown, and for which chain; `stale`: the last report is too old. */
  unknown: { reason: UnknownReason | "stale"; chain: ChainId | null; since: Date } | null;
  /** Of the newest report that has figures: older than the state while that is unknown. */
  figures: ReserveFigures | null;
  course: ReservePoint[];
}

export interface ReserveFigures {
  at: Date;
  held: bigint;
  owed: bigint;
  /** The part of the owed money that is customers' balances; the rest is on its way in or out. */
  customers: bigint;
  /** The part of these that is credit at addresses which no account has proved as its own. */
  credits: bigint;
  /** Held per unit owed, rounded down to four places: `1.0004`; null when nothing is owed. */
  coverage: string | null;
  places: ReservePlace[];
}

export interface ReservePlace {
  chain: ChainId;
  /** A final block; on Solana a slot. */
  height: number;
  blockHash: string | null;
  blockUrl: string | null;
  treasury: { address: string; url: string | null; amount: bigint };
  deposits: { addresses: number; amount: bigint };
}

export interface ReservePoint {
  at: Date;
  held: bigint;
  owed: bigint;
}
