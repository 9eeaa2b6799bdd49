// The record of a transaction in a block: its bytes and its results.

import { MEMO_PROGRAM } from "@/lib/chains/solana/instructions";
import type { Account, Bank } from "./bank";
import { readDecimals, readTokenAccount, type TokenAmount, tokenAmount } from "./token-state";
import type { TransactionError } from "./transaction-error";
import type { WireMessage } from "./wire";

interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner: string;
  programId: string;
  uiTokenAmount: TokenAmount;
}

export interface TransactionRecord {
  signature: string;
  slot: number;
  /** Seconds. */
  blockTime: number;
  error: TransactionError | null;
  memo: string | null;
  /** The transaction as it was sent, base64. */
  wire: string;
  accounts: string[];
  /** In lamports, like the balances. */
  fee: number;
  preBalances: number[];
  postBalances: number[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  logs: string[];
  unitsConsumed: number;
}

type Accounts = readonly (Account | null)[];

const balancesOf = (accounts: Accounts): number[] => accounts.map((account) => account?.lamports ?? 0);

/** Lamports before and after, in account order, and the fee. */
export function lamportsOf(before: Accounts, after: Accounts): Pick<TransactionRecord, "fee" | "preBalances" | "postBalances"> {
  const [preBalances, postBalances] = [balancesOf(before), balancesOf(after)];
  // A transaction moves lamports but creates none, so the difference is the fee.
  const fee = sum(preBalances) - sum(postBalances);
  return { fee, preBalances, postBalances };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The token balances among a transaction's accounts. */
export function tokenBalancesOf(bank: Bank, accounts: Accounts): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const held = account && readTokenAccount(account);
    if (!account || !held || held.state === "uninitialized") return [];
    const uiTokenAmount = tokenAmount(held.amount, readDecimals(bank.find(held.mint)) ?? 0);
    return [{ accountIndex, mint: held.mint, owner: held.owner, programId: account.owner, uiTokenAmount }];
  });
}

/** The memos of a transaction in the RPC's format, `[2] hi; [3] you!`, or null. */
export function memoOf({ instructions, accountKeys }: WireMessage): string | null {
  const memos = instructions
    .filter(({ programIdIndex }) => accountKeys[programIdIndex] === MEMO_PROGRAM)
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString("utf8")}`);
  return memos.length === 0 ? null : memos.join("; ");
}
