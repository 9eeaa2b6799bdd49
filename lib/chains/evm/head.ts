// The chain's head, with a reason to doubt it when there is one. A node may lag, be stuck, answer from another fork, or lie: its head is
// checked against earlier heads, the clock, and another node.

import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { type Block, findBlockOf } from "./blocks";
import { EvmFailure, isEvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";

export type Doubt =
  /** Lower than an earlier head by more than a reorganisation, or two servers behind one address, can explain. */
  | "went_back"
  /** A final block has been replaced. */
  | "final_block_changed"
  /** Its last block is older than two minutes, or lies in the future. */
  | "stuck"
  | "future"
  /** Another node has a different block at the safe height, or none yet; or no other answers, and one node's word is not enough. */
  | "disputed"
  | "unconfirmed";

export interface Head {
  latest: Block;
  safe: Block;
  finalized: Block;
  /** Null when no check failed. Deposits are not credited while there is doubt. */
  doubt: Doubt | null;
}

const USUAL_STEP_BACK = 12;
const STUCK_AFTER_S = 120;
const FUTURE_AFTER_S = 60;

interface Seen {
  latest: Block;
  finalized: Block;
  /** The last doubt that was logged. */
  loggedDoubt: Doubt | null;
}

/** The last known head of each node set in this process. */
const seenHeads = processSingleton("seen EVM heads", () => new WeakMap<EvmNodes, Seen>());

/**
 * The first node's head that is not in doubt; when all are in doubt, the highest one, with its doubt.
 * @throws EvmFailure when no node answers
 */
export async function readHead(nodes: EvmNodes = evmNodes()): Promise<Head> {
  const doubtful: Head[] = [];
  try {
    return remember(
      nodes,
      await nodes.callFirst(async (node) => {
        const head = await headOf(node, nodes);
        if (head.doubt === null) return head;
        doubtful.push(head);
        throw new EvmFailure("behind", `${node.name}: its head, block ${head.latest.number}, is in doubt: ${head.doubt}`);
      }),
    );
  } catch (error) {
    const [best] = doubtful.sort((one, other) => other.latest.number - one.latest.number);
    if (!best || !isEvmFailure(error)) throw error;
    return remember(nodes, best);
  }
}

/** The final block, for decisions that move money. @throws EvmFailure `moved` while the head is in doubt */
export async function readFinalBlock(nodes: EvmNodes = evmNodes()): Promise<Block> {
  const { finalized, doubt } = await readHead(nodes);
  if (doubt !== null) throw new EvmFailure("moved", `the chain's head is in doubt: ${doubt}`);
  return finalized;
}

async function headOf(node: EvmNode, nodes: EvmNodes): Promise<Head> {
  const [finalized, safe, latest] = await Promise.all([
    findBlockOf(node, "finalized"),
    findBlockOf(node, "safe"),
    findBlockOf(node, "latest"),
  ]);
  if (!finalized || !safe || !latest) throw new EvmFailure("behind", `${node.name}: has no head`);
  // The three are requested concurrently, so one may have advanced meanwhile; a larger inversion makes the response invalid.
  if (finalized.number > safe.number + USUAL_STEP_BACK || safe.number > latest.number + USUAL_STEP_BACK) {
    throw new EvmFailure("malformed", `${node.name}: its final or safe block lies beyond its latest`);
  }
  const head = { latest, safe, finalized };
  return { ...head, doubt: doubtByMemory(head, nodes) ?? doubtByTime(latest) ?? (await doubtByOthers(safe, node, nodes)) };
}

function doubtByMemory({ latest, finalized }: Omit<Head, "doubt">, nodes: EvmNodes): Doubt | null {
  const seen = seenHeads().get(nodes);
  if (!seen) return null;
  if (finalized.number === seen.finalized.number && finalized.hash !== seen.finalized.hash) return "final_block_changed";
  const wentBack = (now: Block, before: Block) => now.number < before.number - USUAL_STEP_BACK;
  return wentBack(latest, seen.latest) || wentBack(finalized, seen.finalized) ? "went_back" : null;
}

function doubtByTime(latest: Block): Doubt | null {
  const ageS = nowMs() / 1_000 - latest.timestampS;
  if (ageS > STUCK_AFTER_S) return "stuck";
  return ageS < -FUTURE_AFTER_S ? "future" : null;
}

/** On a public chain the safe block is minutes old, so every node should have the same one. One other node that agrees is enough. */
async function doubtByOthers(safe: Block, node: EvmNode, nodes: EvmNodes): Promise<Doubt | null> {
  if (nodes.count === 1 && nodes.quorum === 1) return null;
  const theirs = await nodes.callOthers(node, (other) => findBlockOf(other, safe.number));
  if (theirs.some((block) => block?.hash === safe.hash)) return null;
  if (theirs.length === 0) return nodes.quorum > 1 ? "unconfirmed" : null;
  return theirs.some((block) => block !== null) ? "disputed" : "unconfirmed";
}

function remember(nodes: EvmNodes, head: Head): Head {
  const seen = seenHeads().get(nodes);
  if (head.doubt !== null && head.doubt !== seen?.loggedDoubt) {
    log().error(
      { doubt: head.doubt, latest: head.latest.number, seen: seen?.latest.number },
      "the latest block of the EVM chain is disputed",
    );
  }
  const higher = (now: Block, before: Block | undefined) =>
    head.doubt === null && now.number >= (before?.number ?? 0) ? now : (before ?? now);
  seenHeads().set(nodes, {
    latest: higher(head.latest, seen?.latest),
    finalized: higher(head.finalized, seen?.finalized),
    loggedDoubt: head.doubt,
  });
  return head;
}
