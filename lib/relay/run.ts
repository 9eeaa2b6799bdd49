// The relay's job: one round on both chains. Of any number of processes only one works on a chain at a time; with nothing under way a round
// costs one query, besides a check of the relayer and the gas money once a minute.

import type { Hex } from "viem";
import { z } from "zod";
import { type ChainId, chainIds } from "@/lib/base/chains";
import { nowMs } from "@/lib/base/clock";
import { metrics } from "@/lib/base/observe/metrics";
import { processSingleton } from "@/lib/base/process-singleton";
import { readGasBalance } from "@/lib/chains/evm/balances";
import { type Head, readHead } from "@/lib/chains/evm/head";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { prisma } from "@/lib/db/prisma";
import { withSessionLock } from "@/lib/db/session-lock";
import { finalize, findReorganised } from "./base-mined";
import { checkSender } from "./base-sender";
import { findMined, giveUpLost, listWaiting, type Patience, pushOn } from "./base-waiting";
import { evmOf, isOutage, type RelayNodes, solanaOf } from "./chain";
import { findFeePayer, findRelayer } from "./relayer";
import { runSolanaRound } from "./solana-round";
import { findSponsor } from "./sponsor";

export interface RelayOptions extends RelayNodes, Partial<Patience> {}

const STUCK_AFTER_MS = 60_000;
const RESEND_AFTER_MS = 5_000;
const LOOK_EVERY_MS = 60_000;

interface UnderWay {
  chain: ChainId;
  sender: string;
  waiting: bigint;
  oldest: Date | null;
}

const WEI_PER_ETH = 1e18;

/** One round. Work that fails because no node answers is left to the next round. */
export async function runRelay(options: RelayOptions = {}): Promise<void> {
  const rows = await readUnderWay();
  reportUnderWay(rows);
  const sendersOf = (chain: ChainId) => new Set(rows.filter((row) => row.chain === chain).map(({ sender }) => sender));
  const { stuckAfterMs = STUCK_AFTER_MS, resendAfterMs = RESEND_AFTER_MS } = options;
  const [onBase, onSolana] = [sendersOf("base"), sendersOf("solana")];
  const isTimeToLook = isMinuteOver();
  // This detects use of the key elsewhere even while nothing is under way.
  const relayer = findRelayer();
  if (isTimeToLook && relayer) onBase.add(relayer.address.toLowerCase());
  const rounds = await Promise.allSettled([
    onBase.size > 0 &&
      withSessionLock("relay on base", () => runBaseRound([...onBase] as Hex[], evmOf(options), { stuckAfterMs, resendAfterMs })),
    onSolana.size > 0 && withSessionLock("relay on solana", () => runSolanaRound(solanaOf(options), resendAfterMs)),
    isTimeToLook && reportGasMoney(options),
  ]);
  for (const round of rounds) if (round.status === "rejected" && !isOutage(round.reason)) throw round.reason;
}

/** One row for each sender with transactions under way, and for each stopped sender. */
const readUnderWay = (): Promise<UnderWay[]> =>
  // One statement, since every process runs it all the time; Prisma has neither FILTER nor UNION.
  prisma().$queryRaw<UnderWay[]>`
    SELECT chain, sender, count(*) FILTER (WHERE state IN ('stored', 'sent')) AS waiting,
      min(stored_at) FILTER (WHERE state IN ('stored', 'sent')) AS oldest
    FROM relayed WHERE finalized = false GROUP BY chain, sender
    UNION ALL SELECT chain, address, 0, NULL FROM relay_sender WHERE fault IS NOT NULL`;

const lastLook = processSingleton("relay's last look", () => ({ atMs: 0 }));

function isMinuteOver(): boolean {
  const last = lastLook();
  if (nowMs() - last.atMs < LOOK_EVERY_MS) return false;
  last.atMs = nowMs();
  return true;
}

function reportUnderWay(rows: readonly UnderWay[]): void {
  for (const chain of chainIds) {
    const ofChain = rows.filter((row) => row.chain === chain);
    const oldestMs = Math.min(...ofChain.map(({ oldest }) => oldest?.getTime() ?? Infinity));
    metrics().relayWaiting.set({ chain }, Number(ofChain.reduce((sum, { waiting }) => sum + waiting, 0n)));
    metrics().relayOldestSeconds.set({ chain }, Number.isFinite(oldestMs) ? Math.max(0, nowMs() - oldestMs) / 1_000 : 0);
  }
}

/**
 * Reports the balances of the keys that pay for transactions, for an operator to refill.
 * @throws EvmFailure, SolanaUnavailable; the balances that could be read are reported
 */
async function reportGasMoney(nodes: RelayNodes): Promise<void> {
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

/** One round for each sender with transactions under way. @throws EvmFailure when no node answers; the next round does the rest */
async function runBaseRound(senders: readonly Hex[], nodes: EvmNodes, patience: Patience): Promise<void> {
  const head = await readHead(nodes);
  let stopped = 0;
  for (const sender of senders) if (!(await runSender(sender, head, nodes, patience))) stopped += 1;
  metrics().relayStopped.set(stopped);
}

/** False while the sender is stopped. */
async function runSender(sender: Hex, head: Head, nodes: EvmNodes, patience: Patience): Promise<boolean> {
  const { mined, fault } = await checkSender(sender, nodes);
  const waiting = await listWaiting(sender);
  const missing = await findMined(
    waiting.filter(({ nonce }) => nonce < mined.max),
    nodes,
  );
  // While the chain is in doubt, nothing is recorded as final or lost, and no fee is spent.
  if (head.doubt !== null) return fault === null;
  await giveUpLost(missing, sender, nodes);
  await findReorganised(sender, head, nodes);
  await finalize(sender, head, nodes);
  if (fault !== null) return false;
  const open = (await listWaiting(sender)).filter(({ nonce }) => nonce >= mined.min);
  await pushOn(open, mined, nodes, patience);
  return true;
}
