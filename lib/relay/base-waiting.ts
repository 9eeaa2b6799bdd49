// Transactions on Base that are in no block yet: found in one, sent again when the nodes forgot them, signed again with raised
// fees when they are stuck. Raised bytes are stored before they are sent.

import { bytesToHex, type Hex, hexToBytes } from "viem";
import { now, nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { type Fees, raiseFees, readFees, serializeSigned, type Transaction } from "@/lib/chains/evm/transactions";
import { pool } from "@/lib/db/pool";
import { lookEverywhere } from "./base-receipts";
import { type MinedNonces, readFinalNonce } from "./nonces";
import { findRelayer } from "./relayer";
import { type Outgoing, sendAll } from "./send";

export interface Patience {
  /** Milliseconds after which what waits is signed again with raised fees. */
  stuckAfterMs: number;
  /** Milliseconds after which what no node knows is sent again. */
  resendAfterMs: number;
}

export interface WaitingCall extends Outgoing {
  sender: Hex;
  nonce: number;
  receiver: Hex;
  input: Buffer;
  gas: bigint;
  maxFee: bigint;
  maxPriorityFee: bigint;
  sentAt: Date | null;
  /** Since when the nodes have the bytes that were signed last; null while they do not. */
  takenAt: Date | null;
}

const MAX_WAITING = 500;
const MAX_LOOKS_AT_ONCE = 8;
/** Fees are not raised beyond this many times what the chain asks: then something else is wrong. */
const MAX_TIMES_THE_MARKET = 10n;

/** What waits of a sender, by nonce. */
export async function readWaiting(sender: string): Promise<WaitingCall[]> {
  const { rows } = await pool().query<Omit<WaitingCall, "maxFee" | "maxPriorityFee"> & { maxFee: string; maxPriorityFee: string }>(
    `SELECT r.id, r.chain, r.hash, r.sender, r.nonce, r.receiver, r.input, r.gas, r.sent_at AS "sentAt", r.taken_at AS "takenAt", b.raw,
       b.max_fee::text AS "maxFee", b.max_priority_fee::text AS "maxPriorityFee"
     FROM relayed r JOIN relay_broadcast b ON b.hash = r.hash
     WHERE r.finalized = false AND r.chain = 'base' AND r.state IN ('stored', 'sent') AND r.sender = $1
     ORDER BY r.nonce LIMIT $2`,
    [sender, MAX_WAITING],
  );
  return rows.map((row) => ({ ...row, maxFee: BigInt(row.maxFee), maxPriorityFee: BigInt(row.maxPriorityFee) }));
}

/**
 * Looks for the receipts of what has a nonce that is used. Where all nodes agree that the nonce is used for good, and none has a
 * receipt of ours, another holder of the key has used it, and ours can never be in a block.
 * @throws EvmFailure
 */
export async function findMined(waiting: readonly WaitingCall[], sender: Hex, nodes: EvmNodes): Promise<void> {
  const missing: WaitingCall[] = [];
  for (let from = 0; from < waiting.length; from += MAX_LOOKS_AT_ONCE) {
    const some = waiting.slice(from, from + MAX_LOOKS_AT_ONCE);
    const found = await Promise.all(some.map(({ id }) => lookEverywhere(id, nodes)));
    missing.push(...some.filter((_, place) => !found[place]));
  }
  if (missing.length === 0) return;
  // First what is final, then the receipts once more: what was final by then has one now.
  const finalNonce = await readFinalNonce(sender, nodes);
  for (const { id, nonce } of missing.filter((call) => call.nonce < finalNonce)) {
    if (await lookEverywhere(id, nodes)) continue;
    await pool().query("SELECT relay_note_lost($1)", [id]);
    log().error(
      { id, nonce, sender },
      "a nonce of the relayer was used by a transaction that is not ours: somebody else holds its key, or another database of this service uses the same seed. Stop that one.",
    );
  }
}

const isDue = (at: Date | null, afterMs: number): boolean => at === null || nowMs() - at.getTime() >= afterMs;

/** Sends what no node has, the lowest nonce first, and signs anew what is stuck. @throws EvmFailure */
export async function pushOn(waiting: readonly WaitingCall[], mined: MinedNonces, nodes: EvmNodes, patience: Patience): Promise<void> {
  const inPool = ({ nonce, takenAt }: WaitingCall) => takenAt !== null && nonce < mined.pending;
  const forgotten = waiting.filter((call) => !inPool(call) && isDue(call.sentAt, patience.resendAfterMs));
  await sendAll(forgotten, { evm: nodes });
  const old = waiting.filter(({ takenAt }) => takenAt !== null && isDue(takenAt, patience.stuckAfterMs));
  if (old.length === 0) return;
  const fees = await readFees(nodes);
  const baseFee = (fees.maxFeePerGas - fees.maxPriorityFeePerGas) / 2n;
  // Behind one that is stuck the others wait as well; they are raised only when they pay too little themselves.
  const stuck = old.filter(({ nonce, maxFee }) => nonce === mined.most || maxFee < baseFee);
  const raised: Outgoing[] = [];
  for (const call of stuck) raised.push((await raise(call, fees, nodes)) ?? call);
  await sendAll(raised, { evm: nodes });
}

/** The bytes with raised fees, stored; null when it waits no longer, or raising can not help. */
async function raise(call: WaitingCall, fees: Fees, nodes: EvmNodes): Promise<Outgoing | null> {
  const { id, chain, sender, nonce, receiver, input, gas, maxFee, maxPriorityFee } = call;
  const before = { chainId: nodes.chainId, nonce, to: receiver, data: bytesToHex(input), gas };
  const next: Transaction = raiseFees({ ...before, maxFeePerGas: maxFee, maxPriorityFeePerGas: maxPriorityFee }, fees);
  if (next.maxFeePerGas > MAX_TIMES_THE_MARKET * fees.maxFeePerGas) return null;
  const relayer = findRelayer();
  // Of another seed's relayer, from before: only its own could sign anew.
  if (relayer?.address.toLowerCase() !== sender) return null;
  const { raw, hash } = serializeSigned(next, await relayer.signTransaction(next));
  const bytes = Buffer.from(hexToBytes(raw));
  const { rows } = await pool().query<{ isStored: boolean }>('SELECT relay_store_raised($1, $2, $3, $4, $5, $6, $7) AS "isStored"', [
    ...[id, call.hash, hash, bytes, next.maxFeePerGas.toString(), next.maxPriorityFeePerGas.toString(), now()],
  ]);
  if (rows[0]?.isStored !== true) return null;
  log().warn({ id, nonce, maxFeePerGas: `${next.maxFeePerGas}`, hash }, "a transaction on Base is stuck: its fees are raised");
  return { id, chain, hash, raw: bytes };
}
