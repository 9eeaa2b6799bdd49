// A real EVM chain for tests, with USDC, settlement contracts, and wallets that approved them.

import { encodeFunctionData, erc20Abi, type Hex, type TransactionReceipt } from "viem";
import { type SettlementTerms, settlementAddress, settlementDeployment } from "../settlement";
import { newAddress, startUsdcChain } from "./usdc-chain";

const MAX_GAS = 5_000_000n;

/** It mines a block per transaction only. The caller stops it. */
export async function startSettlementChain() {
  const chain = await startUsdcChain({ blockTimeMs: 3_600_000 });
  const { client, minter } = chain;

  async function send(from: Hex, call: { to?: Hex; data: Hex }): Promise<TransactionReceipt> {
    await chain.fundGas(from);
    await client.impersonateAccount({ address: from });
    const hash = await client.sendTransaction({ account: from, gas: MAX_GAS, ...call });
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== "success") throw new Error("A transaction that a test needs was reverted.");
    return receipt;
  }

  return {
    ...chain,
    /** Sends from any address, without its key. */
    send,
    /** Deploys a contract; resolves with its address, lower case. */
    create: async (code: Hex): Promise<Hex> => (await send(minter.address, { data: code })).contractAddress?.toLowerCase() as Hex,
    approve: (from: Hex, spender: Hex, units: bigint) =>
      send(from, { to: chain.usdc, data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, units] }) }),
    /** A settlement contract with its own treasury, unless `wanted` says otherwise. */
    openSettlement: async (wanted: Partial<SettlementTerms>) => {
      const terms: SettlementTerms = {
        serviceName: "PennyPrompt",
        usdc: chain.usdc,
        treasury: newAddress(),
        relayer: newAddress(),
        ...wanted,
      };
      const receipt = await send(minter.address, settlementDeployment(terms));
      return { ...terms, address: settlementAddress(terms), gasOfDeployment: receipt.gasUsed };
    },
  };
}

export type SettlementChain = Awaited<ReturnType<typeof startSettlementChain>>;
