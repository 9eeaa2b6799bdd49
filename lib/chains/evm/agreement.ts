// State that signs somebody in or moves money, as of one block: as many nodes as must agree are asked at the newest block that all of them
// have, by its hash, and every answer must be the same.

import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "@/lib/base/clock";
import { recordDisagreement } from "../quorum";
import { type Block, findBlockOf, getBlockOf } from "./blocks";
import { EvmFailure, isEvmFailure } from "./failure";
import type { ReadState } from "./final-state";
import type { EvmNode } from "./node";
import { callEach, type EvmNodes, evmNodes } from "./nodes";

/**
 * A node further behind the others is not asked: a lying one could name an old block, at which a wallet still had an owner whom it has
 * removed since.
 */
const MAX_BEHIND_S = 60;
/** A node whose head is further ahead of our clock is not asked either. */
const MAX_AHEAD_S = 60;
/** Behind one address are often several servers, of which some lack the newest block for a moment. */
const ATTEMPTS = 3;
const PAUSE_MS = 150;

interface AtHead {
  node: EvmNode;
  latest: Block;
}

/**
 * The answer given by as many nodes as must agree. Where one is enough, it is asked at its latest block.
 * @param about for the log, when two nodes differ
 * @throws EvmFailure `behind` or `moved`: a node lacks the block of the others, ask again; `unreachable`: too few answer; `disputed`: two
 * answers differ
 */
export async function readAgreed<T extends string | boolean | bigint>(
  read: ReadState<T>,
  about: Readonly<Record<string, unknown>>,
  nodes: EvmNodes = evmNodes(),
): Promise<T> {
  if (nodes.quorum === 1) return nodes.callFirst((node) => read(node, "latest"));
  for (let attempt = 1; ; attempt++) {
    try {
      return await readOnce(read, about, nodes);
    } catch (error) {
      const isBehind = isEvmFailure(error) && (error.kind === "behind" || error.kind === "moved");
      if (!isBehind || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

async function readOnce<T>(read: ReadState<T>, about: Readonly<Record<string, unknown>>, nodes: EvmNodes): Promise<T> {
  const { block, asked } = await findShared(await findNear(nodes), nodes);
  const answers = await Promise.all(asked.map((node) => read(node, { blockHash: block.hash })));
  const [first] = answers;
  if (first !== undefined && answers.every((answer) => answer === first)) return first;
  const said = Object.fromEntries(asked.map(({ name }, index) => [name, `${answers[index]}`]));
  recordDisagreement("base", { ...about, block: block.number, blockHash: block.hash, said });
  throw new EvmFailure("disputed", `two nodes differ about block ${block.number}`);
}

/**
 * The heads of nodes that are not far behind the newest. That counts as no newer than our clock: by a time that has not come yet, one node
 * could call all the others old.
 */
async function findNear(nodes: EvmNodes): Promise<AtHead[]> {
  const nowS = nowMs() / 1_000;
  const answers = await callEach(nodes, async (node) => ({ node, latest: await getBlockOf(node, "latest") }));
  const heads = answers.filter(({ latest }) => latest.timestampS - nowS <= MAX_AHEAD_S);
  for (const { node, latest } of answers.filter((one) => !heads.includes(one))) {
    const about = { what: "a newest block from the future, or this machine's clock is slow", node: node.name };
    recordDisagreement("base", { ...about, block: latest.number, blockHash: latest.hash, aheadS: Math.round(latest.timestampS - nowS) });
  }
  const newestS = Math.min(nowS, Math.max(...heads.map(({ latest }) => latest.timestampS)));
  const near = heads.filter(({ latest }) => newestS - latest.timestampS <= MAX_BEHIND_S);
  if (near.length >= nodes.quorum) return near;
  const isSilent = answers.length < nodes.quorum;
  const why = isSilent ? "answer" : "have the newest blocks";
  throw new EvmFailure(
    isSilent ? "unreachable" : "behind",
    `only ${near.length} of ${nodes.count} nodes ${why}, and ${nodes.quorum} must agree`,
  );
}

/**
 * The highest of their heads that as many have at its height as must agree, and these nodes, in order. One node's word about a block is not
 * trusted alone.
 */
async function findShared(near: readonly AtHead[], { quorum }: EvmNodes): Promise<{ block: Block; asked: EvmNode[] }> {
  const highestFirst = near.map(({ latest }) => latest).sort((one, other) => other.number - one.number);
  for (const block of highestFirst) {
    const has = async ({ node, latest }: AtHead): Promise<boolean> => {
      if (latest.number < block.number) return false;
      const own = latest.number === block.number ? latest : await findBlockOf(node, block.number).catch(noBlock);
      return own?.hash === block.hash && own.timestampS === block.timestampS;
    };
    const having = await Promise.all(near.map(has));
    const asked = near.flatMap(({ node }, index) => (having[index] ? [node] : []));
    if (asked.length >= quorum) return { block, asked: asked.slice(0, quorum) };
  }
  throw new EvmFailure("moved", "no newest block of one node is another's too: a node is behind, or the chain is being reorganised");
}

function noBlock(error: unknown): null {
  if (isEvmFailure(error)) return null;
  throw error;
}
