// Sends stored transactions. The same bytes may be sent any number of times, by any process: a chain executes them once.

import { bytesToHex } from "viem";
import type { ChainId } from "@/lib/base/chains";
import { log } from "@/lib/base/observe/log";
import { isEvmFailure } from "@/lib/chains/evm/failure";
import { broadcast } from "@/lib/chains/evm/transactions";
import { isSolanaRefusal, isSolanaUnavailable } from "@/lib/chains/solana/node-failure";
import { sendTransaction } from "@/lib/chains/solana/transactions";
import { prisma } from "@/lib/db/prisma";
import { evmOf, type RelayNodes, solanaOf } from "./chain";
import { recordSent, waits } from "./relayed";

/** The bytes to send: the last signed bytes of a waiting transaction. */
export interface Outgoing {
  id: string;
  chain: ChainId;
  hash: string;
  raw: Uint8Array;
}

interface Answer {
  /** Why the nodes do not accept it; null when they did. */
  problem: string | null;
}

const MAX_AT_ONCE = 8;
const MAX_PROBLEM_CHARACTERS = 200;

/**
 * Sends stored transactions after their commit, without waiting for a block. The job sends those again that no node accepts now.
 * Transactions that are in a block already, and those of a stopped sender, are skipped.
 */
export async function sendStored(ids: string | readonly string[], nodes: RelayNodes = {}): Promise<void> {
  const rows = await prisma().relayed.findMany({
    where: { id: { in: typeof ids === "string" ? [ids] : [...ids] }, state: waits },
    include: { broadcasts: true },
    orderBy: { nonce: "asc" },
  });
  const stopped = await prisma().relaySender.findMany({ where: { fault: { not: null } }, select: { chain: true, address: true } });
  const isStopped = (one: { chain: string; sender: string }) =>
    stopped.some(({ chain, address }) => chain === one.chain && address === one.sender);
  const outgoing = rows
    .filter((one) => !isStopped(one))
    .map(({ id, chain, hash, broadcasts }) => ({
      id,
      chain: chain as ChainId,
      hash,
      raw: bytesSignedLast({ id, hash }, broadcasts).raw,
    }));
  await sendAll(outgoing, nodes);
}

/** The last signed bytes of a transaction. Signed bytes are never deleted: its `hash` always names stored ones. */
export function bytesSignedLast<Bytes extends { hash: string }>(
  { id, hash }: { id: string; hash: string },
  signed: readonly Bytes[],
): Bytes {
  const last = signed.find((one) => one.hash === hash);
  if (!last) throw new Error(`The bytes of ${id} are not stored.`);
  return last;
}

/** Sends in the given order, in parallel batches; stops when no node answers. */
export async function sendAll(outgoing: readonly Outgoing[], nodes: RelayNodes): Promise<void> {
  for (let from = 0; from < outgoing.length; from += MAX_AT_ONCE) {
    const areAnswered = await Promise.all(outgoing.slice(from, from + MAX_AT_ONCE).map((one) => send(one, nodes)));
    if (areAnswered.includes(false)) return;
  }
}

/** False when no node answered. */
async function send(one: Outgoing, nodes: RelayNodes): Promise<boolean> {
  const { id, chain, hash } = one;
  const answer = await (chain === "base" ? sendToBase(one, nodes) : sendToSolana(one, nodes));
  if (answer === null) return false;
  const { problem } = answer;
  const isNews = await recordSent(id, hash, problem);
  if (problem !== null && isNews) log().error({ id, chain, problem }, "a node does not accept one of our transactions; retrying");
  return true;
}

/** Null when no node answered: the outcome is unknown. */
async function sendToBase({ raw }: Outgoing, nodes: RelayNodes): Promise<Answer | null> {
  try {
    const outcome = await broadcast(bytesToHex(raw), evmOf(nodes));
    switch (outcome.kind) {
      // The round finds the outcome of a call whose nonce is used, or whose bytes with higher fees are in the pool.
      case "sent":
      case "nonce_used":
      case "underpriced":
        return { problem: null };
      case "no_gas_money":
        return { problem: "no_gas_money" };
      case "refused":
        return { problem: outcome.reason.slice(0, MAX_PROBLEM_CHARACTERS) };
    }
  } catch (error) {
    if (!isEvmFailure(error)) throw error;
    return null;
  }
}

async function sendToSolana({ raw, hash }: Outgoing, nodes: RelayNodes): Promise<Answer | null> {
  try {
    await sendTransaction(solanaOf(nodes), raw, hash);
    return { problem: null };
  } catch (error) {
    if (isSolanaRefusal(error)) return { problem: error.message.slice(0, MAX_PROBLEM_CHARACTERS) };
    if (isSolanaUnavailable(error)) return null;
    throw error;
  }
}
