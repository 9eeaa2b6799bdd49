// The second reading: once blocks are final they are read again, from another node if there is one. A node may leave out logs of
// a range without any error; what the first reading did not get is found here.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import type { Head } from "@/lib/chains/evm/head";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { readTransfers } from "@/lib/chains/evm/transfers";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import type { WatchedAddress } from "./addresses";
import { depositsIn, onlyNode } from "./base-range";
import { readLaterRange } from "./later-range";
import type { Lease } from "./lease";
import { type FoundDeposit, recordSecondReading } from "./scan";

/**
 * Reads on from the last second reading; what was missed is credited at the next tick.
 * @throws LeaseLost
 */
export async function readAgain(
  lease: Lease,
  { finalized }: Head,
  addresses: ReadonlyMap<Hex, WatchedAddress>,
  nodes: EvmNodes,
): Promise<void> {
  const { rows } = await pool().query<{ from: number; to: number }>(
    'SELECT checked_block + 1 AS "from", least(block, $2) AS "to" FROM chain_scan WHERE chain = $1 AND checked_block < least(block, $2)',
    [lease.chain, finalized.number],
  );
  const [next] = rows;
  if (!next) return;
  const query = { token: usdcAddress(nodes.chainId), receivers: [...addresses.keys()] };
  const range = await readLaterRange(next.from, next.to, (fromBlock, toBlock) =>
    nodes.ask(async (node) => {
      const read = (from: typeof node) => readTransfers({ ...query, fromBlock, toBlock }, onlyNode(from, nodes.chainId));
      const [theirs] = await nodes.askOthers(node, read);
      return (theirs ?? (await read(node))).transfers;
    }),
  );
  if (!range) return;
  const found = depositsIn(range.transfers, addresses);
  await tellMissed(found);
  await recordSecondReading(lease, range.toBlock, found);
}

async function tellMissed(found: readonly FoundDeposit[]): Promise<void> {
  const { rows } = await pool().query<{ id: string }>(
    "SELECT f.id FROM unnest($1::text[]) AS f(id) WHERE NOT EXISTS (SELECT 1 FROM deposit d WHERE d.id = f.id)",
    [found.map(({ id }) => id)],
  );
  if (rows.length > 0) log().error({ deposits: rows.map(({ id }) => id) }, "a node of Base left deposits out when they were first read");
}
