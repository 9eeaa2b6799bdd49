// The check of payments against the books: it finds nothing while nothing is wrong, and reports every manual corruption.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import type { Transaction } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { claimed, creditIn, finalIn, paidIn, reversed } from "../testing/credited";
import { checkPayments } from "./check";

const database = await openTestDatabase();
const USD = 1_000_000_000n;
let client: Transaction;
/** Claim ids, by the names that the tests use. */
const ids: Record<string, string> = {};
let credit: AccountId;

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;

beforeAll(async () => {
  await openFunding();
  client = await database.pool.connect();
  const payer = addressOf(1);
  ids.claimed = await claimed({ chain: "evm", payer, amount: USD });
  ids.paid = await claimed({ chain: "evm", payer, amount: 2n * USD });
  credit = await creditIn(7, ids.paid);
  ids.final = await paidIn(8, { chain: "evm", payer, amount: 3n * USD });
  await finalIn(9, ids.final);
  ids.reversed = await paidIn(9, { chain: "evm", payer: addressOf(2), amount: 4n * USD });
  await reversed(ids.reversed);
  ids.again = await paidIn(9, { chain: "solana", payer: "So11111111111111111111111111111111111111112", amount: 5n * USD });
  await reversed(ids.again);
  await creditIn(12, ids.again);
  const owner = await fundedAccount(0n);
  await client.query("INSERT INTO identity (chain, address, account_id, linked_at, is_first) VALUES ('evm', $1, $2, now(), true)", [
    ...[addressOf(3), owner],
  ]);
  ids.owned = await paidIn(10, { chain: "evm", payer: addressOf(3), amount: 6n * USD, accountId: owner });
});
afterAll(() => client.release());

// Every test corrupts the books in its own transaction, with the triggers that forbid it turned off.
beforeEach(async () => {
  await client.query("BEGIN; SET LOCAL session_replication_role = replica");
  return async () => {
    await client.query("ROLLBACK");
  };
});

async function reported(): Promise<string[]> {
  const { rows } = await client.query<{ told: string }>("SELECT invariant || ': ' || subject AS told FROM payments_check()");
  return rows.map(({ told }) => told).sort();
}

test("payments in every state, reversed and paid again, agree with the books", async () => {
  expect(await reported()).toEqual([]);
  expect(await checkPayments()).toEqual([]);
  expect(await checkBooks()).toEqual([]);
});

const cameIn = "a payment came in whole while it is paid, and only then";
const went = "a payment went to the account that it was credited to";
const takenBack = "a payment was taken back whole when it was reversed, and only then";
const orphan = "a transfer that is a payment has its claim";
const final = "a payment is final when its money is";
const block = "a payment is in the block that its money came in";
const nothing = "of a payment that is not paid nothing may go again";
const named = "a credit is named by an address of a chain";
const customers = "a credit is a customer's, and never negative";

const asPaid = "state = 'paid', credited_account = 'x', transaction = 'x', block = 1, paid_at = now()";

