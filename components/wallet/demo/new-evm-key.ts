// The new test wallet's Ethereum key: created on first use, and kept in this browser only.

import { type Hex, hexToBigInt, hexToNumber } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { DemoTransfer } from "@/lib/console/views/wallet";
import type { DemoMemory } from "./demo-memory";
import { askChain } from "./demo-wallet-evm";

const NAME = "evm-key";

export function newEvmAccount({ recall, remember }: DemoMemory): PrivateKeyAccount {
  const stored = recall(NAME);
  if (stored !== null && /^0x[0-9a-f]{64}$/.test(stored)) return privateKeyToAccount(stored as Hex);
  const key = generatePrivateKey();
  remember(NAME, key);
  return privateKeyToAccount(key);
}

/** One gwei: more than the sandbox's chain asks for. */
const TIP = 1_000_000_000n;

/** Sends a transaction on the sandbox's chain, and resolves with its hash. @throws Error with the chain's own words, such as for lacking gas */
export async function sendFromNewEvm(memory: DemoMemory, chainId: number, transfer: DemoTransfer & { chain: "evm" }): Promise<string> {
  const account = newEvmAccount(memory);
  const call = { to: transfer.to as Hex, data: transfer.data as Hex, value: transfer.value === undefined ? 0n : BigInt(transfer.value) };
  const [nonce, price, gas] = await Promise.all([
    askChain<Hex>("eth_getTransactionCount", [account.address, "pending"]),
    askChain<Hex>("eth_gasPrice", []),
    askChain<Hex>("eth_estimateGas", [{ from: account.address, to: call.to, data: call.data }]),
  ]);
  const signed = await account.signTransaction({
    ...call,
    chainId,
    type: "eip1559",
    nonce: hexToNumber(nonce),
    gas: (hexToBigInt(gas) * 3n) / 2n,
    maxPriorityFeePerGas: TIP,
    maxFeePerGas: 2n * hexToBigInt(price) + TIP,
  });
  return askChain<string>("eth_sendRawTransaction", [signed]);
}
