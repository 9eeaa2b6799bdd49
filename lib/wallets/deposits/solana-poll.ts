// The poll: the balance of every watched token account, a hundred a call. One that is not what was read last has something to
// read. A balance that is back where it was is found by the accounts' rescans.

import type { RunLimited } from "@/lib/base/semaphore";
import { isSolanaRefusal, isSolanaUnavailable } from "@/lib/chains/solana/node-failure";
import type { SolanaNodes } from "@/lib/chains/solana/nodes";
import { isHeldBy, MAX_ACCOUNTS_A_CALL, readTokenAccounts, type TokenAccount } from "@/lib/chains/solana/token-accounts";
import type { SolanaAddress } from "./solana-cursor";

export interface Poll {
  /** Accounts whose balance is another one than was read last. */
  moved: readonly SolanaAddress[];
  /** Accounts that somebody else owns, or that are for another token: a sign that a key was used without us. */
  strange: readonly SolanaAddress[];
  /** Where the next poll begins: at the first account that no node answered for, or at the first of all. */
  next: number;
  /** Why not all could be read. */
  failure: unknown;
}

export interface PollOptions {
  nodes: SolanaNodes;
  mint: string;
  inTurn: RunLimited;
  /** Where the last poll stopped: a node refuses too many calls from some account on, which must not always be the same. */
  start: number;
  deadline: number;
}

/** Ends early, with what it has, when a call fails or the time of `deadline` (of `performance`) is over. */
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

/** True for what asking the nodes may end with; all else is a bug of ours, or the database's. */
export const isNodesFailure = (error: unknown): boolean => isSolanaUnavailable(error) || isSolanaRefusal(error);
