// The sandbox's USDC: put where Base has the real one, and kept there when this project's contract changes.

import { encodeDeployData, type Hex } from "viem";
import { z } from "zod";
import artifact from "@/lib/chains/contracts/artifacts/test-usdc.json";
import type { EvmNode } from "@/lib/chains/evm/node";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { bytes } from "@/lib/chains/evm/wire";

/**
 * Makes sure that this release's contract is at USDC's address, with `minter` as who mints. Balances stay.
 *
 * The code to put there is what a deployment would leave, run as a call: the compiler's own output has blanks for what is only
 * known then, and a real deployment would be at another address.
 */
export async function openToken(node: EvmNode, minter: Hex): Promise<void> {
  const creation = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode as Hex, args: [minter] });
  const code = await node.call("eth_call", [{ data: creation }, "latest"], bytes);
  const before = await node.call("eth_getCode", [usdcOnBase, "latest"], bytes);
  if (before !== code) await node.call("anvil_setCode", [usdcOnBase, code], z.null());
}
