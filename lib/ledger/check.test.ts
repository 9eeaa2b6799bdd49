import type { PoolClient } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { setClock } from "@/lib/base/clock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkLedger } from "./check";
import { placeHolds, settleHolds } from "./testing/books";
import type { HoldRequest } from "./testing/model-types";
import { accounts, openTwins } from "./testing/twin";

const database = await openTestDatabase();
const atMs = Date.UTC(2026, 0, 15);
const restoreClock = setClock(() => atMs);
let client: PoolClient;

beforeAll(async () => {
  client = await database.pool.connect();
  await openTwins(client);
  await openBooks(client);
});

afterAll(() => {
  client.release();
  restoreClock();
});

/** One charge that overran, one without a cost, and an open hold that counts in a cap. */
async function openBooks(on: PoolClient): Promise<void> {
  const ask = (request: string, ceiling: bigint, key: string | null): HoldRequest => ({
    request,
    account: accounts[0],
    key,
    ceiling,
    deadlineMs: atMs + 60_000,
    idempotency: null,
    hash: null,
  });
  const credit = JSON.stringify([
    { account: accounts[0], amount: "100" },
    { account: "funding", amount: "-100" },
  ]);
  await on.query("SELECT ledger_post('credit', 'credit', $1, $2)", [credit, new Date(atMs)]);
  await placeHolds(on, [ask("req_1", 10n, `${accounts[0]}_key2`), ask("req_2", 0n, null), ask("req_3", 7n, `${accounts[0]}_key2`)], atMs);
  const settled = { account: accounts[0], charges: true, idempotency: null, body: null };
  await settleHolds(
    on,
    [
      { ...settled, request: "req_1", key: `${accounts[0]}_key2`, ceiling: 10n, inputCost: 4n, outputCost: 8n },
      { ...settled, request: "req_2", key: null, ceiling: 0n, inputCost: 0n, outputCost: 3n },
    ],
    atMs,
  );
  await on.query("SELECT ledger_roll_up(ledger_roll_up_mark(), 1000)");
}

// Every test breaks the books in its own transaction, with the triggers turned off that forbid it.
beforeEach(async () => {
  await client.query("BEGIN; SET LOCAL session_replication_role = replica");
  return async () => {
    await client.query("ROLLBACK");
  };
});

async function reported(): Promise<string[]> {
  const { rows } = await client.query<{ told: string }>("SELECT invariant || ': ' || subject AS told FROM ledger_check($1) ORDER BY 1", [
    new Date(atMs),
  ]);
  return rows.map((row) => row.told);
}

test("clean books have no violations", async () => {
  expect(await reported()).toEqual([]);
});

const sums = "the entries of a transfer sum to zero";
const transferOfEntry = "every entry has its transfer";
const posted = "an account equals the sum of its entries";
const held = "what is held equals the open holds";
const overdue = "no hold outlives its deadline by a minute";
const entriesOf = "every transfer has its entries";
const once = "a request is charged once";
const priced = "a charge is its tokens at its price version";
const capHeld = "what a capped key holds equals its open holds";
const capSpent = "what a capped key spent equals its charges";
const atMost = "a customer pays no more than the ceiling";
const owed = "what an account owes equals its debts";

