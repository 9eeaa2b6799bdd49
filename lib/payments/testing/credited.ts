// Payments that are claimed and credited without a signature, for tests of the books.

import { randomBytes } from "node:crypto";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import type { WalletChain } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { claimPayment } from "../claims/claim";
import { networkOf } from "../claims/networks";

interface Wish {
  chain: WalletChain;
  /** As it is stored. */
  payer: string;
  /** nano-USD, of whole units of USDC. */
  amount: bigint;
  /** Of the key that a proof came with; null for x402. */
  accountId?: AccountId | null;
}

/** Returns the claim's id. */
export async function claimed({ chain, payer, amount, accountId = null }: Wish): Promise<string> {
  const scheme = accountId !== null ? "proof" : chain === "evm" ? "exact_evm" : "exact_svm";
  const taken = await claimPayment({
    ...{ scheme, network: networkOf(chain), payer, nonce: randomBytes(16).toString("hex"), amount: nanoUsd(amount), accountId },
    ...{ keyId: null, idempotencyKey: null, bodyHash: randomBytes(32), validUntil: new Date(now().getTime() + 60_000), settlement: {} },
  });
  if (taken.kind !== "claimed") throw new Error(taken.kind);
  return taken.claim.id;
}

/** Returns the account that has it. */
export async function creditIn(block: number, claimId: string, transaction = randomBytes(32).toString("hex")): Promise<AccountId> {
  const { rows } = await pool().query<{ account: AccountId }>("SELECT payments_credit($1, $2, $3, $4) AS account", [
    ...[claimId, transaction, block, now()],
  ]);
  if (!rows[0]) throw new Error("nothing was credited");
  return rows[0].account;
}

export async function paidIn(block: number, wish: Wish): Promise<string> {
  const id = await claimed(wish);
  await creditIn(block, id);
  return id;
}

export const finalIn = (block: number, claimId: string) =>
  pool().query("SELECT payments_note_block($1, 'final', $2, true)", [claimId, block]);

/** Returns what had been spent; null when there was nothing to take back. */
export async function reversed(claimId: string): Promise<bigint | null> {
  const { rows } = await pool().query<{ lost: bigint | null }>("SELECT payments_reverse($1, $2) AS lost", [claimId, now()]);
  return rows[0]?.lost ?? null;
}
