// Our own transactions: the blockhash to sign with, sending, and their status.

import { z } from "zod";
import { enoughOf, mostAlike, recordDisagreement } from "../quorum";
import { NodeFailure, SolanaRefusal, SolanaUnavailable } from "./node-failure";
import type { AtSlot, NodeCall, SolanaNodes } from "./nodes";

export interface RecentBlockhash {
  blockhash: string;
  /** Beyond this block height a transaction with the blockhash can no longer run. */
  lastValidBlockHeight: number;
  /** No transaction with the blockhash is in an earlier block than this slot's. */
  slot: number;
}

export type Commitment = "processed" | "confirmed" | "finalized";

export interface TransactionStatus {
  slot: number;
  commitment: Commitment;
  /** It ran, moved nothing and cost its fee. */
  isFailed: boolean;
}

const blockhashForm = z.object({ blockhash: z.string(), lastValidBlockHeight: z.int() });

/** How many signatures a node takes at once. */
const MAX_SIGNATURES = 256;

const statusForm = z
  .object({ slot: z.int(), err: z.unknown(), confirmationStatus: z.enum(["processed", "confirmed", "finalized"]).nullish() })
  .transform(({ slot, err, confirmationStatus }) => ({
    slot,
    commitment: confirmationStatus ?? ("processed" as const),
    isFailed: err !== null && err !== undefined,
  }))
  .nullable();

/** The newest finalized slot. @throws SolanaUnavailable */
export function readFinalizedSlot(nodes: SolanaNodes): Promise<number> {
  return nodes.callFirst("getSlot", async (call) => {
    const slot = await call("getSlot", [{ commitment: "finalized" }], z.int().min(0));
    nodes.sawSlot(call, slot);
    return slot;
  });
}

/** For how many blocks a blockhash is good. */
const BLOCKHASH_BLOCKS = 150;
/** Two minutes. The confirmed blocks of nodes that work are seconds apart. */
const MAX_APART = 300;

/**
 * A blockhash to sign with: a confirmed one, which is valid for almost the maximum time. Its end and its beginning are those that as many
 * nodes as must agree report, since with too early an end a transaction would be given up that still can run, and another one signed beside
 * it; one with too late an end, or too early a beginning, could neither run nor be given up.
 * @param leastSlot minimum slot of the blockhash
 * @throws SolanaUnavailable, also while too few nodes are near each other
 */
export async function readBlockhash(nodes: SolanaNodes, leastSlot = nodes.leastSlot): Promise<RecentBlockhash> {
  const value = await readFirstBlockhash(nodes, leastSlot);
  // Read after the blockhash, which is no newer, and before anything is signed with it.
  const answers = await nodes.callEach("getBlockHeight", async (call) => {
    const read = (method: string) => call(method, [{ commitment: "confirmed" }], z.int().min(0));
    const [slot, height] = await Promise.all([read("getSlot"), read("getBlockHeight")]);
    return { slot, height };
  });
  const isNear = (one: number, other: number) => Math.abs(one - other) <= MAX_APART;
  const near = mostAlike(answers, (one, other) => isNear(one.slot, other.slot) && isNear(one.height, other.height));
  // A node that is behind may be catching up; an honest node is never minutes ahead of the others.
  const [slot, height] = [Math.max(...near.map((one) => one.slot)), Math.max(...near.map((one) => one.height))];
  const isAhead = answers.some((one) => one.slot > slot + MAX_APART || one.height > height + MAX_APART);
  if (isAhead) recordDisagreement("solana", { what: "how far the chain is", answers });
  if (near.length < enoughOf(nodes, answers.length)) {
    throw new SolanaUnavailable("getBlockHeight", [`${near.length} of ${answers.length} nodes that answer are near each other`]);
  }
  const earliestEnd = height + BLOCKHASH_BLOCKS;
  const end = Math.min(Math.max(value.lastValidBlockHeight, earliestEnd), earliestEnd + BLOCKHASH_BLOCKS);
  return { ...value, lastValidBlockHeight: end, slot: Math.min(...near.map((one) => one.slot)) };
}

/**
 * A confirmed blockhash, and its end, by the first node's word: for a caller that signs with it at its own risk. @throws SolanaUnavailable
 */
export async function readFirstBlockhash(nodes: SolanaNodes, leastSlot = nodes.leastSlot): Promise<Omit<RecentBlockhash, "slot">> {
  const options = { commitment: "confirmed", minContextSlot: leastSlot };
  return (await nodes.callAtSlot("getLatestBlockhash", [options], blockhashForm)).value;
}

/**
 * Sends a signed transaction to every node, since one may say that it sent it and drop it. Resolves with the first node's word and waits for
 * no other. Sending the same bytes again changes nothing: it runs at most once.
 * @throws SolanaRefusal when the first node's simulation of it failed; others may have sent it
 * @throws SolanaUnavailable when no node confirmed it; it may have been sent
 */