const corruptions: readonly (readonly [what: string, sql: string, expected: string[]])[] = [
  ["an account was given money from nowhere", "UPDATE ledger_account SET posted = posted + 1 WHERE id = 'acc_a'", [`${posted}: acc_a`]],
  ["money of an account went away", "UPDATE ledger_account SET posted = posted - 1 WHERE id = 'acc_a'", [`${posted}: acc_a`]],
  ["revenue was made up", "UPDATE ledger_account SET posted = posted + 1 WHERE id = 'revenue'", [`${posted}: revenue`]],
  ["a roll-up was forgotten", "UPDATE ledger_account SET rolled_up_to = 0 WHERE id = 'operator_loss'", [`${posted}: operator_loss`]],
  ["an account was removed", "DELETE FROM ledger_account WHERE id = 'acc_a'", [`${posted}: acc_a`, `${held}: acc_a`]],
  ["an account holds too much", "UPDATE ledger_account SET held = held + 1 WHERE id = 'acc_a'", [`${held}: acc_a`]],
  [
    "an account without holds holds something",
    "UPDATE ledger_account SET posted = 1, held = 1 WHERE id = 'acc_b'",
    [`${posted}: acc_b`, `${held}: acc_b`],
  ],
  ["a hold was removed", "DELETE FROM hold WHERE request_id = 'req_3'", [`${capHeld}: acc_a_key2`, `${held}: acc_a`]],
  ["a hold was made larger", "UPDATE hold SET ceiling = 8 WHERE request_id = 'req_3'", [`${capHeld}: acc_a_key2`, `${held}: acc_a`]],
  [
    "a hold was moved to another account",
    "UPDATE hold SET account_id = 'acc_b' WHERE request_id = 'req_3'",
    [`${held}: acc_a`, `${held}: acc_b`],
  ],
  ["a hold of nobody", "UPDATE hold SET account_id = 'acc_x' WHERE request_id = 'req_3'", [`${held}: acc_a`, `${held}: acc_x`]],
  ["a hold was forgotten by the reaper", "UPDATE hold SET deadline = deadline - interval '121 seconds'", [`${overdue}: req_3`]],
  [
    "an entry was changed",
    "UPDATE entry SET amount = amount + 1 WHERE transfer_id = 'credit' AND account_id = 'funding'",
    [`${posted}: funding`, `${sums}: credit`],
  ],
  [
    "an entry was removed",
    "DELETE FROM entry WHERE transfer_id = 'credit' AND account_id = 'acc_a'",
    [`${posted}: acc_a`, `${sums}: credit`],
  ],
  [
    "a balanced pair of entries was made up",
    "INSERT INTO entry (transfer_id, account_id, amount) VALUES ('credit', 'acc_b', 5), ('credit', 'acc_c', -5)",
    [`${posted}: acc_b`, `${posted}: acc_c`],
  ],
  [
    "an entry of an account that does not exist",
    "UPDATE entry SET account_id = 'acc_x' WHERE transfer_id = 'credit' AND account_id = 'acc_a'",
    [`${posted}: acc_a`, `${posted}: acc_x`],
  ],
  ["a transfer was removed", "DELETE FROM transfer WHERE id = 'credit'", [`${transferOfEntry}: credit`, `${transferOfEntry}: credit`]],
  [
    "the entries of a transfer were removed",
    "DELETE FROM entry WHERE transfer_id = 'credit'",
    [`${entriesOf}: credit`, `${posted}: acc_a`, `${posted}: funding`],
  ],
  [
    "a charge was removed",
    "DELETE FROM charge WHERE request_id = 'req_1'",
    [`${posted}: acc_a`, `${posted}: operator_loss`, `${posted}: revenue`, `${capSpent}: acc_a_key2`],
  ],
  [
    "a charge borne wholly by the operator was removed",
    "DELETE FROM charge WHERE request_id = 'req_2'",
    [`${posted}: operator_loss`, `${posted}: revenue`],
  ],
  [
    "a charge was moved to another account",
    "UPDATE charge SET account_id = 'acc_b' WHERE request_id = 'req_1'",
    [`${posted}: acc_a`, `${posted}: acc_b`],
  ],
  [
    "a request was charged to a second account",
    `INSERT INTO charge OVERRIDING SYSTEM VALUE
       SELECT (jsonb_populate_record(c, '{"account_id": "acc_b"}')).* FROM charge c WHERE request_id = 'req_2'`,
    [`${once}: req_2`, `${posted}: operator_loss`, `${posted}: revenue`],
  ],
  [
    "a charge's cost was lowered",
    "UPDATE charge SET output_cost = output_cost - 1 WHERE request_id = 'req_1'",
    [`${posted}: acc_a`, `${posted}: revenue`, `${priced}: req_1`, `${capSpent}: acc_a_key2`],
  ],
  [
    "a loss was hidden",
    "UPDATE charge SET operator_loss = 0 WHERE request_id = 'req_1'",
    [`${posted}: operator_loss`, `${posted}: revenue`, `${priced}: req_1`],
  ],
  [
    "a loss was hidden together with its tokens",
    "UPDATE charge SET operator_loss = 0, tokens[2] = 6 WHERE request_id = 'req_1'",
    [`${posted}: operator_loss`, `${posted}: revenue`],
  ],
  ["tokens were made up", "UPDATE charge SET tokens[1] = tokens[1] + 1 WHERE request_id = 'req_1'", [`${priced}: req_1`]],
  ["a price was changed afterwards", "UPDATE price_version SET output_price = 2", [`${priced}: req_1`, `${priced}: req_2`]],
  ["a price was removed", "DELETE FROM price_version", [`${priced}: req_1`, `${priced}: req_2`]],
  ["a capped key holds too little", "UPDATE key_spend SET held = held - 1", [`${capHeld}: acc_a_key2`]],
  [
    "a capped key holds an amount for another day",
    "INSERT INTO key_spend VALUES ('acc_b_key2', 'day', '2026-01-14', 0, 1)",
    [`${capHeld}: acc_b_key2`],
  ],
  ["a capped key's spending was removed", "DELETE FROM key_spend", [`${capHeld}: acc_a_key2`, `${capSpent}: acc_a_key2`]],
  ["a capped key spent too little", "UPDATE key_spend SET spent = spent - 1", [`${capSpent}: acc_a_key2`]],
  ["a capped key spent too much", "UPDATE key_spend SET spent = spent + 1", [`${capSpent}: acc_a_key2`]],
  [
    "a capped key has spend in another period",
    "INSERT INTO key_spend VALUES ('acc_b_key2', 'day', '2026-01-14', 1, 0)",
    [`${capSpent}: acc_b_key2`],
  ],
  ["a charge names no period though it counted in one", "UPDATE charge SET period = NULL", [`${capSpent}: acc_a_key2`]],
  [
    "a charge names a period that it was not counted in",
    "UPDATE charge SET period = 'week' WHERE request_id = 'req_1'",
    [`${capSpent}: acc_a_key2`, `${capSpent}: acc_a_key2`],
  ],
  [
    "a charge names a key that it was not counted for",
    "UPDATE charge SET key_id = 'acc_a_key1' WHERE request_id = 'req_1'",
    [`${capSpent}: acc_a_key1`, `${capSpent}: acc_a_key2`],
  ],
  ["a customer paid more than was held", "UPDATE charge SET ceiling = 9 WHERE request_id = 'req_1'", [`${atMost}: req_1`]],
  [
    "a customer paid what the operator bore",
    "UPDATE charge SET output_cost = output_cost + operator_loss, operator_loss = 0 WHERE request_id = 'req_1'",
    [`${atMost}: req_1`, `${capSpent}: acc_a_key2`, `${posted}: acc_a`, `${posted}: operator_loss`],
  ],
  ["an account owes what it has no debt for", "UPDATE ledger_account SET debt = 1 WHERE id = 'acc_a'", [`${owed}: acc_a`]],
  [
    "a debt that its account does not include",
    "INSERT INTO debt VALUES ('credit', 'acc_a', 'operator_loss', 5, now())",
    [`${owed}: acc_a`],
  ],
  ["a debt of nobody", "INSERT INTO debt VALUES ('credit', 'acc_x', 'operator_loss', 5, now())", [`${owed}: acc_x`]],
];

