// The record of a transaction in a block: its bytes and its results.

import { base58 } from "@scure/base";
import { z } from "zod";
import type { Account, Bank, Run } from "./bank";
import { MEMO_PROGRAMS } from "./programs";
import { readMint, readTokenAccount, tokenAmount } from "./token-state";
import type { WireMessage } from "./wire";

const tokenBalance = z.object({
  accountIndex: z.number(),
  mint: z.string(),
  owner: z.string(),
  programId: z.string(),
  uiTokenAmount: z.object({ amount: z.string(), decimals: z.number(), uiAmount: z.number().nullable(), uiAmountString: z.string() }),
});

export type TokenBalance = z.infer<typeof tokenBalance>;

const innerInstruction = z.object({
  programIdIndex: z.number(),
  accounts: z.array(z.number()),
  data: z.string(),
  stackHeight: z.number(),
});

const transactionError = z.union([
  z.string(),
  z.object({
    InstructionError: z.tuple([
      z.number(),
      z.union([z.string(), z.object({ Custom: z.number() }), z.object({ BorshIoError: z.string() })]),
    ]),
  }),
  z.object({ DuplicateInstruction: z.number() }),
  z.object({ InsufficientFundsForRent: z.object({ account_index: z.number() }) }),
  z.object({ ProgramExecutionTemporarilyRestricted: z.object({ account_index: z.number() }) }),
]);

export const transactionRecord = z.object({
  signature: z.string(),
  slot: z.number(),
  /** Seconds. */
  blockTime: z.number(),
  error: transactionError.nullable(),
  memo: z.string().nullable(),
  /** The transaction as it was sent, base64. */
  wire: z.string(),
  /** All accounts, with those from address tables last, writable before readonly. */
  accounts: z.array(z.string()),
  loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }),
  /** In lamports, like the balances. */
  fee: z.number(),
  preBalances: z.array(z.number()),
  postBalances: z.array(z.number()),
  preTokenBalances: z.array(tokenBalance),
  postTokenBalances: z.array(tokenBalance),
  logs: z.array(z.string()),
  unitsConsumed: z.number(),
  returnData: z.object({ programId: z.string(), data: z.tuple([z.string(), z.literal("base64")]) }).nullable(),
  innerInstructions: z.array(z.object({ index: z.number(), instructions: z.array(innerInstruction) })),
});

export type TransactionRecord = z.infer<typeof transactionRecord>;

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
    const mint = bank.find(held.mint);
    const decimals = (mint && readMint(mint)?.decimals) ?? 0;
    const uiTokenAmount = tokenAmount(held.amount, decimals);
    return [{ accountIndex, mint: held.mint, owner: held.owner, programId: account.owner, uiTokenAmount }];
  });
}

/** The memos of a transaction in the RPC's format, `[2] hi; [3] you!`, or null. */
export function memoOf({ instructions }: WireMessage, accounts: readonly string[]): string | null {
  const memos = instructions
    .filter(({ programIdIndex }) => MEMO_PROGRAMS.includes(accounts[programIdIndex] ?? ""))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString("utf8")}`);
  return memos.length === 0 ? null : memos.join("; ");
}

const TABLE_HEADER_BYTES = 56;
const KEY_BYTES = 32;

/** Addresses that a message loads from address tables. @throws RangeError when a table lacks one */
export function loadAddresses(bank: Bank, { addressTableLookups }: WireMessage): TransactionRecord["loadedAddresses"] {
  const loaded: TransactionRecord["loadedAddresses"] = { writable: [], readonly: [] };
  for (const { accountKey, writableIndexes, readonlyIndexes } of addressTableLookups) {
    const table = bank.find(accountKey);
    const read = (index: number) => {
      const start = TABLE_HEADER_BYTES + index * KEY_BYTES;
      const key = table?.data.subarray(start, start + KEY_BYTES);
      if (key?.length !== KEY_BYTES) throw new RangeError("no such entry in the address table");
      return base58.encode(key);
    };
    loaded.writable.push(...writableIndexes.map(read));
    loaded.readonly.push(...readonlyIndexes.map(read));
  }
  return loaded;
}

/** The part of the record that comes from the run. */
export function outcomeOf({ error, logs, unitsConsumed, returnData, innerInstructions }: Run) {
  return { error, logs, unitsConsumed, returnData, innerInstructions };
}
