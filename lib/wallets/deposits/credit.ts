// Credit: a deposit becomes its owner's money once its block is safe, and stops being it when the block leaves the chain. State
// and ledger change in one transaction, so that neither a crash nor a repetition credits twice.

import type { Hex } from "viem";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { findBlockOf } from "@/lib/chains/evm/blocks";
import { EvmFailure } from "@/lib/chains/evm/failure";
import type { Head } from "@/lib/chains/evm/head";
import type { EvmNode } from "@/lib/chains/evm/node";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { pool } from "@/lib/db/pool";
import type { Transaction } from "@/lib/db/prisma";
import type { WatchedAddress } from "./addresses";
import { type Claim, confirmClaims } from "./cross-node-check";
import { MINIMUM_DEPOSIT } from "./deposit";
import { type Lease, underLease } from "./lease";

const MAX_AT_ONCE = 1_000;
const BLOCKS_AT_ONCE = 8;
/** Ends of ranges this far below the final block are kept: a local chain takes back even final blocks. */
const KEPT_BELOW_FINAL = 64;

interface Due extends Claim {
  blockHash: string;
}

export type Credited = { count: number } | { brokenBlock: number };

/** What deposits are held against. */
interface Sight {
  head: Head;
  nodes: EvmNodes;
  addresses: ReadonlyMap<Hex, WatchedAddress>;
}

/**
 * Credits what is due at `head`, in transactions of up to a thousand.
 * @returns how many were credited or kept as too small; or the lowest block that the chain has no longer, with nothing credited of its batch
 * @throws LeaseLost, EvmFailure
 */
export async function creditDue(lease: Lease, { head, nodes, addresses }: Sight): Promise<Credited> {
  let count = 0;
  for (;;) {
    const due = await findDue(lease.chain, head.safe.number);
    if (due.length === 0) return { count };
    const broken = await findBroken(due, head, nodes);
    if (broken !== null) return { brokenBlock: broken };
    const shown = await confirmClaims(due, addresses, nodes);
    const credited = await creditAll(
      lease,
      shown.map(({ id }) => id),
    );
    count += credited;
    if (credited === 0 || due.length < MAX_AT_ONCE) return { count };
  }
}

async function findDue(chain: string, safe: number): Promise<Due[]> {
  const { rows } = await pool().query<Due>(
    `SELECT d.id, d.block, d.block_hash AS "blockHash", d.address, d.transaction FROM deposit d
     WHERE d.chain = $1 AND d.finalized = false AND d.block <= $2 AND d.state IN ('seen', 'confirming') AND d.missing_since IS NULL
     ORDER BY d.block, d.place LIMIT $3`,
    [chain, safe, MAX_AT_ONCE],
  );
  return rows;
}

/** The lowest block of `due` that is no longer on the chain, as one node says that has the head's safe block. */
function findBroken(due: readonly Due[], { safe }: Head, nodes: EvmNodes): Promise<number | null> {
  const blocks = [...new Set(due.map(({ block }) => block))].sort((one, other) => one - other);
  return nodes.ask(async (node) => {
    if ((await hashOf(node, safe.number)) !== safe.hash) throw new EvmFailure("moved", `${node.name}: the safe block is another one now`);
    const hashes = new Map<number, string>();
    for (let first = 0; first < blocks.length; first += BLOCKS_AT_ONCE) {
      const some = blocks.slice(first, first + BLOCKS_AT_ONCE);
      await Promise.all(some.map(async (block) => hashes.set(block, await hashOf(node, block))));
    }
    return due.find(({ block, blockHash }) => hashes.get(block) !== blockHash)?.block ?? null;
  });
}

async function hashOf(node: EvmNode, number: number): Promise<string> {
  const block = await findBlockOf(node, number);
  if (!block) throw new EvmFailure("behind", `${node.name}: has no block ${number}`);
  return block.hash;
}

function creditAll(lease: Lease, ids: readonly string[]): Promise<number> {
  return underLease(lease, async (transaction) => {
    const { rows } = await transaction.query<{ count: number }>("SELECT wallets_credit_deposits($1, $2, $3, $4) AS count", [
      lease.chain,
      ids,
      MINIMUM_DEPOSIT,
      now(),
    ]);
    return rows[0]?.count ?? 0;
  });
}

/** Stops an account from spending, in the transaction that it is handed. */
export type Freeze = (accountId: AccountId, transaction: Transaction) => Promise<void>;

/**
 * Writes the head down, marks what is final, and takes back what is missing from a chain that was read to its head. Whose
 * money had been spent already is frozen; the operator bears it.
 * @returns how many deposits were reversed
 * @throws LeaseLost
 */
export async function settleHead(lease: Lease, { latest, safe, finalized }: Head, freeze: Freeze): Promise<number> {
  const reversed = await underLease(lease, async (transaction) => {
    const { rows } = await transaction.query<{ accountId: AccountId; lost: bigint }>(
      'SELECT r.account_id AS "accountId", r.lost FROM wallets_reverse_missing($1, $2, $3) r',
      [lease.chain, safe.number, now()],
    );
    for (const { accountId, lost } of rows) {
      log()[lost > 0n ? "error" : "warn"]({ accountId, lostNanoUsd: lost.toString() }, "a deposit left its chain and was reversed");
      if (lost > 0n) await freeze(accountId, transaction);
    }
    await transaction.query("SELECT wallets_note_head($1, $2, $3, $4, $5)", [
      lease.chain,
      latest.number,
      safe.number,
      finalized.number,
      finalized.number - KEPT_BELOW_FINAL,
    ]);
    return rows;
  });
  for (const { lost } of reversed) metrics().operatorLossNanoUsd.inc({ reason: "reversed_deposit" }, Number(lost));
  return reversed.length;
}
