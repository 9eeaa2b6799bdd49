// Reports the balances of the keys that pay for transactions, so that an operator refills them in time.

import { z } from "zod";
import { metrics } from "@/lib/base/observe/metrics";
import { readGasBalance } from "@/lib/chains/evm/balances";
import { evmOf, type RelayNodes, solanaOf } from "./chain";
import { findFeePayer, findRelayer } from "./relayer";
import { findSponsor } from "./sponsor";

const WEI_PER_ETH = 1e18;

/** @throws EvmFailure, SolanaUnavailable; the balances that could be read are reported */
export async function reportGasMoney(nodes: RelayNodes): Promise<void> {
  const [relayer, feePayer, sponsor] = [findRelayer(), findFeePayer(), findSponsor()];
  const onBase = async () => {
    if (relayer) metrics().relayerEth.set(Number(await readGasBalance(relayer.address, evmOf(nodes))) / WEI_PER_ETH);
  };
  const onSolana = async () => {
    if (feePayer) metrics().feePayerLamports.set(await readLamports(feePayer, nodes));
    if (sponsor) metrics().sponsorLamports.set(await readLamports(sponsor.address, nodes));
  };
  for (const read of await Promise.allSettled([onBase(), onSolana()])) if (read.status === "rejected") throw read.reason;
}

const readLamports = async (address: string, nodes: RelayNodes): Promise<number> =>
  (await solanaOf(nodes).callAtSlot("getBalance", [address], z.int().min(0))).value;
