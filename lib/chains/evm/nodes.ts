// The nodes of the service's EVM chain: asked in their order, the next when one fails, and none that serves another chain.

import { nowMs } from "@/lib/base/clock";
import { log } from "@/lib/base/observe/log";
import { processSingleton } from "@/lib/base/process-singleton";
import { baseChainId } from "./base";
import { EvmFailure, type EvmFailureKind, isEvmFailure, isNodesOwn } from "./failure";
import { createNode, type EvmNode } from "./node";
import { evmNodeUrls } from "./node-urls";
import { quantity } from "./wire";

export interface EvmNodes {
  readonly chainId: number;
  readonly count: number;
  /**
   * Runs `use` with the first node that serves it; all of `use` is run again with the next one. What one node says in it is
   * consistent as far as that node is.
   * @throws EvmFailure of the last node; at once when it is `rejected` or `too_large`, which no other node would change
   */
  callFirst<T>(use: (node: EvmNode) => Promise<T>): Promise<T>;
  /** What the nodes beside `node` say, all asked at once; those that fail are left out. */
  callOthers<T>(node: EvmNode, use: (other: EvmNode) => Promise<T>): Promise<T[]>;
}

export interface EvmNodesOptions {
  urls: readonly string[];
  chainId: number;
  /** Milliseconds of one call. */
  timeoutMs?: number;
}

interface KnownNode extends EvmNode {
  isOnOurChain: boolean;
  /** Why it failed last, until it works again. */
  failure: EvmFailureKind | null;
  /** Until then others are asked first. */
  restsUntilMs: number;
}

const CALL_TIMEOUT_MS = 5_000;
const REST_MS = 10_000;
const WRONG_CHAIN_REST_MS = 60_000;

export function createNodes({ urls, chainId, timeoutMs = CALL_TIMEOUT_MS }: EvmNodesOptions): EvmNodes {
  const nodes = urls.map((url, index) => {
    const node = createNode({ url, name: `node ${index + 1} of ${urls.length}`, timeoutMs });
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
      if (isEvmFailure(error) && isNodesOwn(error)) recordFailure(node, error);
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
    const asked = await Promise.allSettled(nodes.filter((node) => node !== one).map((node) => callOne(node, use)));
    return asked.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  }

  return { chainId, count: nodes.length, callFirst, callOthers };
}

/** What every node says that answers, the one that is asked first ahead. @throws EvmFailure when none does */
export const callEach = <T>(nodes: EvmNodes, use: (node: EvmNode) => Promise<T>): Promise<T[]> =>
  nodes.callFirst(async (node) => [await use(node), ...(await nodes.callOthers(node, use))]);

/**
 * What the first node says that has anything to say; the others are asked when that is not the one that is asked first, since one
 * may have pruned what it is asked for. Null when none of those that answer has anything.
 * @throws EvmFailure when none answers
 */
export const findAnywhere = <T>(nodes: EvmNodes, look: (node: EvmNode) => Promise<T | null>): Promise<T | null> =>
  nodes.callFirst(async (node) => (await look(node)) ?? (await nodes.callOthers(node, look)).find((found) => found !== null) ?? null);

/** A node of another chain would show no deposits, or another chain's: it is asked once, and again after it was away. */
async function checkChain(node: KnownNode, chainId: number): Promise<void> {
  if (node.isOnOurChain) return;
  const its = await node.call("eth_chainId", [], quantity);
  if (its !== chainId) throw new EvmFailure("wrong_chain", `${node.name}: serves chain ${its}, not ${chainId}`);
  node.isOnOurChain = true;
}

function recordSuccess(node: KnownNode): void {
  if (node.failure) log().info({ node: node.name }, "a node of the EVM chain works again");
  node.failure = null;
  node.restsUntilMs = 0;
}

function recordFailure(node: KnownNode, { kind, message }: EvmFailure): void {
  // Once, not at every call: a node that is away is away for hundreds of them.
  if (node.failure !== kind) log().warn({ node: node.name, kind, reason: message }, "a node of the EVM chain failed");
  node.failure = kind;
  node.restsUntilMs = nowMs() + (kind === "wrong_chain" ? WRONG_CHAIN_REST_MS : REST_MS);
  if (kind === "unreachable" || kind === "timeout") node.isOnOurChain = false;
}

const nodesInUse = processSingleton<{ key: string; nodes: EvmNodes | null }>("EVM nodes", () => ({ key: "", nodes: null }));

/** The nodes of this process. Made anew when the sandbox's chain has moved to another address. */
export function evmNodes(): EvmNodes {
  const [urls, chainId, inUse] = [evmNodeUrls(), baseChainId(), nodesInUse()];
  const key = `${chainId} ${urls.join(" ")}`;
  if (inUse.nodes && inUse.key === key) return inUse.nodes;
  const nodes = createNodes({ urls, chainId });
  Object.assign(inUse, { key, nodes });
  return nodes;
}
