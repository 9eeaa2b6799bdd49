// The service's Solana nodes, tried in order until one answers. A node that fails, or is behind the newest known slot, is skipped; no
// node's ordering of results is trusted.

import { z } from "zod";
import { nowMs } from "@/lib/base/clock";
import { processSingleton } from "@/lib/base/process-singleton";
import type { UsedBy } from "../callers";
import { nodeQuorum } from "../quorum";
import { SolanaNode } from "./node";
import { isNodeFailure, NodeFailure, SolanaUnavailable } from "./node-failure";
import { solanaCluster } from "./node-urls";

export interface SolanaNodesOptions {
  /** In order of preference. They may contain API keys. */
  urls: readonly string[];
  /** Genesis hash of the cluster that the nodes must belong to. */
  genesisHash: string;
  timeoutMs?: number;
  /** How many of them must say the same before it moves money; by default one node's word is enough. */
  quorum?: number;
  /** By default ours. */
  usedBy?: UsedBy;
}

/** Solana's main cluster. */
export const MAINNET_GENESIS_HASH = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

const TIMEOUT_MS = 5_000;
/** A node further behind than this, one minute, is skipped. */
const TOLERATED_SLOTS = 150;
/** Slots take 400 ms. A cluster that advances faster than twice that speed is not believed. */
const FASTEST_SLOT_MS = 200;
const PLAUSIBLE_JUMP_SLOTS = 2_000;
/** Beside newer ones. */
const SLOT_COUNTS_MS = 120_000;

const contextForm = z.object({ slot: z.int().min(0) });

export interface AtSlot<T> {
  /** The slot at which the value was read. */
  slot: number;
  value: T;
}

/** A call to one node. @throws SolanaRefusal, NodeFailure */
export type NodeCall = <T>(method: string, params: readonly unknown[], result: z.ZodType<T>) => Promise<T>;

interface CalledNode {
  node: SolanaNode;
  call: NodeCall;
}

interface SeenSlot {
  slot: number;
  seenAtMs: number;
}

export class SolanaNodes {
  #nodes: readonly CalledNode[];
  /** The highest slot of each node that named one. */
  #seen = new Map<NodeCall, SeenSlot>();
  /** How many of them must say the same before it moves money. */
  readonly quorum: number;

