// The end of a case: compares the ledger's tables with the reference, sum by sum, and the money that came in with where it is.

import { expect } from "vitest";
import { reversalLosses, type Twin } from "./twin";

interface AccountRow {
  id: string;
  kind: string;
  posted: bigint;
  held: bigint;
  debt: bigint;
}

/** Rolls up, then compares every table of the ledger with the model. */
export async function expectSameBooks({ client, model }: Twin): Promise<void> {
  await client.query("SELECT ledger_roll_up(ledger_roll_up_mark(), 1000000000)");
  const { rows: accounts } = await client.query<AccountRow>("SELECT id, kind, posted, held, debt FROM ledger_account");
  const customers = accounts.filter((row) => row.kind === "customer");
  expect(Object.fromEntries(customers.map((row) => [row.id, { posted: row.posted, held: row.held, debt: row.debt }]))).toEqual(
    Object.fromEntries(
      [...model.accounts].map(([id, { posted, held, debts }]) => [id, { posted, held, debt: debts.reduce((all, one) => all + one, 0n) }]),
    ),
  );
  const posted = (id: string) => accounts.find((row) => row.id === id)?.posted ?? 0n;
  expect({
    revenue: posted("revenue"),
    losses: -posted("operator_loss"),
    cameIn: -posted("funding"),
    reversed: -posted(reversalLosses),
  }).toEqual({
    revenue: model.revenue,
    losses: model.losses,
    cameIn: model.cameIn,
    reversed: model.reversed,
  });
  const owed = customers.reduce((sum, row) => sum + row.posted, 0n);
  expect(owed + posted("revenue") + posted("operator_loss") + posted(reversalLosses)).toBe(-posted("funding"));
  for (const row of customers) expect(row.posted - row.held >= 0n).toBe(true);
  await expectSameHolds({ client, model });
  await expectSameCharges({ client, model });
}

type Books = Pick<Twin, "client" | "model">;

async function expectSameHolds({ client, model }: Books): Promise<void> {
  const { rows: holds } = await client.query<Record<string, unknown>>(
    `SELECT request_id AS request, account_id AS account, key_id AS key, ceiling, period,
       extract(epoch FROM period_start)::float8 * 1000 AS "periodStart" FROM hold ORDER BY request_id`,
  );
  const { rows: spends } = await client.query<Record<string, unknown>>(
    `SELECT key_id AS key, period, extract(epoch FROM period_start)::float8 * 1000 AS "periodStart", spent, held
     FROM key_spend ORDER BY 1, 2, 3`,
  );
  const { rows: claims } = await client.query<Record<string, unknown>>(
    "SELECT account_id || ' ' || idempotency_key AS name, request_id AS request, body FROM idempotent_reply ORDER BY 1",
  );
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
  const modelHolds = [...model.holds.values()].map(({ request, account, key, ceiling, period, periodStart }) => ({
    request,
    account,
    key,
    ceiling,
    period,
    periodStart,
  }));
  expect(holds).toEqual(modelHolds.sort((one, other) => (one.request < other.request ? -1 : 1)));
  const order = (row: Record<string, unknown>) => `${row.key} ${row.period} ${String(row.periodStart).padStart(15, "0")}`;
  const sorted = (rows: Record<string, unknown>[]) => rows.sort((one, other) => (order(one) < order(other) ? -1 : 1));
  expect(sorted(spends)).toEqual(sorted([...model.spends.values()].map((row) => ({ ...row }))));
  expect(claims).toEqual([...model.claims].map(([name, { request, body }]) => ({ name, request, body })).sort(byName));
}

async function expectSameCharges({ client, model }: Books): Promise<void> {
  const { rows } = await client.query<Record<string, unknown>>(
    "SELECT request_id AS request, account_id AS account, key_id AS key, input_cost AS input, output_cost AS output, operator_loss AS loss, late, period FROM charge ORDER BY 1",
  );
  const charges = [...model.charges].map(([request, { atMs: _, ...charge }]) => ({ request, ...charge }));
  expect(rows).toEqual(charges.sort((one, other) => (one.request < other.request ? -1 : 1)));
}
