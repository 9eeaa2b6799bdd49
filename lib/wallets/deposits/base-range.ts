// Reads USDC deposits to our addresses from a range of Base's blocks. All data comes from one node, which also proves that the range
// follows the block before it.

import type { Hex } from "viem";
import { fromUsdcUnits } from "@/lib/base/money";
import { findBlockOf } from "@/lib/chains/evm/blocks";
import { EvmFailure } from "@/lib/chains/evm/failure";
import type { EvmNode } from "@/lib/chains/evm/node";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import type { TokenTransfer } from "@/lib/chains/evm/transfer-logs";
import { readTransfers } from "@/lib/chains/evm/transfers";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import type { WatchedAddress } from "./addresses";
import type { FoundDeposit } from "./record-deposits";
import type { ScanEnd } from "./scan";

export interface BaseRange {
  after: ScanEnd;
  toBlock: number;
  addresses: ReadonlyMap<Hex, WatchedAddress>;
  /** Receivers per request; 0 reads transaction by transaction, which only a range of one block can be. */
  chunkSize: number;
}

/**
 * Deposits after block `after` up to and including `toBlock`.
 * @throws EvmFailure as readTransfers does; `moved` also when `after` is no longer on the chain
 */
export async function readBaseRange({ after, toBlock, addresses, chunkSize }: BaseRange, nodes: EvmNodes) {
  const wanted = { token: usdcAddress(nodes.chainId), receivers: [...addresses.keys()] };
  const query = chunkSize === 0 ? { ...wanted, crowdedBlock: toBlock } : { ...wanted, fromBlock: after.block + 1, toBlock, chunkSize };
  return nodes.callFirst(async (node) => {
    const { transfers, end } = await readTransfers(query, onlyNode(node, nodes.chainId));
    // Checked after the range: if the chain had changed below it before, its end would be recorded as if it followed `after`.
    const before = await findBlockOf(node, after.block);
    if (before?.hash !== after.hash) throw new EvmFailure("moved", `${node.name}: block ${after.block} is another one now`);
    return { end: { block: end.number, hash: end.hash }, found: depositsIn(transfers, addresses) };
  });
}

/** Excludes transfers of zero units, which anybody can create in anybody's name, and transfers between our own addresses. */
export function depositsIn(transfers: readonly TokenTransfer[], addresses: ReadonlyMap<Hex, WatchedAddress>): FoundDeposit[] {
  const timesNamed = new Map<string, number>();
  return transfers.flatMap((transfer) => {
    const receiver = addresses.get(transfer.to);
    if (!receiver || transfer.units === 0n || addresses.has(transfer.from)) return [];
    // Excludes block and log index: both change when a reorganisation moves the transaction.
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

/** The chain as seen by one node. */
export const onlyNode = (node: EvmNode, chainId: number): EvmNodes => ({
  chainId,
  count: 1,
  quorum: 1,
  callFirst: (use) => use(node),
  callOthers: async () => [],
});
