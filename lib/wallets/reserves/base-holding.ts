// Holdings on Base at the end of one final block.

import type { Hex } from "viem";
import { fromUsdcUnits } from "@/lib/base/money";
import { readBalances } from "@/lib/chains/evm/balances";
import { type Block, findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { isAuthorizationUsedAt } from "@/lib/chains/evm/token-state";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { payoutNonce } from "../custody/withdrawal-order";
import type { ScanEnd } from "../deposits/scan";
import type { Depositor, Holding } from "./holding";
import { NotKnown } from "./not-known";
import type { Payout } from "./payouts";

/** Maximum distance between two nodes: a minute. */
const TOLERATED_BLOCKS = 30;
const CALLS_AT_ONCE = 8;

/**
 * Finds the final block at which holdings are read.
 * @param known the number of the last known final block
 * @throws NotKnown, EvmFailure
 */
export async function findFinalBlock(nodes: EvmNodes, known: number): Promise<Block> {
  const { finalized, doubt } = await readHead(nodes);
  if (doubt !== null) throw new NotKnown("doubtful", "base", `the latest block of Base is disputed: ${doubt}`);
  if (finalized.number < known - TOLERATED_BLOCKS) {
    throw new NotKnown("behind", "base", `the nodes report block ${finalized.number} as final, but block ${known} was final before`);
  }
  return finalized;
}

interface BaseQuery {
  block: Block;
  treasury: string;
  depositors: readonly Depositor[];
  /** A block up to which deposits were read. */
  readTo: ScanEnd | null;
}

/**
 * All balances at the end of `block`.
 * @throws NotKnown when `readTo` is not on the chain: then the recorded deposits do not match the chain
 * @throws EvmFailure `behind` or `rejected` when the nodes have pruned the block's state
 */
export async function readBaseHolding({ block, treasury, depositors, readTo }: BaseQuery, nodes: EvmNodes): Promise<Holding> {
  if (readTo && (await findBlock(readTo.block, nodes))?.hash !== readTo.hash) {
    throw new NotKnown("behind", "base", `block ${readTo.block} has changed since it was read`);
  }
  const accounts = [treasury, ...depositors.map(({ address }) => address)] as Hex[];
  const query = { token: usdcAddress(nodes.chainId), accounts, blockHash: block.hash };
  const [ofTreasury = 0n, ...ofAddresses] = await readBalances(query, nodes);
  return {
    chain: "base",
    height: block.number,
    blockHash: block.hash,
    treasury: fromUsdcUnits(ofTreasury),
    atAddresses: fromUsdcUnits(ofAddresses.reduce((sum, units) => sum + units, 0n)),
    addresses: depositors.length,
  };
}

/**
 * Ids of the payouts that had left the treasury by the end of `block`, no matter who submitted them: USDC itself records used
 * authorizations.
 * @throws EvmFailure
 */
export async function findPaidOnBase(
  payouts: readonly Payout[],
  { block, treasury }: Pick<BaseQuery, "block" | "treasury">,
  nodes: EvmNodes,
) {
  const paid = new Set<string>();
  for (let from = 0; from < payouts.length; from += CALLS_AT_ONCE) {
    await Promise.all(
      payouts.slice(from, from + CALLS_AT_ONCE).map(async ({ order }) => {
        if (await isAuthorizationUsedAt(treasury as Hex, payoutNonce(order), block.hash, nodes)) paid.add(order.id);
      }),
    );
  }
  return paid;
}
