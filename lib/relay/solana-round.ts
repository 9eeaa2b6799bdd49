// One round on Solana: transactions are sent as they are, again and again, until they are final or their blockhash has run out
// and no node knows them.

import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { findStatus, isLost, type TransactionStatus } from "@/lib/chains/solana/transactions";
import { pool } from "@/lib/db/pool";
import { type Outgoing, sendAll } from "./send";
import { isInBlock, noteStatus } from "./solana-status";

interface OpenTransaction extends Outgoing {
  state: "stored" | "sent" | "succeeded" | "failed";
  block: number | null;
  lastValidHeight: bigint;
  signedSlot: bigint;
  sentAt: Date | null;
}

const MAX_OPEN = 500;
const MAX_AT_ONCE = 8;

/** @throws SolanaUnavailable when no node answers; the next round does the rest */
export async function runSolanaRound(nodes: SolanaNodes, resendAfterMs: number): Promise<void> {
  const { rows } = await pool().query<OpenTransaction>(
    `SELECT r.id, r.chain, r.hash, r.state, r.block, r.last_valid_height AS "lastValidHeight", r.signed_slot AS "signedSlot",
       r.sent_at AS "sentAt", b.raw
     FROM relayed r JOIN relay_broadcast b ON b.hash = r.hash
     WHERE r.finalized = false AND r.chain = 'solana' ORDER BY r.stored_at LIMIT $1`,
    [MAX_OPEN],
  );
  if (rows.length === 0) return;
  const height = await nodes.call("getBlockHeight", [{ commitment: "finalized" }], z.int().min(0));
  for (let from = 0; from < rows.length; from += MAX_AT_ONCE) {
    const due = await Promise.all(rows.slice(from, from + MAX_AT_ONCE).map((one) => look(one, nodes, height)));
    const isDue = ({ sentAt }: OpenTransaction) => sentAt === null || nowMs() - sentAt.getTime() >= resendAfterMs;
    await sendAll(due.filter((one) => one !== null).filter(isDue), { solana: nodes });
  }
}

/** Writes down what became of a transaction; returns it when it is to be sent again. */
async function look(one: OpenTransaction, nodes: SolanaNodes, height: number): Promise<OpenTransaction | null> {
  const status = await findStatus(nodes, one.hash);
  if (isInBlock(status)) {
    await noteStatus(one.id, one.hash, status);
    if (status.commitment === "finalized") await makeFinal(one, status, nodes);
    return null;
  }
  if (one.block !== null) {
    await pool().query("SELECT relay_note_unmined($1, $2, NULL)", [one.id, one.block]);
    log().warn({ id: one.id, slot: one.block }, "a transaction of ours on Solana was confirmed and is not any more");
  }
  if (status !== null) return null;
  if (height <= Number(one.lastValidHeight)) return one;
  const used = { lastValidBlockHeight: Number(one.lastValidHeight), slot: Number(one.signedSlot) };
  if (await isLost(nodes, one.hash, used)) {
    await pool().query("SELECT relay_note_lost($1)", [one.id]);
    log().warn({ id: one.id }, "a transaction on Solana ran out of time");
  }
  return null;
}

const statusesForm = z.object({
  value: z.array(z.object({ slot: z.int(), err: z.unknown(), confirmationStatus: z.string() }).nullable()).length(1),
});
const feeForm = z.object({ meta: z.object({ fee: z.int().min(0) }) }).nullable();

/** What one node called final is looked at a second time, by every node. */
async function makeFinal({ id, hash }: OpenTransaction, { slot, isFailed }: TransactionStatus, nodes: SolanaNodes): Promise<void> {
  const answers = await nodes.askEach("getSignatureStatuses", async (ask) => {
    const { value } = await ask("getSignatureStatuses", [[hash], { searchTransactionHistory: true }], statusesForm);
    const [status] = value;
    return status
      ? { slot: status.slot, isFailed: status.err !== null && status.err !== undefined, isFinal: status.confirmationStatus === "finalized" }
      : null;
  });
  const known = answers.filter((answer) => answer !== null);
  const isSame = (answer: (typeof known)[number]) => answer.slot === slot && answer.isFailed === isFailed;
  if (!known.every(isSame)) log().error({ id, slot }, "the nodes of Solana do not agree on a final transaction of ours");
  // A node that is slower will say the same in a moment.
  else if (known.filter(({ isFinal }) => isFinal).length >= Math.min(2, answers.length)) {
    const fee = await readFee(hash, nodes);
    if (fee !== null) await pool().query("SELECT relay_note_final($1, $2, NULL, $3)", [id, slot, fee]);
  }
}

/** Lamports; null while the node that answers has not the transaction itself yet. */
async function readFee(signature: string, nodes: SolanaNodes): Promise<number | null> {
  const options = { encoding: "base64", commitment: "confirmed", maxSupportedTransactionVersion: 0 };
  const found = await nodes.call("getTransaction", [signature, options], feeForm);
  return found?.meta.fee ?? null;
}