  constructor({ urls, genesisHash, timeoutMs = TIMEOUT_MS, quorum = 1, usedBy = "ours" }: SolanaNodesOptions) {
    this.quorum = quorum;
    this.#nodes = urls.map((url) => {
      const node = new SolanaNode({ url, genesisHash, timeoutMs, usedBy });
      return { node, call: (method, params, result) => node.call(method, params, result) };
    });
  }

  /** The same nodes with the first one last: for a cross-node check. */
  othersFirst(): SolanaNodes {
    const others = new SolanaNodes({ urls: [], genesisHash: "", quorum: this.quorum });
    others.#nodes = [...this.#nodes.slice(1), ...this.#nodes.slice(0, 1)];
    others.#seen = this.#seen;
    return others;
  }

  /**
   * The newest slot that as many nodes have reached as must agree, where more than these ever named one: otherwise one of three could call
   * the two others behind. Of two nodes the newest one is believed. A node that stopped naming newer ones does not count beside enough
   * others.
   */
  get #newest(): SeenSlot {
    const seen = [...this.#seen.values()];
    const lastSeenAtMs = Math.max(...seen.map(({ seenAtMs }) => seenAtMs));
    const fresh = seen.filter(({ seenAtMs }) => lastSeenAtMs - seenAtMs <= SLOT_COUNTS_MS);
    const newestFirst = (fresh.length < this.quorum ? seen : fresh).sort((one, other) => other.slot - one.slot);
    return newestFirst[Math.max(0, Math.min(this.quorum - 1, seen.length - this.quorum))] ?? { slot: 0, seenAtMs: 0 };
  }

  /** Passed as `minContextSlot`: a node that has not reached it refuses, and the next one is tried. */
  get leastSlot(): number {
    return Math.max(0, this.#newest.slot - TOLERATED_SLOTS);
  }

  /**
   * The first usable answer to one call.
   * @throws SolanaRefusal when every node would refuse it
   * @throws SolanaUnavailable when none did
   */
  call<T>(method: string, params: readonly unknown[], result: z.ZodType<T>): Promise<T> {
    return this.callFirst(method, (call) => call(method, params, result));
  }

  /** Like `call`, for methods whose response includes its slot; a response that is too old is rejected. */
  callAtSlot<T>(method: string, params: readonly unknown[], value: z.ZodType<T>): Promise<AtSlot<T>> {
    return this.callFirst(method, (call) => this.callAtSlotOn(call, [method, params], value));
  }

  async callAtSlotOn<T>(call: NodeCall, [method, params]: [string, readonly unknown[]], value: z.ZodType<T>): Promise<AtSlot<T>> {
    const answer = await call(method, params, z.object({ context: contextForm, value }));
    this.sawSlot(call, answer.context.slot);
    return { slot: answer.context.slot, value: answer.value };
  }

  /**
   * Runs several calls on one node, and all of them again on the next when that one fails.
   * @throws SolanaRefusal, SolanaUnavailable
   */
  async callFirst<T>(what: string, act: (call: NodeCall) => Promise<T>): Promise<T> {
    const reasons: string[] = [];
    for (const { node, call, number } of this.#inOrder()) {
      try {
        return await act(call);
      } catch (error) {
        if (!isNodeFailure(error)) throw error;
        if (error.restMs > 0) node.rest(error.restMs);
        reasons.push(`node ${number}: ${error.message}`);
      }
    }
    // If all nodes are behind, the newest known slot may be wrong: the next call starts without it.
    this.#seen.clear();
    throw new SolanaUnavailable(what, reasons);
  }

  /** Answers of all nodes but that of `one`, asked concurrently; failed calls are left out. */
  async callOthers<T>(one: NodeCall, act: (call: NodeCall) => Promise<T>): Promise<T[]> {
    const outcomes = await Promise.allSettled(this.#nodes.filter(({ call }) => call !== one).map(({ call }) => act(call)));
    return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  }

  /**
   * Asks every node; resolves with the answers of those that gave one.
   * @throws SolanaUnavailable when none did
   */
  async callEach<T>(what: string, act: (call: NodeCall) => Promise<T>): Promise<T[]> {
    const { given, reasons } = await this.#callAtOnce(act);
    if (given.length > 0) return given;
    throw new SolanaUnavailable(what, reasons);
  }

  /**
   * Asks every node, for decisions that need an answer from all of them.
   * @throws SolanaUnavailable when any did not answer
   */
  async callAll<T>(what: string, act: (call: NodeCall) => Promise<T>): Promise<T[]> {
    const { given, reasons } = await this.#callAtOnce(act);
    if (reasons.length === 0) return given;
    throw new SolanaUnavailable(what, reasons);
  }

  /** A node that hung a moment ago counts as silent while enough others are left: it is not waited for again and again. */
  async #callAtOnce<T>(act: (call: NodeCall) => Promise<T>): Promise<{ given: T[]; reasons: string[] }> {
    const areEnoughAwake = this.#nodes.filter(({ node }) => !node.isHanging()).length >= this.quorum;
    const answers = await Promise.all(
      this.#nodes.map(async ({ node, call }, index) => {
        if (areEnoughAwake && node.isHanging()) return { reason: `node ${index + 1}: no answer a moment ago` };
        try {
          return { answer: await act(call) };
        } catch (error) {
          if (!isNodeFailure(error)) throw error;
          return { reason: `node ${index + 1}: ${error.message}` };
        }
      }),
    );
    return {
      given: answers.flatMap((one) => ("answer" in one ? [one.answer as T] : [])),
      reasons: answers.flatMap((one) => one.reason ?? []),
    };
  }

  /**
   * Records the slot that a node named.
   * @throws NodeFailure for a slot that is too old, or that cannot have been reached yet
   */
  sawSlot(call: NodeCall, slot: number): void {
    const before = this.#newest;
    const possible = before.slot + PLAUSIBLE_JUMP_SLOTS + (nowMs() - before.seenAtMs) / FASTEST_SLOT_MS;
    if (before.slot > 0 && slot > possible) throw new NodeFailure("a slot that can not have come yet", 0);
    if (slot > (this.#seen.get(call)?.slot ?? -1)) this.#seen.set(call, { slot, seenAtMs: nowMs() });
    const behind = this.#newest.slot - slot;
    if (behind > TOLERATED_SLOTS) throw new NodeFailure(`${behind} slots behind`, 0);
  }

  #inOrder(): (CalledNode & { number: number })[] {
    const all = this.#nodes.map((one, index) => ({ ...one, number: index + 1 }));
    return [...all.filter(({ node }) => !node.isResting()), ...all.filter(({ node }) => node.isResting())];
  }
}

const nodesInUse = processSingleton("Solana nodes", () => new Map<UsedBy, { key: string; nodes: SolanaNodes }>());

/** The nodes of this process. Recreated when the sandbox's chain has moved to another address. */
export function solanaNodes(usedBy: UsedBy = "ours"): SolanaNodes {
  const { urls, genesisHash = MAINNET_GENESIS_HASH } = solanaCluster();
  const inUse = nodesInUse().get(usedBy);
  const quorum = nodeQuorum();
  const key = `${genesisHash} ${quorum} ${urls.join(" ")}`;
  if (inUse?.key === key) return inUse.nodes;
  const nodes = new SolanaNodes({ urls, genesisHash, quorum, usedBy });
  nodesInUse().set(usedBy, { key, nodes });
  return nodes;
}
