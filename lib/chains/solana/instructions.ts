// The instructions that we send: USDC transfers, creation of a token account, memos, and the compute budget. Sources: the interfaces of SPL
// Token, SPL Associated Token Account, SPL Memo and Compute Budget.

import type { Instruction } from "./message";

export const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const ASSOCIATED_TOKEN_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
/** The second version: https://spl.solana.com/memo */
export const MEMO_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
export const COMPUTE_BUDGET_PROGRAM = "ComputeBudget111111111111111111111111111111";
/** Lighthouse, whose assertions Phantom and Solflare add to the transactions they sign: https://github.com/Jac0xb/lighthouse */
export const GUARD_PROGRAM = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95";
const SYSTEM_PROGRAM = "11111111111111111111111111111111";

export const USDC_DECIMALS = 6;

export interface TokenTransfer {
  mint: string;
  /** The owner of `from`, who signs. */
  owner: string;
  /** Token accounts. */
  from: string;
  to: string;
  /** Base units. */
  units: bigint;
}

/** TransferChecked: fails unless both accounts hold `mint`, with the decimals of USDC. */
export function transferUsdc({ mint, owner, from, to, units }: TokenTransfer): Instruction {
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0);
  data.writeBigUInt64LE(units, 1);
  data.writeUInt8(USDC_DECIMALS, 9);
  const accounts = [{ key: from, isWritable: true }, { key: mint }, { key: to, isWritable: true }, { key: owner, isSigner: true }];
  return { program: TOKEN_PROGRAM, accounts, data };
}

export interface NewTokenAccount {
  payer: string;
  /** The associated token account of `owner` for `mint`. */
  tokenAccount: string;
  owner: string;
  mint: string;
}

/** CreateIdempotent: creates the account at `payer`'s expense, and does nothing when it exists. */
export function createTokenAccount({ payer, tokenAccount, owner, mint }: NewTokenAccount): Instruction {
  const accounts = [
    { key: payer, isSigner: true, isWritable: true },
    { key: tokenAccount, isWritable: true },
    { key: owner },
    { key: mint },
    { key: SYSTEM_PROGRAM },
    { key: TOKEN_PROGRAM },
  ];
  return { program: ASSOCIATED_TOKEN_PROGRAM, accounts, data: Uint8Array.of(1) };
}

/** A text in the transaction, readable by everybody. */
export const writeMemo = (text: string): Instruction => ({ program: MEMO_PROGRAM, accounts: [], data: Buffer.from(text) });

/** A transaction's compute unit limit, and its price per unit on top of the signature fee. */
export function payForComputing({ units, microLamports }: { units: number; microLamports: number }): Instruction[] {
  const limit = Buffer.alloc(5);
  limit.writeUInt8(2, 0);
  limit.writeUInt32LE(units, 1);
  const price = Buffer.alloc(9);
  price.writeUInt8(3, 0);
  price.writeBigUInt64LE(BigInt(microLamports), 1);
  return [limit, price].map((data) => ({ program: COMPUTE_BUDGET_PROGRAM, accounts: [], data }));
}
