// Other tokens sent to our addresses, listed for the operator, who may want to return them. Scanned after USDC and separately: anybody can
// create a token that floods these logs, which must not delay deposits.

import type { Hex } from "viem";
import { now } from "@/lib/base/clock";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import type { TokenTransfer } from "@/lib/chains/evm/transfer-logs";
import { readTransfers } from "@/lib/chains/evm/transfers";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { prisma } from "@/lib/db/prisma";
import type { WatchedAddress } from "./addresses";
import { readLaterRange } from "./later-range";
import { type Lease, underLease } from "./lease";

const MAX_LISTED = 1_000;

/**
 * Lists transfers since the last call. A block that no node returns completely is skipped: the list is best effort.
 * @throws LeaseLost
 */
export async function listForeignTokens(lease: Lease, addresses: ReadonlyMap<Hex, WatchedAddress>, nodes: EvmNodes): Promise<void> {
  const scan = await prisma().chainScan.findUnique({ where: { chain: lease.chain } });
  if (!scan || scan.foreignBlock >= scan.block) return;
  const query = { token: null, receivers: [...addresses.keys()] };
  const range = await readLaterRange(scan.foreignBlock + 1, scan.block, async (fromBlock, toBlock) => {
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
        { transaction: txHash, index: logIndex, token, sender: from, address, accountId, units: units.toString(), block: blockNumber },
      ];
    });
}

function record(lease: Lease, found: ReturnType<typeof foreignIn>, toBlock: number): Promise<void> {
  const { chain } = lease;
  return underLease(lease, async (transaction) => {
    // Raw SQL: createMany blocks the process for a fifth of a second with the thousand rows of a flood.
    await transaction.$executeRaw`
      INSERT INTO foreign_token (chain, transaction, place, token, sender, address, account_id, units, block, seen_at)
      SELECT ${chain}, f.transaction, f.index, f.token, f.sender, f.address, f."accountId", f.units, f.block, ${now()}::timestamptz
      FROM json_to_recordset(${JSON.stringify(found)}::json) AS f(transaction text, index integer, token text, sender text, address text,
        "accountId" text, units numeric, block integer)
      ON CONFLICT DO NOTHING`;
    await transaction.chainScan.updateMany({
      where: { chain, foreignBlock: { lt: toBlock }, block: { gte: toBlock } },
      data: { foreignBlock: toBlock },
    });
  });
}

/** Received foreign tokens, newest first; `units` are the token's base units, with unknown decimals. */
export async function readForeignTokens(chain: string, limit: number) {
  const tokens = await prisma().foreignToken.findMany({
    where: { chain },
    orderBy: [{ block: "desc" }, { index: "desc" }],
    take: limit,
    select: { token: true, sender: true, address: true, accountId: true, units: true, transaction: true },
  });
  return tokens.map(({ units, ...token }) => ({ ...token, units: units.toFixed(0) }));
}
