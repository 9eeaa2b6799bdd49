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
  /** That it came with; null of a caller that is signed in. */
  keyId: KeyId | null;
  state: PaymentState;
  /** Where the money was credited, and the request was charged. */
  creditedAccount: AccountId | null;
  transaction: string | null;
}

interface PaymentReceipt {
  receipt: ChargeReceipt | HoldReceipt;
  /** That the request came with; null of a caller that is signed in. */
  keyId: KeyId | null;
  /** Null when a balance paid, or while it is under way on the account's own money. */
  payment: RequestPayment | null;
}

/** Null for a request that is not the account's, or that failed and was not charged; `requestId` may be any text. */
export async function findPaidReceipt(accountId: AccountId, requestId: string): Promise<PaymentReceipt | null> {
  const own = await findReceipt(accountId, requestId);
  const isPaidApart = own === null || (own.state === "charged" && own.paidBy !== "balance");
  const payment = isPaidApart ? await findRequestPayment(accountId, requestId) : null;
  // A stranger's wallet paid from its own credit: the request is still of the account whose key carried it.
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
  ...{ id: true, scheme: true, network: true, payer: true, nonce: true, amount: true },
  ...{ keyId: true, state: true, creditedAccount: true, transaction: true },
} as const;
