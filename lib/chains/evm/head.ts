// The chain's head, with a reason to doubt it when there is one. A node may lag, be stuck, answer from another fork, or lie: what it
// says is held against what was seen before, against the clock, and against another node.

import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { type Block, findBlockOf } from "./blocks";
import { EvmFailure, isEvmFailure } from "./failure";
import type { EvmNode } from "./node";
import { type EvmNodes, evmNodes } from "./nodes";

export type Doubt =
  /** Lower than a head that was seen before, by more than a reorganisation or two servers behind one address explain. */
  | "went_back"
  /** A block that was final is another one now. */
  | "final_block_changed"
  /** Its last block is older than two minutes, or of the future. */
  | "stuck"
  | "future"
  /** Another node has another block at the safe height, or none yet. */
  | "disputed"
  | "unconfirmed";

export interface Head {
  latest: Block;
  safe: Block;
  finalized: Block;
  /** Null when nothing speaks against it. Whoever credits money waits while there is doubt. */
  doubt: Doubt | null;
}

const USUAL_STEP_BACK = 12;
const STUCK_AFTER_S = 120;
const FUTURE_AFTER_S = 60;

interface Seen {
  latest: Block;
  finalized: Block;
  /** The doubt that was logged last. */
  told: Doubt | null;
}

/** What this process has seen of each set of nodes. */
const seenHeads = processSingleton("seen EVM heads", () => new WeakMap<EvmNodes, Seen>());

/**
 * The head of the first node whose head is beyond doubt; when all are doubtful, the highest, with its doubt.
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

/** The block that is final, for whoever moves money by it. @throws EvmFailure `moved` while the head is in doubt */
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
  // Asked at once, so that one may have moved while another was read; an order that time can not explain is rubbish.
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

/** The safe block is minutes old on a public chain: every node should have it, and the same one. One that agrees is enough. */
async function doubtByOthers(safe: Block, node: EvmNode, nodes: EvmNodes): Promise<Doubt | null> {
  if (nodes.count === 1) return null;
  const theirs = await nodes.callOthers(node, (other) => findBlockOf(other, safe.number));
  if (theirs.length === 0 || theirs.some((block) => block?.hash === safe.hash)) return null;
  return theirs.some((block) => block !== null) ? "disputed" : "unconfirmed";
}

function remember(nodes: EvmNodes, head: Head): Head {
  const seen = seenHeads().get(nodes);
  if (head.doubt !== null && head.doubt !== seen?.told) {
    log().error({ doubt: head.doubt, latest: head.latest.number, seen: seen?.latest.number }, "the head of the EVM chain is in doubt");
  }
  const higher = (now: Block, before: Block | undefined) =>
    head.doubt === null && now.number >= (before?.number ?? 0) ? now : (before ?? now);
  seenHeads().set(nodes, {
    latest: higher(head.latest, seen?.latest),
    finalized: higher(head.finalized, seen?.finalized),
    told: head.doubt,
  });
  return head;
}
