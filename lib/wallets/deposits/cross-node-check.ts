// Before deposits are credited, a second node must show them too, where there is one: a single node's operator could invent a log for their
// own deposit address.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import type { EvmNode } from "@/lib/chains/evm/node";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { readTransfers, readTransfersIn } from "@/lib/chains/evm/transfers";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { enoughOf } from "@/lib/chains/quorum";
import type { WatchedAddress } from "./addresses";
import { depositsIn, onlyNode } from "./base-range";

export interface UnconfirmedDeposit {
  id: string;
  block: number;
  /** In its display form. */
  address: string;
  transaction: string;
}

/** Blocks per request to one node; the addresses are few. */
const BLOCKS_AT_ONCE = 200;
/** Maximum number of transactions missing from a node's logs that are looked up by hash. */
const MAX_RECEIPTS = 50;

/**
 * Those of `deposits`, lowest block first, that enough nodes show: two, or the only node that answers where the settings accept its word.
 * @throws EvmFailure when no node answers
 */
export async function confirmDeposits<T extends UnconfirmedDeposit>(
  deposits: readonly T[],
  addresses: ReadonlyMap<Hex, WatchedAddress>,
  nodes: EvmNodes,
): Promise<readonly T[]> {
  if (nodes.count === 1 && nodes.quorum === 1) return deposits;
  const confirmed: T[] = [];
  for (let from = 0; from < deposits.length; ) {
    const firstBlock = deposits[from]?.block ?? 0;
    const some = deposits.slice(from).filter(({ block }) => block < firstBlock + BLOCKS_AT_ONCE);
    const answers = await readEverywhere(some, addresses, nodes);
    const enough = enoughOf(nodes, answers.length);
    confirmed.push(...some.filter(({ id }) => answers.filter((ids) => ids.has(id)).length >= enough));
    from += some.length;
  }
  logUnconfirmed(deposits.filter((deposit) => !confirmed.includes(deposit)).map(({ id }) => id));
  return confirmed;
}

/** The deposits that each answering node shows, in the blocks' logs or else in the transactions' receipts, since a node may omit logs. */
function readEverywhere(
  deposits: readonly UnconfirmedDeposit[],
  addresses: ReadonlyMap<Hex, WatchedAddress>,
  nodes: EvmNodes,
): Promise<ReadonlySet<string>[]> {
  const blocks = deposits.map(({ block }) => block);
  const receivers = [...new Set(deposits.map(({ address }) => address.toLowerCase() as Hex))];
  const query = { token: usdcAddress(nodes.chainId), receivers, fromBlock: Math.min(...blocks), toBlock: Math.max(...blocks) };
  const read = async (node: EvmNode) => {
    const { transfers } = await readTransfers(query, onlyNode(node, nodes.chainId));
    const shown = new Set(depositsIn(transfers, addresses).map(({ id }) => id));
    const hidden = new Set(deposits.filter(({ id }) => !shown.has(id)).map(({ transaction }) => transaction as Hex));
    for (const transaction of [...hidden].slice(0, MAX_RECEIPTS)) {
      for (const { id } of depositsIn(await readTransfersIn(node, transaction, query.token), addresses)) shown.add(id);
    }
    return shown;
  };
  return nodes.callFirst(async (node) => [await read(node), ...(await nodes.callOthers(node, read))]);
}

const lastLogged = processSingleton("deposits that one node alone shows", () => ({ ids: "" }));

/** Logs the same set of deposits once, not at every tick. */
function logUnconfirmed(ids: readonly string[]): void {
  const logged = lastLogged();
  if (ids.length > 0 && logged.ids !== ids.join())
    log().error({ deposits: ids }, "only one Base node shows these deposits, so they are not credited");
  logged.ids = ids.join();
}
