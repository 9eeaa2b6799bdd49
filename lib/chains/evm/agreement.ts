// State that signs somebody in or moves money, as of one block: as many nodes as must agree are asked at the lower of their heads, by that
// block's hash, and every answer must be the same.

import { setTimeout as sleep } from "node:timers/promises";
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
/** Behind one address are often several servers, of which some lack the newest block for a moment. */
const ATTEMPTS = 3;
const PAUSE_MS = 150;

interface AtHead {
  node: EvmNode;
  latest: Block;
}

/**
 * What as many nodes say as must agree. Where one is enough, it is asked at its latest block.
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
  const asked = await findEnough(nodes);
  const block = await findCommonBlock(asked);
  const answers = await Promise.all(asked.map(({ node }) => read(node, { blockHash: block.hash })));
  const [first] = answers;
  if (first !== undefined && answers.every((answer) => answer === first)) return first;
  const said = Object.fromEntries(asked.map(({ node }, index) => [node.name, `${answers[index]}`]));
  recordDisagreement("base", { ...about, block: block.number, blockHash: block.hash, said });
  throw new EvmFailure("disputed", `two nodes differ about block ${block.number}`);
}

/** The first nodes that answer and are not far behind, as many as must agree. */
async function findEnough(nodes: EvmNodes): Promise<AtHead[]> {
  const heads = await callEach(nodes, async (node) => ({ node, latest: await getBlockOf(node, "latest") }));
  const newestS = Math.max(...heads.map(({ latest }) => latest.timestampS));
  const near = heads.filter(({ latest }) => newestS - latest.timestampS <= MAX_BEHIND_S);
  if (near.length >= nodes.quorum) return near.slice(0, nodes.quorum);
  const isSilent = heads.length < nodes.quorum;
  const why = isSilent ? "answer" : "have the newest blocks";
  throw new EvmFailure(
    isSilent ? "unreachable" : "behind",
    `only ${near.length} of ${nodes.count} nodes ${why}, and ${nodes.quorum} must agree`,
  );
}

/** The lowest of their heads, which the others have at its height. What each node says about that block is not trusted alone. */
async function findCommonBlock(asked: readonly AtHead[]): Promise<Block> {
  const [lowest] = [...asked].sort((one, other) => one.latest.number - other.latest.number);
  if (!lowest) throw new EvmFailure("no_nodes", "BASE_RPC_URLS names no node of the chain");
  const { latest: block } = lowest;
  const others = asked.filter((one) => one !== lowest);
  const same = await Promise.all(others.map(({ node }) => findBlockOf(node, block.number)));
  if (same.some((other) => other === null)) throw new EvmFailure("behind", `a node lacks block ${block.number}, which another one has`);
  const isOne = same.every((other) => other?.hash === block.hash && other.timestampS === block.timestampS);
  if (!isOne) throw new EvmFailure("moved", `two nodes have different blocks at ${block.number}`);
  return block;
}
