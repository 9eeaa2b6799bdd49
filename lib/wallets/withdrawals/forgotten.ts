// After a database restore: withdrawals whose payout the database forgot and their chain shows. Until the chain was asked about a
// withdrawal, nobody gets its money back.

import { forEachIsolated } from "@/lib/base/for-each-isolated";
import type { WithdrawalId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";
import { isNodesFault } from "@/lib/relay/chain";
import { wasPaidOnBase } from "./pay-base";
import { wasPaidOnSolana } from "./pay-solana";
import { findWithdrawals, type OpenWithdrawal } from "./withdrawal";

const MAX_ASKED = 1_000;
const AT_ONCE = 8;

/**
 * Asks the chains about every unsigned withdrawal that is older than the last start, once, and books what they show as paid. Returns the
 * withdrawals that it asked about: an owner who waited to cancel one can do so before it is paid.
 */
export async function bookAllForgotten(): Promise<ReadonlySet<WithdrawalId>> {
  const rows = await prisma().$queryRaw<{ id: WithdrawalId; at: Date }[]>`
    SELECT id, clock_timestamp() AS at FROM wallets_forgotten() ORDER BY requested_at, id LIMIT ${MAX_ASKED}`;
  const asked = new Set(rows.map(({ id }) => id));
  const [first] = rows;
  if (!first) return asked;
  const found = await findWithdrawals({ id: { in: [...asked] } }, prisma());
  const book = (withdrawal: OpenWithdrawal) => bookIfPaid(withdrawal, first.at);
  await forEachIsolated(found, book, { what: "withdrawal", atOnce: AT_ONCE, isReported: isNodesFault });
  return asked;
}

/** @param unpaidAt by the database's clock, as the starts that it is compared with */
async function bookIfPaid(withdrawal: OpenWithdrawal, unpaidAt: Date): Promise<void> {
  if (await (withdrawal.chain === "base" ? wasPaidOnBase : wasPaidOnSolana)(withdrawal)) return;
  await prisma().withdrawal.updateMany({ where: { id: withdrawal.id }, data: { unpaidAt } });
}
