// One round on Solana: transactions are sent unchanged, again and again, until they are final, or until their blockhash has expired and no
// node knows them.

import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { recordDisagreement } from "@/lib/chains/quorum";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { findStatus, isLost, type TransactionStatus } from "@/lib/chains/solana/transactions";
import { prisma } from "@/lib/db/prisma";
import { recordFinal, recordLost, recordUnmined } from "./relayed";
import { bytesSignedLast, type Outgoing, sendAll } from "./send";
import { isInBlock, recordStatus } from "./solana-status";

interface OpenTransaction extends Outgoing {
  block: number | null;
  lastValidHeight: bigint;
  signedSlot: bigint;
  sentAt: Date | null;
}

const MAX_OPEN = 500;
const MAX_AT_ONCE = 8;

/** @throws SolanaUnavailable when no node answers; the next round does the rest */
export async function runSolanaRound(nodes: SolanaNodes, resendAfterMs: number): Promise<void> {
  const open = await listOpen();
  if (open.length === 0) return;
  const height = await nodes.call("getBlockHeight", [{ commitment: "finalized" }], z.int().min(0));
  for (let from = 0; from < open.length; from += MAX_AT_ONCE) {
    const due = await Promise.all(open.slice(from, from + MAX_AT_ONCE).map((one) => look(one, nodes, height)));
    const isDue = ({ sentAt }: OpenTransaction) => sentAt === null || nowMs() - sentAt.getTime() >= resendAfterMs;
    await sendAll(due.filter((one) => one !== null).filter(isDue), { solana: nodes });
  }
}

/** The transactions that are not final, oldest first. */
async function listOpen(): Promise<OpenTransaction[]> {
  const rows = await prisma().relayed.findMany({
    where: { finalized: false, chain: "solana" },
    include: { broadcasts: true },
    orderBy: { storedAt: "asc" },
    take: MAX_OPEN,
  });
  return rows.map(({ broadcasts, ...row }) => ({ ...row, raw: bytesSignedLast(row, broadcasts).raw }) as OpenTransaction);
}

/** Records a transaction's status; returns the transaction when it must be sent again. */
async function look(one: OpenTransaction, nodes: SolanaNodes, height: number): Promise<OpenTransaction | null> {
  const status = await findStatus(nodes, one.hash);
  if (isInBlock(status)) {
    await recordStatus(one.id, one.hash, status);
    if (status.commitment === "finalized") await finalize(one, status, nodes);
    return null;
  }
  if (one.block !== null) {
    await recordUnmined(one.id, { block: one.block, blockHash: null });
    log().warn({ id: one.id, slot: one.block }, "one of our Solana transactions is no longer confirmed");
  }
  if (status !== null) return null;
  if (height <= Number(one.lastValidHeight)) return one;
  const used = { lastValidBlockHeight: Number(one.lastValidHeight), slot: Number(one.signedSlot) };
  if (await isLost(nodes, one.hash, used)) {
    await recordLost(one.id);
    log().warn({ id: one.id }, "a Solana transaction expired");
  }
  return null;
}

const statusesForm = z.object({
  value: z.array(z.object({ slot: z.int(), err: z.unknown(), confirmationStatus: z.string() }).nullable()).length(1),
});
const feeForm = z.object({ meta: z.object({ fee: z.int().min(0) }) }).nullable();

/** Asks every node again about a transaction that one node called final. */
async function finalize({ id, hash }: OpenTransaction, { slot, isFailed }: TransactionStatus, nodes: SolanaNodes): Promise<void> {
  const answers = await nodes.callEach("getSignatureStatuses", async (call) => {
    const { value } = await call("getSignatureStatuses", [[hash], { searchTransactionHistory: true }], statusesForm);
    const [status] = value;
    return status
      ? { slot: status.slot, isFailed: status.err !== null && status.err !== undefined, isFinal: status.confirmationStatus === "finalized" }
      : null;
  });
  const known = answers.filter((answer) => answer !== null);
  const isSame = (answer: (typeof known)[number]) => answer.slot === slot && answer.isFailed === isFailed;
  if (!known.every(isSame)) recordDisagreement("solana", { what: "one of our final transactions", id, slot });
  // A slower node will say the same in a moment.
  if (known.filter((answer) => isSame(answer) && answer.isFinal).length >= nodes.enoughOf(answers.length)) {
    const fee = await readFee(hash, nodes);
    if (fee !== null) await recordFinal(id, { isSuccess: !isFailed, block: slot, blockHash: null, fee });
  }
}

/** Lamports; null while the answering node does not have the transaction itself yet. */
async function readFee(signature: string, nodes: SolanaNodes): Promise<bigint | null> {
  const options = { encoding: "base64", commitment: "confirmed", maxSupportedTransactionVersion: 0 };
  const found = await nodes.call("getTransaction", [signature, options], feeForm);
  return found && BigInt(found.meta.fee);
}
