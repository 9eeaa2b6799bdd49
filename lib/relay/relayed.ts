// A relayed transaction as whoever stored it sees it: where it is on its way, and what it did cost.

import { pool, type Queryable } from "@/lib/db/pool";
import type { RelayChain } from "./chain";

/** `failed`: in a block, moved nothing, cost its fee. `lost`: it can never be in a block. Both need a new attempt with a new id. */
export type RelayState = "stored" | "sent" | "succeeded" | "failed" | "lost";

export interface Relayed {
  id: string;
  chain: RelayChain;
  state: RelayState;
  /** Nothing about it changes any more. Until then a reorganisation may take it back from `succeeded` or `failed` to `sent`. */
  isFinal: boolean;
  /** Once in a block, the hash that is there; before, that of the bytes signed last. On Solana: the signature. */
  hash: string;
  /** On Solana: the slot. Null while it waits. */
  block: number | null;
  blockHash: string | null;
  /** wei or lamports, as far as known; on Solana once it is final. */
  fee: bigint | null;
  /** Why no node takes it now: `no_gas_money`, or a node's own words. It is tried again by itself. */
  problem: string | null;
  storedAt: Date;
}

const columns = `id, chain, state, finalized AS "isFinal", hash, block, block_hash AS "blockHash", fee::text, problem, stored_at AS "storedAt"`;

/** Those of `ids` that were stored, in no order. */
export async function findRelayed(ids: readonly string[], database: Queryable = pool()): Promise<Relayed[]> {
  const { rows } = await database.query<Omit<Relayed, "fee"> & { fee: string | null }>(
    `SELECT ${columns} FROM relayed WHERE id = ANY ($1::text[])`,
    [ids],
  );
  return rows.map(({ fee, ...row }) => ({ ...row, fee: fee === null ? null : BigInt(fee) }));
}

/** @throws Error when nothing was stored by this id */
export async function getRelayed(id: string): Promise<Relayed> {
  const [found] = await findRelayed([id]);
  if (!found) throw new Error(`Nothing was stored to be relayed as ${id}.`);
  return found;
}