export async function sendTransaction(nodes: SolanaNodes, bytes: Uint8Array, signature: string): Promise<void> {
  const params = [
    Buffer.from(bytes).toString("base64"),
    { encoding: "base64", preflightCommitment: "confirmed", maxRetries: 5, minContextSlot: nodes.leastSlot },
  ];
  const send = async (call: NodeCall): Promise<void> => {
    try {
      const given = await call("sendTransaction", params, z.string());
      if (given !== signature) throw new NodeFailure("the signature of another transaction", 0);
    } catch (error) {
      const reason = error instanceof SolanaRefusal ? error.simulation?.err : undefined;
      if (reason === "AlreadyProcessed") return;
      // Expired, or too new for this node: only `isLost` can distinguish them.
      if (reason === "BlockhashNotFound") throw new NodeFailure("Blockhash not found", 0);
      throw error;
    }
  };
  await nodes.callFirst("sendTransaction", (call) => {
    void nodes.callOthers(call, send);
    return send(call);
  });
}

/** The status of a transaction; null when the answering node does not know it, which does not prove that it will never run. */
export function findStatus(nodes: SolanaNodes, signature: string): Promise<TransactionStatus | null> {
  return nodes.callFirst("getSignatureStatuses", (call) => fetchStatus(nodes, call, signature));
}

export interface Included {
  slot: number;
  /** Confirmed as final by two nodes, or by the only one. */
  isFinal: boolean;
}

/**
 * The slot in which a transaction succeeded, at least confirmed; null when every node says that it did not.
 * @throws SolanaUnavailable when not every node answers
 */
export async function findIncludedAnywhere(nodes: SolanaNodes, signature: string): Promise<Included | null> {
  const answers = await nodes.callAll("getSignatureStatuses", (call) => fetchStatus(nodes, call, signature));
  const ranWell = answers.filter((status) => status !== null && !status.isFailed && status.commitment !== "processed");
  const [first] = ranWell;
  if (!first) return null;
  const final = ranWell.filter((status) => status?.commitment === "finalized" && status.slot === first.slot);
  return { slot: first.slot, isFinal: final.length >= enoughOf(nodes, answers.length) };
}

/**
 * True when a transaction can no longer run: no node knows it, and every node's final height is past its last valid block, and every node
 * still has all blocks it could be in. Only then may a replacement be signed: a node that does not answer may know it.
 * @param used the blockhash data it was signed with
 * @throws SolanaUnavailable when any node cannot answer, or has pruned those blocks
 */
export async function isLost(nodes: SolanaNodes, signature: string, used: Omit<RecentBlockhash, "blockhash">): Promise<boolean> {
  const answers = await nodes.callAll("getSignatureStatuses", async (call) => {
    // Read the height first: a transaction that ran in time is then known to the node when its status is read.
    const height = await call("getBlockHeight", [{ commitment: "finalized" }], z.int());
    if (height <= used.lastValidBlockHeight) return false;
    const status = await fetchStatus(nodes, call, signature);
    const firstSlot = await call("getFirstAvailableBlock", [], z.int());
    if (status === null && firstSlot > used.slot) throw new NodeFailure("the blocks of that time are forgotten", 0);
    return status === null;
  });
  return answers.every((isGone) => isGone);
}

async function fetchStatus(nodes: SolanaNodes, call: NodeCall, signature: string): Promise<TransactionStatus | null> {
  const { value } = await fetchStatuses(nodes, call, [signature]);
  return value[0] ?? null;
}

/** One node's statuses of these transactions, in their order, and the lowest slot at which it read them. */
export async function fetchStatuses(
  nodes: SolanaNodes,
  call: NodeCall,
  signatures: readonly string[],
): Promise<AtSlot<(TransactionStatus | null)[]>> {
  const all: AtSlot<(TransactionStatus | null)[]> = { slot: Number.MAX_SAFE_INTEGER, value: [] };
  for (let from = 0; from < signatures.length; from += MAX_SIGNATURES) {
    const some = signatures.slice(from, from + MAX_SIGNATURES);
    const params = [some, { searchTransactionHistory: true }];
    const { slot, value } = await nodes.callAtSlotOn(call, ["getSignatureStatuses", params], z.array(statusForm).length(some.length));
    all.slot = Math.min(all.slot, slot);
    all.value.push(...value);
  }
  return all;
}

/**
 * Those of `signatures` that succeeded in a block up to `slot`, which is final. A node that has not reached it is not asked: a transaction
 * that the others do not know had not run.
 * @throws SolanaUnavailable
 */
export async function findIncluded(nodes: SolanaNodes, signatures: readonly string[], slot: number): Promise<ReadonlySet<string>> {
  const statuses = await nodes.callFirst("getSignatureStatuses", async (call) => {
    const answer = await fetchStatuses(nodes, call, signatures);
    if (answer.slot < slot) throw new NodeFailure(`${slot - answer.slot} slots behind what is asked about`, 0);
    return answer.value;
  });
  // A transaction that is only processed may be on a fork, in a slot that another block takes.
  const isIncluded = (status: TransactionStatus | null | undefined) =>
    status && !status.isFailed && status.slot <= slot && status.commitment !== "processed";
  return new Set(signatures.filter((_, index) => isIncluded(statuses[index])));
}
