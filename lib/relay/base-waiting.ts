// Transactions on Base that are in no block yet: they are looked up, sent again when the nodes dropped them, and signed again with raised
// fees when they are stuck. Bytes with raised fees are stored before they are sent.

import { bytesToHex, type Hex, hexToBytes } from "viem";
import { now, nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { callEach, type EvmNodes } from "@/lib/chains/evm/nodes";
import { type Fees, raiseFees, readFees, serializeSigned, type Transaction } from "@/lib/chains/evm/transactions";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { findStanding, lookEverywhere, readSignedFor, recordReceipt } from "./base-receipts";
import { findFinalNonce, type MinedNonces } from "./nonces";
import { recordLost, waits, wholeOf } from "./relayed";
import { findRelayer } from "./relayer";
import { bytesSignedLast, type Outgoing, sendAll } from "./send";

export interface Patience {
  /** Milliseconds after which a waiting transaction is signed again with raised fees. */
  stuckAfterMs: number;
  /** Milliseconds after which a transaction that no node knows is sent again. */
  resendAfterMs: number;
}

export interface WaitingCall extends Outgoing {
  sender: Hex;
  nonce: number;
  receiver: Hex;
  input: Uint8Array;
  gas: bigint;
  maxFee: bigint;
  maxPriorityFee: bigint;
  sentAt: Date | null;
  /** When the nodes accepted the bytes that were signed last; null while they have not. */
  takenAt: Date | null;
}

const MAX_WAITING = 500;
const MAX_LOOKS_AT_ONCE = 8;
/** Fees are never raised above this multiple of the market's: a transaction that is still stuck there has another problem. */
const MAX_TIMES_THE_MARKET = 10n;

/** The waiting transactions of a sender, by nonce. */
export async function listWaiting(sender: string): Promise<WaitingCall[]> {
  const rows = await prisma().relayed.findMany({
    where: { finalized: false, chain: "base", state: waits, sender },
    include: { broadcasts: true },
    orderBy: { nonce: "asc" },
    take: MAX_WAITING,
  });
  return rows.map(({ broadcasts, ...row }) => {
    const { raw, maxFee, maxPriorityFee } = bytesSignedLast(row, broadcasts);
    return { ...row, raw, maxFee: wholeOf(maxFee), maxPriorityFee: wholeOf(maxPriorityFee) } as WaitingCall;
  });
}

/** Looks for the receipts of calls whose nonce is used. Resolves with those that no node has a receipt of. @throws EvmFailure */
export async function findMined(waiting: readonly WaitingCall[], nodes: EvmNodes): Promise<WaitingCall[]> {
  const missing: WaitingCall[] = [];
  for (let from = 0; from < waiting.length; from += MAX_LOOKS_AT_ONCE) {
    const batch = waiting.slice(from, from + MAX_LOOKS_AT_ONCE);
    const found = await Promise.all(batch.map(({ id }) => lookEverywhere(id, nodes)));
    missing.push(...batch.filter((_, index) => !found[index]));
  }
  return missing;
}

/**
 * Gives calls up that can never be in a block: every node says that the nonce is used in a final block, and has no receipt of ours, so
 * another holder of the key used it. A silent node may be the only honest one.
 * @throws EvmFailure
 */
export async function giveUpLost(missing: readonly WaitingCall[], sender: Hex, nodes: EvmNodes): Promise<void> {
  if (missing.length === 0) return;
  // The final nonce first, then the receipts again: every call that was final at the first read has a receipt by the second.
  const finalNonce = (await findFinalNonce(sender, nodes)) ?? 0;
  for (const { id, nonce } of missing.filter((call) => call.nonce < finalNonce)) {
    const signed = await readSignedFor(id);
    const receipts = await callEach(nodes, (node) => findStanding(signed, node, nodes));
    const receipt = receipts.find((one) => one !== null);
    if (receipt) await recordReceipt(id, receipt);
    if (receipt || receipts.length < nodes.count) continue;
    await recordLost(id);
    log().error(
      { id, nonce, sender },
      "a transaction that we did not send used one of the relayer's nonces: another service uses the same seed, or someone else has the key. Stop the other service.",
    );
  }
}

const isDue = (at: Date | null, afterMs: number): boolean => at === null || nowMs() - at.getTime() >= afterMs;

/** Sends the calls that no node has, lowest nonce first, and signs stuck ones again. @throws EvmFailure */
export async function pushOn(waiting: readonly WaitingCall[], mined: MinedNonces, nodes: EvmNodes, patience: Patience): Promise<void> {
  const inPool = ({ nonce, takenAt }: WaitingCall) => takenAt !== null && nonce < mined.pending;
  const forgotten = waiting.filter((call) => !inPool(call) && isDue(call.sentAt, patience.resendAfterMs));
  await sendAll(forgotten, { evm: nodes });
  const old = waiting.filter(({ takenAt }) => takenAt !== null && isDue(takenAt, patience.stuckAfterMs));
  if (old.length === 0) return;
  const fees = await readFees(nodes);
  const baseFee = (fees.maxFeePerGas - fees.maxPriorityFeePerGas) / 2n;
  // Behind a stuck call the others wait as well; they are raised only when they pay too little themselves.
  const stuck = old.filter(({ nonce, maxFee }) => nonce === mined.max || maxFee < baseFee);
  const raised: Outgoing[] = [];
  for (const call of stuck) raised.push((await raise(call, fees, nodes)) ?? call);
  await sendAll(raised, { evm: nodes });
}

/** Stores and returns the bytes with raised fees; null when the call no longer waits, or raising cannot help. */
async function raise(call: WaitingCall, fees: Fees, nodes: EvmNodes): Promise<Outgoing | null> {
  const { id, chain, sender, nonce, receiver, input, gas, maxFee, maxPriorityFee } = call;
  const before = { chainId: nodes.chainId, nonce, to: receiver, data: bytesToHex(input), gas };
  const next: Transaction = raiseFees({ ...before, maxFeePerGas: maxFee, maxPriorityFeePerGas: maxPriorityFee }, fees);
  if (next.maxFeePerGas > MAX_TIMES_THE_MARKET * fees.maxFeePerGas) return null;
  const relayer = findRelayer();
  // An earlier seed's relayer signed it: only that key could sign again.
  if (relayer?.address.toLowerCase() !== sender) return null;
  const { raw, hash } = serializeSigned(next, await relayer.signTransaction(next));
  const bytes = Buffer.from(hexToBytes(raw));
  if (!(await storeRaised(call, next, { hash, raw: bytes }))) return null;
  log().warn({ id, nonce, maxFeePerGas: `${next.maxFeePerGas}`, hash }, "a transaction on Base is stuck; raising its fees");
  return { id, chain, hash, raw: bytes };
}

/** False, and nothing is stored, when the call no longer waits, or other bytes were signed for it meanwhile. */
function storeRaised(
  { id, hash: known }: WaitingCall,
  fees: Fees,
  { hash, raw }: { hash: Hex; raw: Buffer<ArrayBuffer> },
): Promise<boolean> {
  const [maxFee, maxPriorityFee] = [`${fees.maxFeePerGas}`, `${fees.maxPriorityFeePerGas}`];
  return inTransaction(async (transaction) => {
    const { count } = await transaction.relayed.updateMany({
      where: { id, state: waits, hash: known },
      data: { hash, sentAt: null, takenAt: null },
    });
    if (count === 0) return false;
    await transaction.relayBroadcast.create({ data: { hash, relayedId: id, raw, maxFee, maxPriorityFee, signedAt: now() } });
    return true;
  });
}
