// Whether the account of a joining wallet may be absorbed, and its absorption. An account is unused when it never had money, keys or history.

import { absorbAccount, findObstacle, lockForAbsorption, type Obstacle } from "@/lib/access/absorption";
import type { AccountId } from "@/lib/base/ids";
import type { Wallet } from "@/lib/chains/wallet";
import { type Database, prisma, type Transaction } from "@/lib/db/prisma";
import { isUnused } from "@/lib/ledger/accounts";
import { hasPayments } from "@/lib/payments/claims/payment-list";
import { hasDeposits } from "@/lib/wallets/deposits/deposit";
import { hasFaucetGift } from "../deposit/faucet";

export type AbsorbRefusal = { reason: `joining_${Obstacle}` };

/** An account and its only wallet. */
export interface Joining {
  accountId: AccountId;
  wallet: Wallet;
}

/** Why the account may not be absorbed; null when it may. Withdrawals need no question: each moved money of the ledger. */
export async function findAbsorbRefusal({ accountId, wallet }: Joining, database: Database = prisma()): Promise<AbsorbRefusal | null> {
  const obstacle = await findObstacle(accountId, database);
  if (obstacle) return { reason: `joining_${obstacle}` };
  const isUsed =
    !(await isUnused(accountId, database)) ||
    (await hasDeposits(accountId, database)) ||
    (await hasPayments(accountId, [wallet], database)) ||
    (await hasFaucetGift(accountId, database));
  return isUsed ? { reason: "joining_used" } : null;
}

/** Merges the account into another one, unless it is used by now. The caller has locked its wallet. */
export async function absorb(joining: Joining, into: AccountId, transaction: Transaction): Promise<AbsorbRefusal | null> {
  await lockForAbsorption(joining.accountId, transaction);
  const refusal = await findAbsorbRefusal(joining, transaction);
  if (!refusal) await absorbAccount(joining.accountId, into, transaction);
  return refusal;
}
