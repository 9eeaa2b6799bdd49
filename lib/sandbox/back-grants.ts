// What the sandbox gave to accounts in the ledger alone is made good on its chain: the treasury is paid as much in test USDC. The
// chain itself remembers what was paid, as transfers from the minter's own address, which nothing else makes: so a start that died
// half way, or a chain that lost its last blocks with kill -9, is mended by the next round, and no other income is taken for it.

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
  /** Where the money is kept that customers own. */
  treasury: Hex;
  /** All that accounts were given in the ledger alone so far, nano-USD. */
  readGranted: () => Promise<bigint>;
}

/**
 * Pays what is missing. Only one process at a time may do this for a chain: the one that runs it.
 * @throws Error when the chain is away; the next round does the rest
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

/** Units that the minter has paid to the treasury, ever. */
async function readPaid(nodes: EvmNodes, chain: Pick<EvmChain, "usdc" | "minterAddress">, treasury: Hex): Promise<bigint> {
  const topics = [TRANSFER, pad(chain.minterAddress), pad(treasury)];
  const filter = { address: chain.usdc, topics, fromBlock: toHex(0), toBlock: "latest" };
  const logs = await nodes.callFirst((node) => node.call("eth_getLogs", [filter], z.array(z.object({ data: bytes }))));
  return logs.reduce((sum, { data }) => sum + BigInt(data), 0n);
}

/** What a start that died left at the minter's address. */
async function readHeld(nodes: EvmNodes, { usdc, minterAddress }: Pick<EvmChain, "usdc" | "minterAddress">): Promise<bigint> {
  const latest = await findBlock("latest", nodes);
  if (!latest) throw new Error("The sandbox's EVM chain has no block.");
  const [units = 0n] = await readBalances({ token: usdc, accounts: [minterAddress], blockHash: latest.hash }, nodes);
  return units;
}
