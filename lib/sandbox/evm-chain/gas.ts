// Gas money on the sandbox's chain: set by the node itself, without a transaction, since no account has any to send.

import { type Hex, toHex } from "viem";
import { z } from "zod";
import type { EvmNode } from "@/lib/chains/evm/node";
import { wei } from "@/lib/chains/evm/wire";

/** 10 ETH, in wei. */
export const GAS_MONEY = 10n ** 19n;

/** Tops an address up to `GAS_MONEY` when it has less than half of that. */
export async function fundGas(node: EvmNode, address: Hex): Promise<void> {
  const has = await node.call("eth_getBalance", [address, "latest"], wei);
  if (has < GAS_MONEY / 2n) await node.call("anvil_setBalance", [address, toHex(GAS_MONEY)], z.unknown());
}
