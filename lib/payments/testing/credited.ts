// Payments that are claimed and credited without a signature, for tests of the books.

import { randomBytes } from "node:crypto";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import type { WalletChain } from "@/lib/chains/wallet";
import type { PaymentId } from "../claims/claim";
import { claimPayment } from "../claims/claim-payment";
import { creditPayment, recordBlock, reversePayment } from "../claims/claim-steps";
import { networkOf } from "../claims/networks";

interface Wish {
  chain: WalletChain;
  /** In its stored spelling. */
  payer: string;
  /** nano-USD, a whole number of USDC units. */
  amount: bigint;
  /** The account of the key that a proof came with; null for x402. */
  accountId?: AccountId | null;
}

/** Returns the claim's id. */
export async function claimed({ chain, payer, amount, accountId = null }: Wish): Promise<string> {
  const scheme = accountId !== null ? "proof" : chain === "evm" ? "exact_evm" : "exact_svm";
  const taken = await claimPayment({
    scheme,
    network: networkOf(chain),
    payer,
    nonce: randomBytes(16).toString("hex"),
    amount: nanoUsd(amount),
    accountId,
    keyId: null,
    idempotencyKey: null,
    identifier: null,
    bodyHash: randomBytes(32),
    validUntil: new Date(now().getTime() + 60_000),
    settlement: {},
  });
  if (taken.kind !== "claimed") throw new Error(taken.kind);
  return taken.claim.id;
}

/** Returns the account that was credited. */
export async function creditIn(block: number, claimId: string, transaction = randomBytes(32).toString("hex")): Promise<AccountId> {
  return creditPayment({ id: claimId as PaymentId }, { transaction, block });
}

export async function paidIn(block: number, wish: Wish): Promise<string> {
  const id = await claimed(wish);
  await creditIn(block, id);
  return id;
}

export const finalIn = (block: number, claimId: string) => recordBlock({ id: claimId as PaymentId }, { transaction: "final", block }, true);

/** Returns the part that was spent; null when there was nothing to take back. */
export const reversed = (claimId: string): Promise<bigint | null> => reversePayment({ id: claimId as PaymentId });
