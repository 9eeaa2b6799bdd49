// Polls the balance of every watched token account, a hundred per call. A balance that differs from the last read means new transactions.
// Transactions that leave the balance unchanged are found by the rescans.

import type { RunLimited } from "@/lib/base/semaphore";
import { isSolanaRefusal, isSolanaUnavailable } from "@/lib/chains/solana/node-failure";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { isHeldBy, MAX_ACCOUNTS_A_CALL, readTokenAccounts, type TokenAccount } from "@/lib/chains/solana/token-accounts";
import type { SolanaAddress } from "./solana-cursor";

export interface Poll {
  /** Accounts whose balance differs from the last read. */
  moved: readonly SolanaAddress[];
  /** Accounts with another owner or another token: a sign that a key was used outside this service. */
  strange: readonly SolanaAddress[];
  /** Where the next poll starts: at the first account that no node answered for, otherwise at the first of all. */
  next: number;
  /** Why some accounts could not be read. */
  failure: unknown;
}

export interface PollOptions {
  nodes: SolanaNodes;
  mint: string;
  inTurn: RunLimited;
  /** Where the last poll stopped: when a node limits calls, the skipped accounts must not always be the same. */
  start: number;
  deadline: number;
}

/** Ends early with a partial result when a call fails or `deadline` (a `performance` time) has passed. */
export async function pollBalances(
  addresses: readonly SolanaAddress[],
  { nodes, mint, inTurn, start, deadline }: PollOptions,
): Promise<Poll> {
  const first = start < addresses.length ? start : 0;
  const inOrder = [...addresses.slice(first), ...addresses.slice(0, first)];
  const [moved, strange]: [SolanaAddress[], SolanaAddress[]] = [[], []];
  const missed: number[] = [];
  let failure: unknown = null;
  const sort = (address: SolanaAddress, account: TokenAccount | null) => {
    if ((account?.units ?? 0n) === address.read.units) return;
    (account === null || isHeldBy(account, { mint, owner: address.owner }) ? moved : strange).push(address);
  };
  const readSome = async (at: number) => {
    const some = inOrder.slice(at, at + MAX_ACCOUNTS_A_CALL);
    if (failure === null && performance.now() < deadline) {
      try {
        const { value } = await readTokenAccounts(
          nodes,
          some.map(({ tokenAccount }) => tokenAccount),
          "confirmed",
        );
        for (const [index, address] of some.entries()) sort(address, value[index] ?? null);
        return;
      } catch (error) {
        if (!isNodesFailure(error)) throw error;
        failure = error;
      }
    }
    missed.push(at);
  };
  const starts = Array.from({ length: Math.ceil(inOrder.length / MAX_ACCOUNTS_A_CALL) }, (_, chunk) => chunk * MAX_ACCOUNTS_A_CALL);
  await Promise.all(starts.map((at) => inTurn(() => readSome(at))));
  if (missed.length === 0) return { moved, strange, next: 0, failure };
  const next = (first + Math.min(...missed)) % addresses.length;
  return { moved, strange, next, failure: failure ?? new Error("the accounts could not be read in time") };
}

/** True for errors of node calls; every other error is our own bug or the database's. */
export const isNodesFailure = (error: unknown): boolean => isSolanaUnavailable(error) || isSolanaRefusal(error);
