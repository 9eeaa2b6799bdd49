// The balance of an account, and marks that change when its pages do.

import { assert } from "@/lib/base/assert";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { prisma } from "@/lib/db/prisma";
import type { AccountMarks, AccountView } from "../views/account";

type Row = AccountMarks & { account: AccountId; readAtMs: bigint; available: bigint; reserved: bigint };

/** Reads any number of accounts in one statement. */
export async function readAccountViews(accountIds: readonly AccountId[]): Promise<Map<AccountId, AccountView>> {
  const rows = await prisma().$queryRaw<Row[]>`
    SELECT account, read_at_ms AS "readAtMs", available, reserved, charges, keys, deposits, withdrawals, events
    FROM console_account_views(${[...accountIds]}::text[], ${now()}::timestamptz)`;
  return new Map(
    rows.map(({ account, readAtMs, available, reserved, ...marks }) => [
      account,
      { readAtMs: Number(readAtMs), available, reserved, marks },
    ]),
  );
}

export async function readAccountView(accountId: AccountId): Promise<AccountView> {
  const view = (await readAccountViews([accountId])).get(accountId);
  assert(view, "a ledger account is opened with its owner");
  return view;
}

/** As JSON; amounts are whole nano-USD, as text: a JSON number would be rounded. */
export const accountText = (view: AccountView): string =>
  JSON.stringify({ ...view, available: view.available.toString(), reserved: view.reserved.toString() });
