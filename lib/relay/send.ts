// Sending what is stored. The same bytes may be sent any number of times, by any process: a chain carries them out once.

import { bytesToHex } from "viem";
import { now } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { broadcast } from "@/lib/chains/evm/transactions";
import { isSolanaRefusal } from "@/lib/chains/solana/node-failure";
import { sendTransaction } from "@/lib/chains/solana/transactions";
import { pool } from "@/lib/db/pool";
import { evmOf, isSolanaUnavailable, type RelayChain, type RelayNodes, solanaOf } from "./chain";

/** Bytes on their way: those signed last of a transaction that waits. */
export interface Outgoing {
  id: string;
  chain: RelayChain;
  hash: string;
  raw: Buffer;
}

interface Answer {
  isTaken: boolean;
  problem: string | null;
}

const MAX_AT_ONCE = 8;
const MAX_PROBLEM_CHARACTERS = 200;

/**
 * Sends stored transactions after their commit, without waiting for a block. What no node takes now, the job sends again.
 * One that is in a block already, or whose sender stands still, is left alone.
 */
export async function sendStored(ids: string | readonly string[], nodes: RelayNodes = {}): Promise<void> {
  const { rows } = await pool().query<Outgoing>(
    `SELECT r.id, r.chain, r.hash, b.raw FROM relayed r JOIN relay_broadcast b ON b.hash = r.hash
     WHERE r.id = ANY ($1::text[]) AND r.state IN ('stored', 'sent')
       AND NOT EXISTS (SELECT 1 FROM relay_sender s WHERE s.chain = r.chain AND s.address = r.sender AND s.fault IS NOT NULL)
     ORDER BY r.nonce`,
    [typeof ids === "string" ? [ids] : ids],
  );
  await sendAll(rows, nodes);
}

/** Sends in the order given, some at once; no more when no node answers. */
export async function sendAll(outgoing: readonly Outgoing[], nodes: RelayNodes): Promise<void> {
  for (let from = 0; from < outgoing.length; from += MAX_AT_ONCE) {
    const wereHeard = await Promise.all(outgoing.slice(from, from + MAX_AT_ONCE).map((one) => send(one, nodes)));
    if (wereHeard.includes(false)) return;
  }
}

/** False when no node answered. */
async function send(one: Outgoing, nodes: RelayNodes): Promise<boolean> {
  const { id, chain, hash } = one;
  const answer = await (chain === "base" ? sendToBase(one, nodes) : sendToSolana(one, nodes));
  if (answer === null) return false;
  const { isTaken, problem } = answer;
  const { rows } = await pool().query<{ isNews: boolean }>('SELECT relay_note_sent($1, $2, $3, $4, $5) AS "isNews"', [
    ...[id, hash, isTaken, problem, now()],
  ]);
  if (problem !== null && rows[0]?.isNews)
    log().error({ id, chain, problem }, "no node takes a transaction of ours; it is sent again and again");
  return true;
}

/** Null when no node answered: nothing is known of it. */
async function sendToBase({ raw }: Outgoing, nodes: RelayNodes): Promise<Answer | null> {
  try {
    const outcome = await broadcast(bytesToHex(raw), evmOf(nodes));
    switch (outcome.kind) {
      // Of a nonce that is used, and of one whose bytes with higher fees wait there, the round finds out what became.
      case "sent":
      case "nonce_used":
      case "underpriced":
        return { isTaken: true, problem: null };
      case "no_gas_money":
        return { isTaken: false, problem: "no_gas_money" };
      case "refused":
        return { isTaken: false, problem: outcome.reason.slice(0, MAX_PROBLEM_CHARACTERS) };
    }
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    return null;
  }
}

async function sendToSolana({ raw, hash }: Outgoing, nodes: RelayNodes): Promise<Answer | null> {
  try {
    await sendTransaction(solanaOf(nodes), raw, hash);
    return { isTaken: true, problem: null };
  } catch (error) {
    if (isSolanaRefusal(error)) return { isTaken: false, problem: error.message.slice(0, MAX_PROBLEM_CHARACTERS) };
    if (isSolanaUnavailable(error)) return null;
    throw error;
  }
}
