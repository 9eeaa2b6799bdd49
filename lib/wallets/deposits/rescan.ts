// The rescan: final blocks are read again, from another node if there is one. A node may omit logs of a range without any error; the rescan
// finds deposits that the first read missed.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import type { Head } from "@/lib/chains/evm/head";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { readTransfers } from "@/lib/chains/evm/transfers";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { prisma } from "@/lib/db/prisma";
import type { WatchedAddress } from "./addresses";
import { depositsIn, onlyNode } from "./base-range";
import { readLaterRange } from "./later-range";
import type { Lease } from "./lease";
import type { FoundDeposit } from "./record-deposits";
import { recordRescan } from "./scan";

/**
 * Continues from the last rescan; a missed deposit is credited at the next tick.
 * @throws LeaseLost
 */
export async function rescan(
  lease: Lease,
  { finalized }: Head,
  addresses: ReadonlyMap<Hex, WatchedAddress>,
  nodes: EvmNodes,
): Promise<void> {
  const scan = await prisma().chainScan.findUnique({ where: { chain: lease.chain } });
  const lastBlock = Math.min(scan?.block ?? 0, finalized.number);
  if (!scan || scan.checkedBlock >= lastBlock) return;
  const query = { token: usdcAddress(nodes.chainId), receivers: [...addresses.keys()] };
  const range = await readLaterRange(scan.checkedBlock + 1, lastBlock, (fromBlock, toBlock) =>
    nodes.callFirst(async (node) => {
      const read = (from: typeof node) => readTransfers({ ...query, fromBlock, toBlock }, onlyNode(from, nodes.chainId));
      const [theirs] = await nodes.callOthers(node, read);
      return (theirs ?? (await read(node))).transfers;
    }),
  );
  if (!range) return;
  const found = depositsIn(range.transfers, addresses);
  await logMissed(found);
  await recordRescan(lease, range.toBlock, found);
}

async function logMissed(found: readonly FoundDeposit[]): Promise<void> {
  const ids = found.map(({ id }) => id);
  const stored = await prisma().deposit.findMany({ where: { id: { in: ids } }, select: { id: true } });
  const known = new Set(stored.map(({ id }) => id));
  const missed = ids.filter((id) => !known.has(id));
  if (missed.length > 0) log().error({ deposits: missed }, "a Base node omitted deposits on the first read; the rescan found them");
}
