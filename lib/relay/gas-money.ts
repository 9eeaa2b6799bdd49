// What those who pay for transactions have left, for whoever fills them up: read once a minute.

import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { metrics } from "@/lib/base/observe/metrics";
import { once } from "@/lib/base/once";
import { readGasBalance } from "@/lib/chains/evm/balances";
import { evmOf, type RelayNodes, solanaOf } from "./chain";
import { findFeePayer, findRelayer } from "./relayer";

const EVERY_MS = 60_000;
const WEI_PER_ETH = 1e18;

const lastRead = () => once("relay gas money", () => ({ atMs: 0 }));

/** @throws EvmFailure, SolanaUnavailable */
export async function reportGasMoney(nodes: RelayNodes): Promise<void> {
  const last = lastRead();
  if (nowMs() - last.atMs < EVERY_MS) return;
  last.atMs = nowMs();
  const [relayer, feePayer] = [findRelayer(), findFeePayer()];
  if (relayer) metrics().relayerEth.set(Number(await readGasBalance(relayer.address, evmOf(nodes))) / WEI_PER_ETH);
  if (feePayer) metrics().feePayerLamports.set((await solanaOf(nodes).callAtSlot("getBalance", [feePayer], z.int().min(0))).value);
}
