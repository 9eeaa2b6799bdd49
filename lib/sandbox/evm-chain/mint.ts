// Test USDC out of nothing: the minter's own transactions, one at a time, since each takes the next nonce.

import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import type { EvmNode } from "@/lib/chains/evm/node";
import { usdcOnBase } from "@/lib/chains/evm/usdc";
import { bytes, bytes32, quantity, wei } from "@/lib/chains/evm/wire";
import { fundGas } from "./gas";

const abi = parseAbi(["function mint(address to, uint256 amount) returns (bool)"]);
const GAS = 200_000n;
/** One gwei. Not what the node proposes, which is what was paid before. */
const TIP = 10n ** 9n;
const receipt = z.object({ transactionHash: bytes32, status: z.enum(["0x0", "0x1"]) });

export type Mint = (node: EvmNode, to: Hex, units: bigint) => Promise<Hex>;

export function createMint(minterKey: Hex, chainId: number): Mint {
  const minter = privateKeyToAccount(minterKey);
  let last: Promise<unknown> = Promise.resolve();

  async function send(node: EvmNode, to: Hex, units: bigint): Promise<Hex> {
    const data = encodeFunctionData({ abi, functionName: "mint", args: [to, units] });
    // Asked first, since a transaction that fails does not say why.
    await node.call("eth_call", [{ from: minter.address, to: usdcOnBase, data }, "latest"], bytes);
    await fundGas(node, minter.address);
    const [nonce, { baseFeePerGas }] = await Promise.all([
      node.call("eth_getTransactionCount", [minter.address, "pending"], quantity),
      node.call("eth_getBlockByNumber", ["latest", false], z.object({ baseFeePerGas: wei })),
    ]);
    const fees = { maxFeePerGas: 2n * baseFeePerGas + TIP, maxPriorityFeePerGas: TIP };
    const raw = await minter.signTransaction({ type: "eip1559", chainId, nonce, ...fees, gas: GAS, to: usdcOnBase, data });
    const { transactionHash, status } = await node.call("eth_sendRawTransactionSync", [raw], receipt);
    if (status !== "0x1") throw new Error(`The test USDC for ${to} were not made: transaction ${transactionHash} failed.`);
    return transactionHash;
  }

  return (node, to, units) => {
    const sent = last.then(() => send(node, to, units));
    last = sent.catch(() => undefined); // Told to whoever asked for it; the next one goes on.
    return sent;
  };
}