test.each(corruptions)("reported: %s", async (_what, sql, expected) => {
  await client.query(sql);
  expect(await reported()).toEqual([...expected].sort());
});

const laterCorruptions: readonly (readonly [what: string, sql: string])[] = [
  ["it spent too little", "UPDATE key_spend SET spent = spent - 1 WHERE key_id = 'acc_a_key1'"],
  ["it spent too much", "UPDATE key_spend SET spent = spent + 1 WHERE key_id = 'acc_a_key1'"],
  ["a charge from before was forgotten", "DELETE FROM charge WHERE request_id = 'req_before'"],
  ["a charge from after was forgotten", "DELETE FROM charge WHERE request_id = 'req_after'"],
  ["counted charges are counted again", "UPDATE key_spend SET counted_up_to = 0 WHERE key_id = 'acc_a_key1'"],
  ["charges not counted yet are treated as counted", "UPDATE key_spend SET counted_up_to = 0, spent = 3 WHERE key_id = 'acc_a_key1'"],
];

/** The key's cap is set between two charges, of 3 and 4. */
async function openPeriodLater(): Promise<void> {
  const key = `${accounts[0]}_key1`;
  const charge = async (request: string, cost: bigint) => {
    const ask = { request, account: accounts[0], key, ceiling: cost, idempotency: null };
    await placeHolds(client, [{ ...ask, hash: null, deadlineMs: atMs + 60_000 }], atMs);
    await settleHolds(client, [{ ...ask, inputCost: cost, outputCost: 0n, charges: true, body: null }], atMs);
  };
  await charge("req_before", 3n);
  await client.query("UPDATE api_key SET cap_nano_usd = 50, cap_period = 'total' WHERE id = $1", [key]);
  await client.query("SELECT ledger_open_key_spend($1, $2, 'total', to_timestamp(0), 0, 0)", [accounts[0], key]);
  await charge("req_after", 4n);
}

