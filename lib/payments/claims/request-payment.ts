// The receipt of a request together with the payment that came with it, for the account whose key carried both.

import type { AccountId, KeyId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import { prisma } from "@/lib/db/prisma";
import { type ChargeReceipt, findReceipt, type HoldReceipt } from "@/lib/ledger/receipt";
import type { PaymentId, PaymentScheme, PaymentState } from "./claim";

export interface RequestPayment {
  id: PaymentId;
  scheme: PaymentScheme;
  /** CAIP-2. */
  network: string;
  payer: string;
  nonce: string;
  amount: NanoUsd;
  /** The key that it came with; null for a signed-in caller. */
  keyId: KeyId | null;
  state: PaymentState;
  /** The account that the money was credited to, and that the request was charged to. */
  creditedAccount: AccountId | null;
  transaction: string | null;
}

interface PaymentReceipt {
  receipt: ChargeReceipt | HoldReceipt;
  /** The key that the request came with; null for a signed-in caller. */
  keyId: KeyId | null;
  /** Null when a balance paid, or while the request is in progress on the account's own money. */
  payment: RequestPayment | null;
}

/** Null for a request that is not the account's, or that failed and was not charged; `requestId` may be any text. */
export async function findPaidReceipt(accountId: AccountId, requestId: string): Promise<PaymentReceipt | null> {
  const own = await findReceipt(accountId, requestId);
  const isPaidApart = own === null || (own.state === "charged" && own.paidBy !== "balance");
  const payment = isPaidApart ? await findRequestPayment(accountId, requestId) : null;
  // The credit of a wallet outside the account paid: the request still belongs to the account whose key came with it.
  const found = own ?? (payment?.creditedAccount ? await findReceipt(payment.creditedAccount, requestId) : null);
  return found && { receipt: found, keyId: found.keyId ?? payment?.keyId ?? null, payment };
}

/** Null when the account has no such request, or it came without a payment; `requestId` may be any text. */
async function findRequestPayment(accountId: AccountId, requestId: string): Promise<RequestPayment | null> {
  const row = await prisma().paymentClaim.findFirst({ where: { accountId, requestId }, select: columns });
  if (!row) return null;
  return {
    ...row,
    id: row.id as PaymentId,
    scheme: row.scheme as PaymentScheme,
    amount: nanoUsd(row.amount),
    keyId: row.keyId as KeyId | null,
    state: row.state as PaymentState,
    creditedAccount: row.creditedAccount as AccountId | null,
  };
}

const columns = {
  id: true,
  scheme: true,
  network: true,
  payer: true,
  nonce: true,
  amount: true,
  keyId: true,
  state: true,
  creditedAccount: true,
  transaction: true,
} as const;
