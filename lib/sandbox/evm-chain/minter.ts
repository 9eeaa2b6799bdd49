// The minter of test USDC on the EVM chain. Any process with the key and a node can mint.

import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { EvmNode } from "@/lib/chains/evm/node";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { createSender } from "./sender";

const abi = parseAbi(["function mint(address to, uint256 amount) returns (bool)"]);

/** Units are millionths; both resolve with the transaction's hash, and throw like `Sender`. */
export interface Minter {
  address: Hex;
  /** Mints new units. */
  mint: (node: EvmNode, to: Hex, units: bigint) => Promise<Hex>;
  /** Sends from the minter's own balance. */
  pay: (node: EvmNode, to: Hex, units: bigint) => Promise<Hex>;
}

export function createMinter(key: Hex, chainId: number): Minter {
  const send = createSender(key, chainId);
  return {
    address: privateKeyToAddress(key),
    mint: (node, to, units) => send(node, encodeFunctionData({ abi, functionName: "mint", args: [to, units] })),
    pay: (node, to, units) => send(node, encodeTransfer(to, units)),
  };
}
