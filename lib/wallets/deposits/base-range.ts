// A range of Base's blocks, read for USDC that came in at our addresses. All of it comes from one node, which also shows that
// the range follows on the block before it.

import type { Hex } from "viem";
import { fromUsdcUnits } from "@/lib/base/money";
import { findBlockOf } from "@/lib/chains/evm/blocks";
import { EvmFailure } from "@/lib/chains/evm/failure";
import type { EvmNode } from "@/lib/chains/evm/node";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { readTransfers, type TokenTransfer } from "@/lib/chains/evm/transfers";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import type { WatchedAddress } from "./addresses";
import type { FoundDeposit } from "./record-deposits";
import type { ScanEnd } from "./scan";

export interface BaseRange {
  after: ScanEnd;
  toBlock: number;
  addresses: ReadonlyMap<Hex, WatchedAddress>;
  chunkSize: number;
}

/**
 * What came in behind `after`, up to `toBlock` and with it.
 * @throws EvmFailure as readTransfers does; `moved` also when `after` is no longer on the chain
 */
export async function readBaseRange({ after, toBlock, addresses, chunkSize }: BaseRange, nodes: EvmNodes) {
  const query = { token: usdcAddress(nodes.chainId), receivers: [...addresses.keys()], fromBlock: after.block + 1, toBlock, chunkSize };
  return nodes.callFirst(async (node) => {
    const { transfers, end } = await readTransfers(query, onlyNode(node, nodes.chainId));
    // After the range: had the chain changed below it before, its end would be kept as if it followed on what was read.
    const before = await findBlockOf(node, after.block);
    if (before?.hash !== after.hash) throw new EvmFailure("moved", `${node.name}: block ${after.block} is another one now`);
    return { end: { block: end.number, hash: end.hash }, found: depositsIn(transfers, addresses) };
  });
}

/** Not those of zero units, which anybody can write in anybody's name, nor our own from one address to another. */
export function depositsIn(transfers: readonly TokenTransfer[], addresses: ReadonlyMap<Hex, WatchedAddress>): FoundDeposit[] {
  const timesNamed = new Map<string, number>();
  return transfers.flatMap((transfer) => {
    const receiver = addresses.get(transfer.to);
    if (!receiver || transfer.units === 0n || addresses.has(transfer.from)) return [];
    // Without block or log index: both change when a reorganisation moves the transaction.
    const name = `base_${transfer.txHash}_${receiver.derivationIndex}_${transfer.units}`;
    const before = timesNamed.get(name) ?? 0;
    timesNamed.set(name, before + 1);
    return [
      {
        id: before === 0 ? name : `${name}_${before}`,
        accountId: receiver.accountId,
        address: receiver.address,
        amount: fromUsdcUnits(transfer.units),
        block: transfer.blockNumber,
        blockHash: transfer.blockHash,
        transaction: transfer.txHash,
        index: transfer.logIndex,
      },
    ];
  });
}

/** The same chain as one node sees it. */
export const onlyNode = (node: EvmNode, chainId: number): EvmNodes => ({
  chainId,
  count: 1,
  callFirst: (use) => use(node),
  callOthers: async () => [],
});
