// What the ledger owes: customers' balances, and money that came in and is no customer's yet, or none's any more and still here.

import { type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import type { Database } from "@/lib/db/prisma";

/** nano-USD. */
export interface Owed {
  /** Balances, what is held included; less debts, which are taken out of what is held once that is free. */
  customers: NanoUsd;
  /** Of these, what lies at addresses that no account has proved as its own. */
  credits: NanoUsd;
  /** All liability accounts: deposits below the minimum, withdrawals that are not paid yet, whatever comes. */
  liabilities: NanoUsd;
  /** What accounts were given that came over none of the chains. Only a sandbox does that. */
  granted: NanoUsd;
}

interface Without {
  /** Accounts that money comes from over a chain. */
  chainAccounts: readonly string[];
  /**
   * nano-USD by account that do not count, since they came in with what cannot be seen yet. Of an account that has spent of them
   * only what is left does not: what it spent was no debt any more.
   */
  unseen: ReadonlyMap<string, bigint>;
}

/** Reads every account once. In the caller's snapshot, in which what is unseen was read as well. */
export async function readOwed(snapshot: Database, { chainAccounts, unseen }: Without): Promise<Owed> {
  // Raw: an account counts with what it has less its debt, and Prisma sums columns alone.
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
  // Raw: there may be more accounts than a statement may have parameters.
  const [left] = await snapshot.$queryRaw<Pick<Owed, "customers" | "credits">[]>`
    SELECT coalesce(sum(greatest(least(a.posted - a.debt, u.amount), 0)), 0)::bigint AS customers,
      coalesce(sum(greatest(least(a.posted - a.debt, u.amount), 0)) FILTER (WHERE a.id LIKE 'credit:%'), 0)::bigint AS credits
    FROM unnest(${[...unseen.keys()]}::text[], ${[...unseen.values()]}::bigint[]) AS u(id, amount) JOIN ledger_account a ON a.id = u.id`;
  return left ?? { customers: ZERO_USD, credits: ZERO_USD };
}
