// After a database restore: withdrawals whose payout the database forgot, and their chain shows. Until it was asked about one, nothing is given
// back for it, whoever wants that.

import { now } from "@/lib/base/clock";
import { forEachIsolated } from "@/lib/base/for-each-isolated";
import type { WithdrawalId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";
import { isNodesFault } from "@/lib/relay/chain";
import { wasPaidOnBase } from "./pay-base";
import { wasPaidOnSolana } from "./pay-solana";
import { findWithdrawals, type OpenWithdrawal } from "./withdrawal";

const MAX_ASKED = 1_000;
const AT_ONCE = 8;

/** Asks the chains about every unsigned withdrawal that is older than the last start, once, and books what they show as paid. */
export async function bookForgotten(): Promise<void> {
  const rows = await prisma().$queryRaw<{ id: WithdrawalId }[]>`
    SELECT id FROM wallets_forgotten() ORDER BY requested_at, id LIMIT ${MAX_ASKED}`;
  if (rows.length === 0) return;
  const found = await findWithdrawals({ id: { in: rows.map(({ id }) => id) } }, prisma());
  await forEachIsolated(found, bookIfPaid, { what: "withdrawal", atOnce: AT_ONCE, isReported: isNodesFault });
}

async function bookIfPaid(withdrawal: OpenWithdrawal): Promise<void> {
  const unpaidAt = now();
  if (await (withdrawal.chain === "base" ? wasPaidOnBase : wasPaidOnSolana)(withdrawal)) return;
  await prisma().withdrawal.updateMany({ where: { id: withdrawal.id }, data: { unpaidAt } });
}
