// What those who pay for transactions have left, for whoever fills them up.

import { z } from "zod";
import { metrics } from "@/lib/base/observe/metrics";
import { readGasBalance } from "@/lib/chains/evm/balances";
import { evmOf, type RelayNodes, solanaOf } from "./chain";
import { findFeePayer, findRelayer } from "./relayer";

const WEI_PER_ETH = 1e18;

/** @throws EvmFailure, SolanaUnavailable; what could be read is reported */
export async function reportGasMoney(nodes: RelayNodes): Promise<void> {
  const [relayer, feePayer] = [findRelayer(), findFeePayer()];
  const onBase = async () => {
    if (relayer) metrics().relayerEth.set(Number(await readGasBalance(relayer.address, evmOf(nodes))) / WEI_PER_ETH);
  };
  const onSolana = async () => {
    if (feePayer) metrics().feePayerLamports.set((await solanaOf(nodes).callAtSlot("getBalance", [feePayer], z.int().min(0))).value);
  };
  for (const read of await Promise.allSettled([onBase(), onSolana()])) if (read.status === "rejected") throw read.reason;
}
