// Reserves as anybody may see them. Amounts are nano-USD.

import type { UnknownReason } from "@/lib/wallets/reserves/not-known";
import type { Chain } from "./chain";

export interface Reserves {
  /** none: there is no report yet. */
  state: "covered" | "deficit" | "unknown" | "none";
  /** Why it is unknown, and of which chain; `stale`: nobody has made a report for long. */
  unknown: { reason: UnknownReason | "stale"; chain: Chain | null; since: Date } | null;
  /** Of the newest report that has any: older than the state while that is unknown. */
  figures: ReserveFigures | null;
  course: ReservePoint[];
}

export interface ReserveFigures {
  at: Date;
  held: bigint;
  owed: bigint;
  /** Of what is owed, the balances of customers; the rest is on its way in or out. */
  customers: bigint;
  /** Of these, the credits of addresses that no account has proved as its own. */
  credits: bigint;
  /** Held for each unit that is owed, rounded down to four places: `1.0004`; null when nothing is owed. */
  coverage: string | null;
  places: ReservePlace[];
}

export interface ReservePlace {
  chain: Chain;
  /** A final block, on Solana a slot. */
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
