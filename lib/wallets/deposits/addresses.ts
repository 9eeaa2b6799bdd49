// The addresses on Base that are watched: all that were ever given.

import type { Hex } from "viem";
import { pool } from "@/lib/db/pool";

export interface WatchedAddress {
  accountId: string;
  /** As its owner sees it. */
  address: string;
  derivationIndex: number;
}

/** By address in lower case, as logs have it. Read it after the head: whoever was shown an address then sends in a later block. */
export async function readWatchedAddresses(): Promise<ReadonlyMap<Hex, WatchedAddress>> {
  const { rows } = await pool().query<WatchedAddress & { key: Hex }>(
    `SELECT lower(w.base_address) AS key, w.account_id AS "accountId", w.base_address AS address, w.derivation_index AS "derivationIndex"
     FROM custodial_wallet w`,
  );
  return new Map(rows.map(({ key, ...watched }) => [key, watched]));
}
