// Other tokens sent to our addresses, listed for the operator, who may want to send them back. Looked for after USDC and apart
// from it: anybody can make a token that floods these logs, and that must delay no deposit.

import type { Hex } from "viem";
import { now } from "@/lib/base/clock";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { readTransfers, type TokenTransfer } from "@/lib/chains/evm/transfers";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import type { WatchedAddress } from "./addresses";
import { readLaterRange } from "./later-range";
import { type Lease, underLease } from "./lease";

const MAX_LISTED = 1_000;

/**
 * Lists what came in behind the last call. A block that no node will show whole is passed over: the list is a courtesy.
 * @throws LeaseLost
 */
export async function listForeignTokens(lease: Lease, addresses: ReadonlyMap<Hex, WatchedAddress>, nodes: EvmNodes): Promise<void> {
  const { rows } = await pool().query<{ from: number; to: number }>(
    'SELECT foreign_block + 1 AS "from", block AS "to" FROM chain_scan WHERE chain = $1 AND foreign_block < block',
    [lease.chain],
  );
  const [next] = rows;
  if (!next) return;
  const query = { token: null, receivers: [...addresses.keys()] };
  const range = await readLaterRange(next.from, next.to, async (fromBlock, toBlock) => {
    const { transfers } = await readTransfers({ ...query, fromBlock, toBlock }, nodes);
    return transfers;
  });
  if (range) await record(lease, foreignIn(range.transfers, addresses, nodes.chainId), range.toBlock);
}

function foreignIn(transfers: readonly TokenTransfer[], addresses: ReadonlyMap<Hex, WatchedAddress>, chainId: number) {
  const usdc = usdcAddress(chainId);
  return transfers
    .filter(({ token, units }) => token !== usdc && units > 0n)
    .slice(0, MAX_LISTED)
    .flatMap(({ to, from, token, units, txHash, logIndex, blockNumber }) => {
      const receiver = addresses.get(to);
      if (!receiver) return [];
      const { accountId, address } = receiver;
      return [
        { transaction: txHash, place: logIndex, token, sender: from, address, accountId, units: units.toString(), block: blockNumber },
      ];
    });
}

function record(lease: Lease, found: ReturnType<typeof foreignIn>, toBlock: number): Promise<void> {
  return underLease(lease, async (transaction) => {
    await transaction.query(
      `INSERT INTO foreign_token (chain, transaction, place, token, sender, address, account_id, units, block, seen_at)
       SELECT $1, f.transaction, f.place, f.token, f.sender, f.address, f."accountId", f.units, f.block, $3
       FROM json_to_recordset($2::json) AS f(transaction text, place integer, token text, sender text, address text, "accountId" text,
         units numeric, block integer)
       ON CONFLICT DO NOTHING`,
      [lease.chain, JSON.stringify(found), now()],
    );
    await transaction.query("UPDATE chain_scan SET foreign_block = $2 WHERE chain = $1 AND foreign_block < $2 AND block >= $2", [
      lease.chain,
      toBlock,
    ]);
  });
}

/** What came in of other tokens, newest first; `units` are the token's own, whose decimals only it knows. */
export async function readForeignTokens(chain: string, limit: number) {
  const { rows } = await pool().query<{
    token: string;
    sender: string;
    address: string;
    accountId: string;
    units: string;
    transaction: string;
  }>(
    `SELECT token, sender, address, account_id AS "accountId", units::text, transaction FROM foreign_token
     WHERE chain = $1 ORDER BY block DESC, place DESC LIMIT $2`,
    [chain, limit],
  );
  return rows;
}
