// The money that the ledger owes: customers' balances, and money here that belongs to no customer: not yet, or not any more.

import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import type { Database } from "@/lib/db/prisma";

/** nano-USD. */
export interface Owed {
  /** Balances including held money; minus debts, which are taken from held money once it is free. */
  customers: NanoUsd;
  /** The part of these at addresses that no account has proved as its own. */
  credits: NanoUsd;
  /** All liability accounts: deposits below the minimum, withdrawals not paid yet, and any other. */
  liabilities: NanoUsd;
  /** Money that accounts received from a source other than the chains. Only a sandbox grants any. */
  granted: NanoUsd;
}

interface Without {
  /** The funding accounts of the chains. */
  chainAccounts: readonly string[];
  /**
   * By account: nano-USD that do not count, since they came in with blocks that cannot be seen yet. If an account has spent a part of them,
   * only the rest is excluded: the spent part is not owed any more.
   */
  unseen: ReadonlyMap<string, bigint>;
}

/** Reads every account once, in the caller's snapshot, in which `unseen` was read too. */
export async function readOwed(snapshot: Database, { chainAccounts, unseen }: Without): Promise<Owed> {
  // Raw: an account counts with its balance minus its debt, and Prisma sums only columns.
  const [all] = await snapshot.$queryRaw<Owed[]>`
    SELECT coalesce(sum(greatest(a.posted - a.debt, 0)) FILTER (WHERE a.kind = 'customer'), 0)::bigint AS customers,
      coalesce(sum(greatest(a.posted - a.debt, 0)) FILTER (WHERE a.kind = 'customer' AND a.id LIKE 'credit:%'), 0)::bigint AS credits,
      coalesce(sum(a.posted) FILTER (WHERE a.kind = 'liability'), 0)::bigint AS liabilities,
      coalesce(-sum(a.posted) FILTER (WHERE a.kind = 'funding' AND a.id <> ALL (${chainAccounts}::text[])), 0)::bigint AS granted
    FROM ledger_account a`;
  if (!all) throw new Error("The database returned no sum.");
  const left = await readLeftOfUnseen(snapshot, unseen);
  return {
    customers: nanoUsd(all.customers - left.customers),
    credits: nanoUsd(all.credits - left.credits),
    liabilities: all.liabilities,
    granted: all.granted,
  };
}

async function readLeftOfUnseen(snapshot: Database, unseen: ReadonlyMap<string, bigint>): Promise<Pick<Owed, "customers" | "credits">> {
  // Raw: there may be more accounts than a statement can have parameters.
  const [left] = await snapshot.$queryRaw<Pick<Owed, "customers" | "credits">[]>`
    SELECT coalesce(sum(greatest(least(a.posted - a.debt, u.amount), 0)), 0)::bigint AS customers,
      coalesce(sum(greatest(least(a.posted - a.debt, u.amount), 0)) FILTER (WHERE a.id LIKE 'credit:%'), 0)::bigint AS credits
    FROM unnest(${[...unseen.keys()]}::text[], ${[...unseen.values()]}::bigint[]) AS u(id, amount) JOIN ledger_account a ON a.id = u.id`;
  return left ?? { customers: ZERO_USD, credits: ZERO_USD };
}
