// The nodes of the service's EVM chain, tried in order: the next one when one fails, and none that serves another chain.

import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import type { UsedBy } from "../callers";
import { mostAlike, nodeQuorum, recordDifferenceAtTip } from "../quorum";
import { baseChainId } from "./base";
import { EvmFailure, type EvmFailureKind, isEvmFailure, isNodesOwn } from "./failure";
import { createNode, type EvmNode } from "./node";
import { evmNodeUrls } from "./node-urls";
import { quantity } from "./wire";

export interface EvmNodes {
  readonly chainId: number;
  readonly count: number;
  /** How many of them must say the same before it signs somebody in or moves money. */
  readonly quorum: number;
  /**
   * Runs `use` with the first node that works; after a failure all of `use` runs again with the next one. So all reads in one `use` come
   * from one node.
   * @throws EvmFailure of the last node; at once when it is `rejected` or `too_large`, since every other node would fail too
   */
  callFirst<T>(use: (node: EvmNode) => Promise<T>): Promise<T>;
  /** Results of all nodes but `node`, called concurrently; failed ones are left out, and those that hung a moment ago. */
  callOthers<T>(node: EvmNode, use: (other: EvmNode) => Promise<T>): Promise<T[]>;
}

export interface EvmNodesOptions {
  urls: readonly string[];
  chainId: number;
  /** By default one node's word is enough. */
  quorum?: number;
  /** Timeout of one call. */
  timeoutMs?: number;
  /** Whose calls they are: a failure of a page's call is no warning. */
  usedBy?: UsedBy;
}

/** The node timed out a moment ago: a call to every node skips it, while enough others are left. */
const isHanging = ({ failure, restsUntilMs }: KnownNode): boolean => failure === "timeout" && restsUntilMs > nowMs();

interface KnownNode extends EvmNode {
  isOnOurChain: boolean;
  /** Its last failure, until it works again. */
  failure: EvmFailureKind | null;
  /** Until then other nodes are tried first. */
  restsUntilMs: number;
}

const CALL_TIMEOUT_MS = 5_000;
const REST_MS = 10_000;
const WRONG_CHAIN_REST_MS = 60_000;

export function createNodes({ urls, chainId, quorum = 1, timeoutMs = CALL_TIMEOUT_MS, usedBy = "ours" }: EvmNodesOptions): EvmNodes {
  const nodes = urls.map((url, index) => {
    const node = createNode({ url, name: `node ${index + 1} of ${urls.length}`, timeoutMs, usedBy });
    return Object.assign<EvmNode, Omit<KnownNode, keyof EvmNode>>(node, { isOnOurChain: false, failure: null, restsUntilMs: 0 });
  });

  const inOrder = (): KnownNode[] => {
    const time = nowMs();
    const isResting = (node: KnownNode) => node.restsUntilMs > time;
    return [...nodes.filter((node) => !isResting(node)), ...nodes.filter(isResting)];
  };

  async function callOne<T>(node: KnownNode, use: (node: EvmNode) => Promise<T>): Promise<T> {
    try {
      await checkChain(node, chainId);
      const answer = await use(node);
      recordSuccess(node);
      return answer;
    } catch (error) {
      if (isEvmFailure(error) && isNodesOwn(error)) recordFailure(node, error, usedBy);
      throw error;
    }
  }

  async function callFirst<T>(use: (node: EvmNode) => Promise<T>): Promise<T> {
    let last: unknown = new EvmFailure("no_nodes", "BASE_RPC_URLS names no node of the chain");
    for (const node of inOrder()) {
      try {
        return await callOne(node, use);
      } catch (error) {
        if (!isEvmFailure(error) || !isNodesOwn(error)) throw error;
        last = error;
      }
    }
    throw last;
  }

  async function callOthers<T>(one: EvmNode, use: (node: EvmNode) => Promise<T>): Promise<T[]> {
    const others = nodes.filter((node) => node !== one);
    const awake = others.filter((node) => !isHanging(node));
    const outcomes = await Promise.allSettled((awake.length + 1 >= quorum ? awake : others).map((node) => callOne(node, use)));
    return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  }

  return { chainId, count: nodes.length, quorum, callFirst, callOthers };
}

