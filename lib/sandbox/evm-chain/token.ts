// The sandbox's USDC: installed at real USDC's address on Base, and updated there when this project's contract changes.

import { encodeDeployData, type Hex } from "viem";
import { z } from "zod";
import artifact from "@/lib/chains/contracts/artifacts/test-usdc.json";
import type { EvmNode } from "@/lib/chains/evm/node";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { bytes } from "@/lib/chains/evm/wire";

/**
 * Ensures that this release's contract is at USDC's address, with `minter` as its minter. Balances stay.
 *
 * The runtime code comes from an eth_call of the creation code: the compiler's output has placeholders for immutables, and a real
 * deployment would get another address.
 */
export async function openToken(node: EvmNode, minter: Hex): Promise<void> {
  const creation = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode as Hex, args: [minter] });
  const code = await node.call("eth_call", [{ data: creation }, "latest"], bytes);
  const before = await node.call("eth_getCode", [usdcOnBase, "latest"], bytes);
  if (before !== code) await node.call("anvil_setCode", [usdcOnBase, code], z.null());
}
