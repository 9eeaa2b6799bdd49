// Backs the sandbox's ledger-only grants on its chain: pays the same amount of test USDC to the treasury. The chain itself records these
// payments, as transfers from the minter's own address that nothing else makes. So the next round repairs a start that died half way, or a
// chain that lost its last blocks to kill -9, and other income is never mistaken for backing.

import { type Hex, pad, parseAbiItem, toEventSelector, toHex } from "viem";
import { z } from "zod";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { createNodes, type EvmNodes } from "@/lib/chains/evm/nodes";
import { bytes } from "@/lib/chains/evm/wire";
import type { EvmChain } from "./evm-chain/start";

const NANO_USD_PER_UNIT = 1_000n;
const TRANSFER = toEventSelector(parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)"));

export interface Backing {
  /** The treasury, which holds customers' money. */
  treasury: Hex;
  /** Sum of all ledger-only grants so far, nano-USD. */
  readGranted: () => Promise<bigint>;
}

/**
 * Pays the missing amount. Only the process that runs the chain may do this, so one at a time.
 * @throws Error when the chain is unreachable; the next round does the rest
 */
export async function backGrants(
  chain: Pick<EvmChain, "chainId" | "usdc" | "url" | "mint" | "pay" | "minterAddress">,
  { treasury, readGranted }: Backing,
): Promise<void> {
  const nodes = createNodes({ urls: [chain.url()], chainId: chain.chainId });
  const granted = (await readGranted()) + NANO_USD_PER_UNIT - 1n;
  const missing = granted / NANO_USD_PER_UNIT - (await readPaid(nodes, chain, treasury));
  if (missing <= 0n) return;
  const held = await readHeld(nodes, chain);
  if (held < missing) await chain.mint(chain.minterAddress, missing - held);
  await chain.pay(treasury, missing);
}

/** Total units that the minter has paid to the treasury. */
async function readPaid(nodes: EvmNodes, chain: Pick<EvmChain, "usdc" | "minterAddress">, treasury: Hex): Promise<bigint> {
  const topics = [TRANSFER, pad(chain.minterAddress), pad(treasury)];
  const filter = { address: chain.usdc, topics, fromBlock: toHex(0), toBlock: "latest" };
  const logs = await nodes.callFirst((node) => node.call("eth_getLogs", [filter], z.array(z.object({ data: bytes }))));
  return logs.reduce((sum, { data }) => sum + BigInt(data), 0n);
}

/** Units left at the minter's address by a start that died. */
async function readHeld(nodes: EvmNodes, { usdc, minterAddress }: Pick<EvmChain, "usdc" | "minterAddress">): Promise<bigint> {
  const latest = await findBlock("latest", nodes);
  if (!latest) throw new Error("The sandbox's EVM chain has no block.");
  const [units = 0n] = await readBalances({ token: usdc, accounts: [minterAddress], blockHash: latest.hash }, nodes);
  return units;
}