/** `$name` stands for the id of that claim, `$credit` for the first payer's. */
const corruptions: readonly (readonly [what: string, sql: string, told: readonly string[]])[] = [
  [
    "a claim that was never paid is marked paid",
    `UPDATE payment_claim SET ${asPaid} WHERE id = '$claimed'`,
    [`${cameIn}: payment_$claimed`, `${went}: payment_$claimed`, `${final}: payment_$claimed`, `${block}: payment_$claimed`],
  ],
  [
    "a payment is marked failed, so that it can be paid again",
    "UPDATE payment_claim SET state = 'failed', failure = 'expired' WHERE id = '$paid'",
    [`${cameIn}: payment_$paid`, `${nothing}: payment_$paid`],
  ],
  [
    "a payment is marked covered",
    "UPDATE payment_claim SET state = 'covered' WHERE id = '$final'",
    [`${cameIn}: payment_$final`, `${nothing}: payment_$final`],
  ],
  [
    "a payment is marked reversed, and its money stays",
    "UPDATE payment_claim SET state = 'reversed', times_reversed = 1 WHERE id = '$owned'",
    [`${takenBack}: payment_reversal_$owned_0`, `${nothing}: payment_$owned`],
  ],
  [
    "a reversed payment is marked paid",
    "UPDATE payment_claim SET state = 'paid', times_reversed = 0 WHERE id = '$reversed'",
    [`${takenBack}: payment_reversal_$reversed_0`, `${final}: payment_$reversed`, `${block}: payment_$reversed`],
  ],
  [
    "a payment's amount differs from its credit",
    "UPDATE payment_claim SET amount = amount + 1000 WHERE id = '$paid'",
    [`${cameIn}: payment_$paid`, `${went}: payment_$paid`],
  ],
  [
    "a payment is marked as another account's",
    "UPDATE payment_claim SET credited_account = 'acc_x' WHERE id = '$owned'",
    [`${went}: payment_$owned`],
  ],
  [
    "a payment's money went to another account",
    "UPDATE entry SET account_id = 'acc_x' WHERE transfer_id = 'payment_$owned' AND account_id <> 'base_chain'",
    [`${went}: payment_$owned`],
  ],
  ["a paid claim was deleted", "DELETE FROM payment_claim WHERE id = '$paid'", [`${orphan}: payment_$paid`]],
  [
    "a claim that was paid again is marked reversed",
    "UPDATE payment_claim SET state = 'reversed' WHERE id = '$again'",
    [`${cameIn}: payment_$again_again_1`, `${nothing}: payment_$again_again_1`],
  ],
  [
    "money came in as a payment without a claim",
    `WITH t AS (INSERT INTO transfer (id, kind, at) VALUES ('made_up', 'payment', now()))
     INSERT INTO entry (transfer_id, account_id, amount) VALUES ('made_up', 'base_chain', -9), ('made_up', '$credit', 9)`,
    [`${orphan}: made_up`],
  ],
  [
    "a reversal took less than came in",
    "UPDATE entry SET amount = amount - 1 WHERE transfer_id = 'payment_reversal_$reversed_0' AND account_id = 'base_chain'",
    [`${takenBack}: payment_reversal_$reversed_0`],
  ],
  [
    "a payment is marked final, and its money is not",
    "UPDATE payment_claim SET finalized = true WHERE id = '$paid'",
    [`${final}: payment_$paid`],
  ],
  [
    "money is marked final, so that it can leave, and its payment is not",
    "UPDATE arrival SET finalized = true WHERE transfer_id = 'payment_$paid'",
    [`${final}: payment_$paid`],
  ],
  ["money is recorded in another block", "UPDATE arrival SET block = 1 WHERE transfer_id = 'payment_$paid'", [`${block}: payment_$paid`]],
  [
    "the record of money that is not final was deleted",
    "DELETE FROM arrival WHERE transfer_id = 'payment_$paid'",
    [`${final}: payment_$paid`, `${block}: payment_$paid`],
  ],
  [
    "money that may leave again belongs to no payment",
    "INSERT INTO arrival (transfer_id, account_id, funding_id, amount, block) VALUES ('payment_$claimed', '$credit', 'base_chain', 1, 1)",
    [`${nothing}: payment_$claimed`],
  ],
  [
    "a credit is named by no address that can sign",
    "UPDATE ledger_account SET id = upper(id) WHERE id = '$credit'; UPDATE ledger_account SET id = 'credit:' || id WHERE id = upper('$credit')",
    [`${named}: credit:$CREDIT`],
  ],
  ["a credit is not a customer's account", "UPDATE ledger_account SET kind = 'liability' WHERE id = '$credit'", [`${customers}: $credit`]],
];

const filled = (text: string) =>
  text
    .replaceAll("$credit", credit)
    .replaceAll("$CREDIT", credit.toUpperCase())
    .replace(/\$([a-z]+)/g, (_, name: string) => ids[name] ?? name);

test.each(corruptions)("reported: %s", async (_what, sql, told) => {
  await client.query(filled(sql));
  expect(await reported()).toEqual(told.map(filled).sort());
});

test("a violation is returned with its expected and actual values", async () => {
  await client.query(filled("UPDATE payment_claim SET block = 11 WHERE id = '$paid'; COMMIT"));
  expect(await checkPayments()).toEqual([{ invariant: block, subject: `payment_${ids.paid}`, expected: "11", actual: "7" }]);
  await client.query(filled("BEGIN; UPDATE payment_claim SET block = 7 WHERE id = '$paid'; COMMIT"));
  expect(await checkPayments()).toEqual([]);
});
