// Finds transactions that already ran, by the memo we gave them: at every node, from an account's newest transaction back to a moment. For
// payments that must not be made twice, whatever a database says.

import { z } from "zod";
import { enoughOf } from "../quorum";
import { NodeFailure } from "./node-failure";
import type { NodeCall, SolanaNodes } from "./nodes";

export interface MemoQuery {
  /** An account that the transaction references. */
  account: string;
  memo: string;
  /** The transaction cannot have run earlier, unless it is one of the newest `minEntries`. */
  since: Date;
  /** How many entries of the list are looked through however old they are, as far as nodes still have them. */
  minEntries?: number;
}

const PAGE = 1_000;
const MAX_PAGES = 100;
/** Maximum lag of a cluster's clock behind ours. */
const CLOCKS_DIFFER_S = 300;

const pageForm = z.array(
  z.object({ signature: z.string(), slot: z.int(), err: z.unknown(), memo: z.string().nullish(), blockTime: z.int().nullish() }),
);

/**
 * Signatures of confirmed transactions that did not fail and have the memo. Anybody may write such a memo: check what each transaction did.
 * @throws SolanaUnavailable when any node does not answer, or has pruned blocks of that period
 */
export async function findByMemo(nodes: SolanaNodes, query: MemoQuery): Promise<string[]> {
  const found = await nodes.callAll("getSignaturesForAddress", (call) => searchNode(call, query, nodes.leastSlot));
  return [...new Set(found.flat())];
}

/**
 * Whether as many nodes as must agree list this transaction with the memo: a node may have made up a transaction that it alone lists.
 * @throws as findByMemo
 */
export async function isListedByEnough(nodes: SolanaNodes, query: MemoQuery, signature: string): Promise<boolean> {
  const lists = await nodes.callAll("getSignaturesForAddress", (call) => searchNode(call, query, nodes.leastSlot));
  return lists.filter((list) => list.includes(signature)).length >= enoughOf(nodes, lists.length);
}

async function searchNode(call: NodeCall, { account, memo, since, minEntries = 0 }: MemoQuery, leastSlot: number): Promise<string[]> {
  // Nodes return memos as `[3] one; [3] two`, each with its length in bytes.
  const listed = `[${Buffer.byteLength(memo)}] ${memo}`;
  const sinceS = Math.floor(since.getTime() / 1_000);
  const found: string[] = [];
  let [entries, isPast] = [0, false];
  let [before, minContextSlot] = [undefined as string | undefined, leastSlot];
  for (let number = 0; number < MAX_PAGES; number++) {
    const options = { commitment: "confirmed", limit: PAGE, before, minContextSlot };
    const page = await call("getSignaturesForAddress", [account, options], pageForm);
    for (const { signature, err, memo: memos } of page) {
      const isFailed = err !== null && err !== undefined;
      if (!isFailed && memos?.split("; ").includes(listed)) found.push(signature);
    }
    const last = page.at(-1);
    // Only an empty page ends the list, not a short one: nodes may return fewer than requested.
    if (!last) {
      if (!isPast) await refuseForgetful(call, sinceS);
      return found;
    }
    entries += page.length;
    isPast = typeof last.blockTime === "number" && last.blockTime < sinceS - CLOCKS_DIFFER_S;
    if (isPast && entries >= minEntries) return found;
    // A node that does not know `before` would return an empty page: it must be at least as far as when it returned that signature.
    [before, minContextSlot] = [last.signature, Math.max(minContextSlot, page[0]?.slot ?? 0)];
  }
  throw new NodeFailure("more transactions than can be looked through", 0);
}

/** @throws NodeFailure when the node has pruned blocks of that moment: a transaction it does not know may have run */
export async function refuseForgetful(call: NodeCall, sinceS: number): Promise<void> {
  const firstSlot = await call("getFirstAvailableBlock", [], z.int());
  if (firstSlot === 0) return;
  const time = await call("getBlockTime", [firstSlot], z.int().nullable());
  if (time === null || time > sinceS) throw new NodeFailure("the blocks of that time are forgotten", 0);
}