/** Results of all nodes that answer, the first node's first. @throws EvmFailure when none does */
export const callEach = <T>(nodes: EvmNodes, use: (node: EvmNode) => Promise<T>): Promise<T[]> =>
  nodes.callFirst(async (node) => [await use(node), ...(await nodes.callOthers(node, use))]);

/**
 * The first non-null result: from the first node that works, otherwise from any other, since a node may have pruned the data. Null when no
 * answering node has it.
 * @throws EvmFailure when none answers
 */
export const findAnywhere = <T>(nodes: EvmNodes, look: (node: EvmNode) => Promise<T | null>): Promise<T | null> =>
  nodes.callFirst(async (node) => (await look(node)) ?? (await nodes.callOthers(node, look)).find((found) => found !== null) ?? null);

/**
 * Whether as many nodes as must agree show the same: the hash of its block. Null: not shown. The others' word counts for nothing; another
 * block is an alarm, unless a reorganisation explains it.
 * @param about for the log, when nodes show different blocks
 * @throws EvmFailure when none answers
 */
export async function areAlike(
  nodes: EvmNodes,
  about: Readonly<Record<string, unknown>>,
  look: (node: EvmNode) => Promise<string | null>,
): Promise<boolean> {
  const answers = await callEach(nodes, async (node) => ({ name: node.name, block: await look(node) }));
  const shown = answers.filter(({ block }) => block !== null);
  const alike = mostAlike(shown, (one, other) => one.block === other.block);
  if (alike.length < shown.length) {
    recordDifferenceAtTip("base", { ...about, said: Object.fromEntries(shown.map(({ name, block }) => [name, block])) });
  }
  return alike.length >= nodes.quorum;
}

/** A node of another chain would show no deposits, or that chain's. Checked once, and again after an outage. */
async function checkChain(node: KnownNode, chainId: number): Promise<void> {
  if (node.isOnOurChain) return;
  const actual = await node.call("eth_chainId", [], quantity);
  if (actual !== chainId) throw new EvmFailure("wrong_chain", `${node.name}: serves chain ${actual}, not ${chainId}`);
  node.isOnOurChain = true;
}

function recordSuccess(node: KnownNode): void {
  if (node.failure) log().info({ node: node.name }, "an EVM node works again");
  node.failure = null;
  node.restsUntilMs = 0;
}

function recordFailure(node: KnownNode, { kind, message }: EvmFailure, usedBy: UsedBy): void {
  // Logged once, not at every call: an outage lasts for hundreds of calls.
  const level = usedBy === "ours" ? "warn" : "info";
  if (node.failure !== kind) log()[level]({ node: node.name, kind, reason: message, usedBy }, "an EVM node failed");
  node.failure = kind;
  node.restsUntilMs = nowMs() + (kind === "wrong_chain" ? WRONG_CHAIN_REST_MS : REST_MS);
  if (kind === "unreachable" || kind === "timeout") node.isOnOurChain = false;
}

const nodesInUse = processSingleton("EVM nodes", () => new Map<UsedBy, { key: string; nodes: EvmNodes }>());

/** The nodes of this process. Recreated when the sandbox's chain has moved to another address. */
export function evmNodes(usedBy: UsedBy = "ours"): EvmNodes {
  const [urls, chainId, quorum] = [evmNodeUrls(), baseChainId(), nodeQuorum()];
  const inUse = nodesInUse().get(usedBy);
  const key = `${chainId} ${quorum} ${urls.join(" ")}`;
  if (inUse?.key === key) return inUse.nodes;
  const nodes = createNodes({ urls, chainId, quorum, usedBy });
  nodesInUse().set(usedBy, { key, nodes });
  return nodes;
}
