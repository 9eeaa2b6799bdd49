// What ran already under a name that we gave it, the memo of its transaction: asked of every node, from the newest transaction of
// an account back to a moment, for what must not be done twice whatever a database says.

import { z } from "zod";
import { NodeFailure } from "./node-failure";
import type { NodeCall, SolanaNodes } from "./nodes";

export interface MemoQuery {
  /** An account that the transaction names. */
  account: string;
  memo: string;
  /** It can not have run before. */
  since: Date;
}

const PAGE = 1_000;
const MAX_PAGES = 100;
/** By how much a cluster's clock may be behind ours. */
const CLOCKS_DIFFER_S = 300;

const pageForm = z.array(
  z.object({ signature: z.string(), slot: z.int(), err: z.unknown(), memo: z.string().nullish(), blockTime: z.int().nullish() }),
);

/**
 * Signatures of confirmed transactions that did not fail and have the memo. Anybody may write one: what each did is to be looked at.
 * @throws SolanaUnavailable when any node does not answer, or has forgotten blocks of that time
 */
export async function findByMemo(nodes: SolanaNodes, query: MemoQuery): Promise<string[]> {
  const found = await nodes.callAll("getSignaturesForAddress", (call) => searchNode(call, query, nodes.leastSlot));
  return [...new Set(found.flat())];
}

async function searchNode(call: NodeCall, { account, memo, since }: MemoQuery, leastSlot: number): Promise<string[]> {
  // As nodes tell memos: `[3] one; [3] two`, each with its length in bytes.
  const told = `[${Buffer.byteLength(memo)}] ${memo}`;
  const sinceS = Math.floor(since.getTime() / 1_000);
  const found: string[] = [];
  let [before, minContextSlot] = [undefined as string | undefined, leastSlot];
  for (let number = 0; number < MAX_PAGES; number++) {
    const options = { commitment: "confirmed", limit: PAGE, before, minContextSlot };
    const page = await call("getSignaturesForAddress", [account, options], pageForm);
    for (const { signature, err, memo: memos } of page) {
      const isFailed = err !== null && err !== undefined;
      if (!isFailed && memos?.split("; ").includes(told)) found.push(signature);
    }
    const last = page.at(-1);
    // An empty page ends the list, and not one that is short: nodes may answer less than was asked for.
    if (!last) {
      await refuseForgetful(call, sinceS);
      return found;
    }
    if (typeof last.blockTime === "number" && last.blockTime < sinceS - CLOCKS_DIFFER_S) return found;
    // A node that does not know `before` would answer with nothing: it must be as far as when it told of it.
    [before, minContextSlot] = [last.signature, Math.max(minContextSlot, page[0]?.slot ?? 0)];
  }
  throw new NodeFailure("more transactions than can be looked through", 0);
}

/** @throws NodeFailure when the node keeps no blocks of that moment: what it does not know may have run */
export async function refuseForgetful(call: NodeCall, sinceS: number): Promise<void> {
  const firstSlot = await call("getFirstAvailableBlock", [], z.int());
  if (firstSlot === 0) return;
  const time = await call("getBlockTime", [firstSlot], z.int().nullable());
  if (time === null || time > sinceS) throw new NodeFailure("the blocks of that time are forgotten", 0);
}
