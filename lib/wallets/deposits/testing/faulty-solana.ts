// For tests: Solana watchers behind a node that fails on purpose.

import { expect } from "vitest";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { pool } from "@/lib/db/pool";
import type { Watcher, WatchReport } from "../watcher";
import type { SolanaCustomer, WatchedSolana } from "./watched-solana";

/** How a call fails; null lets it pass. */
export type Decide = (method: string, params: readonly unknown[], call: number) => Fault | null;

interface Through extends Watcher {
  node: Awaited<ReturnType<typeof startFaultyNode>>;
  close(): Promise<void>;
}

/** With `both` it can also use the chain's own node. The caller closes it. */
export async function watchThrough(chain: WatchedSolana, decide: Decide, { both = false } = {}): Promise<Through> {
  let call = 0;
  const node = await startFaultyNode(chain.url, ({ method, params }) => decide(method, params, call++));
  const watcher = chain.watcher({ nodes: chain.nodesAt(both ? [node.url, chain.url] : [node.url], 400) });
  const close = async () => {
    await watcher.release();
    await node.close();
  };
  return { ...watcher, node, close };
}

/** Ticks until a round was read. A busy machine fails rounds, too: their calls have 400 ms. */
export async function readRound(watcher: Pick<Watcher, "tick">, max = 10): Promise<WatchReport[]> {
  const reports: WatchReport[] = [];
  while (reports.at(-1)?.outcome !== "read" && reports.length < max) reports.push(await watcher.tick());
  expect(reports.at(-1)).toMatchObject({ outcome: "read" });
  return reports;
}

/** The same, up to the chain's head. */
export async function tickUntilRead(watcher: Pick<Watcher, "tick">, max?: number): Promise<WatchReport[]> {
  const reports = await readRound(watcher, max);
  expect(reports.at(-1)).toMatchObject({ headLag: 0 });
  return reports;
}

/** Makes only this account due for a rescan. */
export async function setDue({ tokenAccount }: SolanaCustomer): Promise<void> {
  await pool().query("UPDATE solana_cursor SET check_at = CASE token_account WHEN $1 THEN timestamptz 'epoch' ELSE 'infinity' END", [
    tokenAccount,
  ]);
}

export const isListing = (method: string) => method === "getSignaturesForAddress";

export const commitmentOf = (params: readonly unknown[]) => (params[1] as { commitment?: string } | undefined)?.commitment;
