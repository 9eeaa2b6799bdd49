// USDC on Solana: changes of a token account, read from settled transactions.

import { z } from "zod";
import { NodeFailure } from "./node-failure";
import type { AtSlot, SolanaNodes } from "./nodes";

/** Circle's USDC on Solana's main cluster. Source: https://developers.circle.com/stablecoins/usdc-contract-addresses */
export const USDC_MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

export interface AccountSignature {
  signature: string;
  slot: number;
  /** A failed transaction moved nothing. */
  isFailed: boolean;
}

/** A confirmed transaction is very unlikely to be undone, a final one never is. */
export type SettledCommitment = "confirmed" | "finalized";

export interface SignaturePage {
  cursor: string | null;
  most: number;
  commitment?: SettledCommitment;
}

export interface ChangeQuery {
  tokenAccount: string;
  mint: string;
  /** When given, balances that the account held under another owner do not count. */
  owner?: string;
  commitment?: SettledCommitment;
}

export interface TokenChange {
  signature: string;
  slot: number;
  blockTime: Date | null;
  /**
   * Base units in the token account before and after; 0 while there is no such account. One transaction's `after` equals the next one's
   * `before`: a difference means that transactions between them are missing.
   */
  before: bigint;
  after: bigint;
  /** Token accounts whose balance the transaction reduced. */
  payers: readonly string[];
}

const PAGE = 1_000;
const MAX_ACCOUNTS_A_CALL = 100;
const AMOUNT_SLICE = { offset: 64, length: 8 };

const signatureForm = z.array(z.object({ signature: z.string(), slot: z.int(), err: z.unknown() }));

/**
 * The oldest `most` signatures of a token account after `cursor`, oldest first; null starts at the account's first. Only final ones by
 * default. When a node no longer knows the cursor, older signatures are returned again.
 * @throws SolanaUnavailable
 */
export async function listSignatures(
  nodes: SolanaNodes,
  tokenAccount: string,
  { cursor, most, commitment = "finalized" }: SignaturePage,
): Promise<AccountSignature[]> {
  let oldest: AccountSignature[] = [];
  let last: AccountSignature[] = [];
  do {
    last = await readPage(nodes, tokenAccount, { cursor, last, commitment });
    oldest = [...oldest, ...last].slice(-most);
    // Only an empty page ends the list, not a short one: nodes may return fewer than requested.
  } while (last.length > 0);
  return oldest.reverse();
}

/** The page after `last`, newest first. */
function readPage(
  nodes: SolanaNodes,
  tokenAccount: string,
  { cursor, last, commitment }: { cursor: string | null; last: readonly AccountSignature[]; commitment: SettledCommitment },
): Promise<AccountSignature[]> {
  const before = last.at(-1);
  // A node that does not know `before` would return an empty page: it must be at least as far as the node that returned it.
  const minContextSlot = Math.max(nodes.leastSlot, last[0]?.slot ?? 0);
  const options = { commitment, limit: PAGE, until: cursor ?? undefined, before: before?.signature, minContextSlot };
  const known = new Set(last.map(({ signature }) => signature));
  return nodes.callFirst("getSignaturesForAddress", async (call) => {
    const page = await call("getSignaturesForAddress", [tokenAccount, options], signatureForm);
    let slot = before?.slot ?? Number.POSITIVE_INFINITY;
    for (const entry of page) {
      if (entry.slot > slot || known.has(entry.signature)) throw new NodeFailure("signatures that come twice, or out of order", 0);
      known.add(entry.signature);
      slot = entry.slot;
    }
    return page.map((entry) => ({ signature: entry.signature, slot: entry.slot, isFailed: entry.err !== null && entry.err !== undefined }));
  });
}

const tokenBalanceForm = z.object({
  accountIndex: z.int(),
  mint: z.string(),
  owner: z.string().nullish(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d{1,20}$/) }),
});

const addressesForm = z.array(z.string());