test("a period opened after its key was used is proved by the charges before and after its opening", async () => {
  await openPeriodLater();
  const { rows } = await client.query("SELECT spent FROM key_spend WHERE key_id = 'acc_a_key1'");
  expect(rows).toEqual([{ spent: 7n }]);
  expect(await reported()).toEqual([]);
});

test.each(laterCorruptions)("reported of a period opened after its key was used: %s", async (_what, sql) => {
  await openPeriodLater();
  await client.query(sql);
  expect(await reported()).toContain(`${capSpent}: acc_a_key1`);
});

test("a violation has the expected and the actual value", async () => {
  await client.query("UPDATE ledger_account SET posted = posted + 5 WHERE id = 'funding'");
  await client.query("COMMIT");
  expect(await checkLedger()).toEqual([{ invariant: posted, subject: "funding", expected: "-100", actual: "-95" }]);
  await client.query("BEGIN; UPDATE ledger_account SET posted = posted - 5 WHERE id = 'funding'; COMMIT");
  expect(await checkLedger()).toEqual([]);
});

test.each(["transfer", "entry", "charge", "price_version"])(
  "rows that were written to %s cannot be changed, deleted or truncated",
  async (table) => {
    await client.query("SET LOCAL session_replication_role = origin");
    const column = { transfer: "kind = kind", entry: "amount = amount", charge: "model = model", price_version: "model = model" }[table];
    for (const sql of [
      `UPDATE ${table} SET ${column}`,
      `UPDATE ${table} SET ${column} WHERE false`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
    ]) {
      await client.query("SAVEPOINT before");
      await expect(client.query(sql)).rejects.toThrow(`${table} is immutable: correct a mistake with a new transfer`);
      await client.query("ROLLBACK TO before");
    }
  },
);

test("no statement can take a customer's balance or available amount below zero", async () => {
  for (const sql of [
    "UPDATE ledger_account SET posted = held - 1 WHERE id = 'acc_a'",
    "UPDATE ledger_account SET held = posted + 1 WHERE id = 'acc_a'",
    "UPDATE ledger_account SET held = -1 WHERE id = 'acc_a'",
  ]) {
    await client.query("SAVEPOINT before");
    await expect(client.query(sql)).rejects.toMatchObject({ code: "23514" });
    await client.query("ROLLBACK TO before");
  }
});
