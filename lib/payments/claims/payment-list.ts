// The payments that an account may see: those that came with one of its keys, and those that its wallets paid.

import type { AccountId, RequestId } from "@/lib/base/ids";
import { type NanoUsd, nanoUsd } from "@/lib/base/money";
import type { SettleFailure } from "@/lib/chains/payment-failure";
import type { Wallet } from "@/lib/chains/wallet";
import { type Database, prisma } from "@/lib/db/prisma";
import type { PaymentId, PaymentScheme, PaymentState } from "./claim";
import { networkOf } from "./networks";

export interface ListedPayment {
  id: PaymentId;
  scheme: PaymentScheme;
  /** CAIP-2. */
  network: string;
  payer: string;
  amount: NanoUsd;
  state: PaymentState;
  failure: SettleFailure | null;
  /** The account that the money was credited to; of a covered payment, the credit that paid. */
  creditedAccount: AccountId | null;
  transaction: string | null;
  /** Nothing can undo it. */
  isFinal: boolean;
  /** The last request that was held from it. */
  requestId: RequestId | null;
  claimedAt: Date;
}

interface PaymentPage {
  limit: number;
  /** The last payment of the previous page. */
  after?: Pick<ListedPayment, "claimedAt" | "id">;
}

/** Newest first. `wallets` are the account's proved wallets. */
export async function listPayments(
  accountId: AccountId,
  wallets: readonly Wallet[],
  { limit, after }: PaymentPage,
): Promise<ListedPayment[]> {
  const isOwn = ownedBy(accountId, wallets);
  const isAfter = after && [{ claimedAt: { lt: after.claimedAt } }, { claimedAt: after.claimedAt, id: { lt: after.id } }];
  const rows = await prisma().paymentClaim.findMany({
    where: { AND: [{ OR: isOwn }, ...(isAfter ? [{ OR: isAfter }] : [])] },
    select: columns,
    orderBy: [{ claimedAt: "desc" }, { id: "desc" }],
    take: limit,
  });
  return rows.map(({ finalized, ...row }) => ({
    ...row,
    id: row.id as PaymentId,
    scheme: row.scheme as PaymentScheme,
    amount: nanoUsd(row.amount),
    state: row.state as PaymentState,
    failure: row.failure as SettleFailure | null,
    creditedAccount: row.creditedAccount as AccountId | null,
    requestId: row.requestId as RequestId | null,
    isFinal: finalized,
  }));
}

const ownedBy = (accountId: AccountId, wallets: readonly Wallet[]) => [
  { accountId },
  ...wallets.map(({ chain, address }) => ({ network: networkOf(chain), payer: address })),
];

/** Whether there was ever a payment, in any state, that the account may see. */
export async function hasPayments(accountId: AccountId, wallets: readonly Wallet[], database: Database): Promise<boolean> {
  return (await database.paymentClaim.findFirst({ where: { OR: ownedBy(accountId, wallets) }, select: { id: true } })) !== null;
}

const columns = {
  id: true,
  scheme: true,
  network: true,
  payer: true,
  amount: true,
  state: true,
  failure: true,
  creditedAccount: true,
  transaction: true,
  finalized: true,
  requestId: true,
  claimedAt: true,
} as const;