const transactionForm = z.object({
  slot: z.int(),
  blockTime: z.int().nullish(),
  transaction: z.object({ message: z.object({ accountKeys: addressesForm }) }),
  meta: z.object({
    err: z.unknown(),
    preTokenBalances: z.array(tokenBalanceForm).nullish(),
    postTokenBalances: z.array(tokenBalanceForm).nullish(),
    loadedAddresses: z.object({ writable: addressesForm, readonly: addressesForm }).nullish(),
  }),
});

type FinalTransaction = z.output<typeof transactionForm>;

/**
 * The net change of a token account of `mint` by a final or confirmed transaction; null when it failed, or changed nothing.
 * @throws SolanaUnavailable when no node has it
 */
export async function readTokenChange(
  nodes: SolanaNodes,
  signature: string,
  { tokenAccount, mint, owner, commitment = "finalized" }: ChangeQuery,
): Promise<TokenChange | null> {
  // 255 accepts any version: balances have the same format in all of them.
  const options = { commitment, encoding: "json", maxSupportedTransactionVersion: 255 };
  const transaction = await nodes.callFirst("getTransaction", async (call) => {
    const found = await call("getTransaction", [signature, options], transactionForm.nullable());
    // The transaction was listed, so a node without it lags or has pruned it.
    if (found === null) throw new NodeFailure("no such transaction", 0);
    return found;
  });
  const { err, preTokenBalances, postTokenBalances } = transaction.meta;
  if (err !== null && err !== undefined) return null;
  const accounts = accountsOf(transaction);
  const index = accounts.indexOf(tokenAccount);
  const [before, after] = [preTokenBalances, postTokenBalances].map((balances) => unitsIn(balances, index, { mint, owner }));
  if (index < 0 || before === after) return null;
  const lost = (payer: number) => (unitsIn(postTokenBalances, payer, { mint }) ?? 0n) < (unitsIn(preTokenBalances, payer, { mint }) ?? 0n);
  return {
    signature,
    slot: transaction.slot,
    blockTime: typeof transaction.blockTime === "number" ? new Date(transaction.blockTime * 1000) : null,
    before: before ?? 0n,
    after: after ?? 0n,
    payers: accounts.filter((_, payer) => lost(payer)),
  };
}

/** Undefined when the account at `index` did not hold `mint`, or did not belong to `owner`. */
function unitsIn(
  balances: FinalTransaction["meta"]["preTokenBalances"],
  index: number,
  { mint, owner }: Pick<ChangeQuery, "mint" | "owner">,
): bigint | undefined {
  const found = balances?.find((balance) => balance.accountIndex === index && balance.mint === mint);
  if (!found || (owner && found.owner && found.owner !== owner)) return undefined;
  return BigInt(found.uiTokenAmount.amount);
}

function accountsOf({ transaction, meta }: FinalTransaction): string[] {
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  return [...transaction.message.accountKeys, ...writable, ...readonly];
}

const accountForm = z.object({ owner: z.string(), data: z.tuple([z.string(), z.literal("base64")]) }).nullable();

/**
 * Balances of these token accounts in base units, each hundred of them at one finalized slot; null for a missing account.
 * @throws SolanaUnavailable
 */
export async function readTokenBalances(nodes: SolanaNodes, tokenAccounts: readonly string[]): Promise<Map<string, AtSlot<bigint | null>>> {
  const balances = new Map<string, AtSlot<bigint | null>>();
  for (let start = 0; start < tokenAccounts.length; start += MAX_ACCOUNTS_A_CALL) {
    const some = tokenAccounts.slice(start, start + MAX_ACCOUNTS_A_CALL);
    const options = { commitment: "finalized", encoding: "base64", dataSlice: AMOUNT_SLICE, minContextSlot: nodes.leastSlot };
    const { slot, value } = await nodes.callAtSlot("getMultipleAccounts", [some, options], z.array(accountForm).length(some.length));
    for (const [index, tokenAccount] of some.entries()) balances.set(tokenAccount, { slot, value: amountOf(value[index] ?? null) });
  }
  return balances;
}

function amountOf(account: z.output<typeof accountForm>): bigint | null {
  const bytes = Buffer.from(account?.data[0] ?? "", "base64");
  return bytes.length === AMOUNT_SLICE.length ? bytes.readBigUInt64LE() : null;
}
