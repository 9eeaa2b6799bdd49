// One round on Solana: transactions are sent unchanged, again and again, until they are final, or until their blockhash has expired and no
// node knows them.

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { enoughOf, mostAlike, recordDisagreement } from "@/lib/chains/quorum";
import type { NodeCall, SolanaNodes } from "@/lib/chains/solana/nodes";
import { fetchStatuses, findStatus, isLost } from "@/lib/chains/solana/transactions";
import { prisma } from "@/lib/db/prisma";
import { recordFinal, recordLost, recordMined, recordUnmined } from "./relayed";
import { bytesSignedLast, type Outgoing, sendAll } from "./send";
import { isInBlock, recordStatus } from "./solana-status";

interface OpenTransaction extends Outgoing {
  block: number | null;
  lastValidHeight: bigint;
  signedSlot: bigint;
  storedAt: Date;
  sentAt: Date | null;
}

const MAX_OPEN = 500;
const MAX_AT_ONCE = 8;
/** Longer than a blockhash lasts: a transaction that ran is final by then, whatever the first node says. */
const FINAL_AFTER_MS = 120_000;

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
  } else if (one.block !== null) {
    await recordUnmined(one.id, { block: one.block, blockHash: null });
    log().warn({ id: one.id, slot: one.block }, "one of our Solana transactions is no longer confirmed");
  }
  const mayBeFinal = status?.commitment === "finalized" || nowMs() - one.storedAt.getTime() > FINAL_AFTER_MS;
  if (mayBeFinal && (await finalize(one, nodes))) return null;
  if (status !== null) return null;
  if (height <= Number(one.lastValidHeight)) return one;
  const used = { lastValidBlockHeight: Number(one.lastValidHeight), slot: Number(one.signedSlot) };
  if (await isLost(nodes, one.hash, used)) {
    await recordLost(one.id);
    log().warn({ id: one.id }, "a Solana transaction expired");
  }
  return null;
}

const feeForm = z.object({ meta: z.object({ fee: z.int().min(0) }) }).nullable();

/** Records a transaction as final once as many nodes as must agree say the same of it, its fee too. False until then. */
async function finalize({ id, hash }: OpenTransaction, nodes: SolanaNodes): Promise<boolean> {
  const answers = await nodes.callEach("getSignatureStatuses", (call) => fetchFinal(nodes, call, hash));
  const final = answers.filter((answer) => answer !== null);
  const alike = mostAlike(final, isDeepStrictEqual);
  const [one] = alike;
  if (one && alike.length < final.length) recordDisagreement("solana", { what: "one of our final transactions", id, slot: one.slot });
  // A slower node will say the same in a moment.
  if (!one || alike.length < enoughOf(nodes, answers.length)) return false;
  const { slot: block, isFailed, fee } = one;
  const mined = { isSuccess: !isFailed, block, blockHash: null, fee: BigInt(fee) };
  // The first node may have named another block, or none.
  await recordMined(id, { ...mined, hash });
  return recordFinal(id, mined);
}

interface Final {
  slot: number;
  isFailed: boolean;
  /** Lamports. */
  fee: number;
}

/** Null while it is not final for this node, or the node does not have the transaction itself yet. */
async function fetchFinal(nodes: SolanaNodes, call: NodeCall, signature: string): Promise<Final | null> {
  const { value } = await fetchStatuses(nodes, call, [signature]);
  const [status] = value;
  if (status?.commitment !== "finalized") return null;
  const options = { encoding: "base64", commitment: "confirmed", maxSupportedTransactionVersion: 0 };
  const found = await call("getTransaction", [signature, options], feeForm);
  return found && { slot: status.slot, isFailed: status.isFailed, fee: found.meta.fee };
}
