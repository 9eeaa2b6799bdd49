// Compares the sender's nonces on Base with ours. While they differ, nothing is sent until an operator has acted, or the chain agrees
// again.

import type { Hex } from "viem";
import { log } from "@/lib/base/observe/log";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { type Database, prisma } from "@/lib/db/prisma";
import { findFinalNonce, type MinedNonces, readMinedNonces } from "./nonces";

export type SenderFault = "nonce_ahead" | "nonce_behind";

interface Sender {
  nextNonce: number;
  /** The lowest nonce of ours that is not final; the next one when all are. */
  lowestOpen: number;
  fault: string | null;
}

const cures: Record<SenderFault, string> = {
  nonce_ahead:
    "The relay on Base has stopped: the relayer's account has transactions that this service did not send. Another service uses the same seed, or someone else has the key. Stop the other service, or rotate the relayer as SECURITY.md says; the relay resumes by itself once those transactions are final.",
  nonce_behind:
    "The relay on Base has stopped: final transactions of the relayer are missing on the chain. The nodes in BASE_RPC_URLS serve another chain or have lost blocks. Correct them; the relay then resumes by itself. A sandbox whose chain was deleted needs a new DATA_DIR.",
};

/** The sender's lowest nonce that is not final; null when all are. The chain's own nonce is never lower. */
export async function findLowestOpen(sender: string, database: Database = prisma()): Promise<number | null> {
  // A minimum over the open rows: to find the first row by nonce, PostgreSQL may walk through everything that the sender ever sent.
  const { _min } = await database.relayed.aggregate({ where: { finalized: false, chain: "base", sender }, _min: { nonce: true } });
  return _min.nonce;
}

async function findSender(address: string): Promise<Sender | null> {
  const key = { chain: "base", address };
  const row = await prisma().relaySender.findUnique({ where: { chain_address: key }, select: { nextNonce: true, fault: true } });
  // In this order: a call stored between the two reads is among the open ones, or comes after them.
  return row && { ...row, lowestOpen: (await findLowestOpen(address)) ?? row.nextNonce };
}

/** The fault when even the node that counts the most, or the fewest, differs from the stored nonces. */
export function faultOf({ min, max }: MinedNonces, { nextNonce, lowestOpen }: Omit<Sender, "fault">): SenderFault | null {
  if (min > nextNonce) return "nonce_ahead";
  return max < lowestOpen ? "nonce_behind" : null;
}

export interface CheckedSender {
  mined: MinedNonces;
  fault: SenderFault | null;
}

/** Reads the sender's nonces and records their fault, or that it is gone. @throws EvmFailure */
export async function checkSender(sender: Hex, nodes: EvmNodes): Promise<CheckedSender> {
  // The chain is read first: every nonce that it knows is stored by then.
  const mined = await readMinedNonces(sender, nodes);
  const row = await findSender(sender);
  const fault = row && faultOf(mined, row);
  if (row && fault !== row.fault && (await recordFault(sender, row.fault, fault))) {
    if (fault) log().error({ ...row, fault, sender, mined }, cures[fault]);
    else log().info({ sender, mined }, "the relay on Base continues: its nonces match the chain again");
  }
  const isRealigned = fault === "nonce_ahead" && (await realign(sender, mined, nodes));
  return { mined, fault: isRealigned ? null : fault };
}

/** False when another process has recorded a fault, or its end, meanwhile: the next round looks again. */
async function recordFault(address: string, known: string | null, fault: SenderFault | null): Promise<boolean> {
  const { count } = await prisma().relaySender.updateMany({ where: { chain: "base", address, fault: known }, data: { fault } });
  return count === 1;
}

/**
 * True once everything that somebody else sent with the relayer's key is final and nothing more is pending: the relay continues after it.
 */
async function realign(sender: Hex, { min, max, pending }: MinedNonces, nodes: EvmNodes): Promise<boolean> {
  if (min !== max || pending !== max || (await findFinalNonce(sender, nodes)) !== max) return false;
  const { count } = await prisma().relaySender.updateMany({
    where: { chain: "base", address: sender, nextNonce: { lt: max } },
    data: { nextNonce: max, fault: null },
  });
  if (count === 1)
    log().warn({ sender, nextNonce: max }, "the relay on Base continues after transactions that someone else sent with its key");
  return count === 1;
}
