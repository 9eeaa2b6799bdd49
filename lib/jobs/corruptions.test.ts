// What whoever can write past the triggers may plant so that every sum stays right: check-ledger names each. The corruptions that break a
// sum are in ledger/check.test.ts, wallets/deposits/check.test.ts and payments/claims/check.test.ts.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chainEntries } from "@/lib/audit/chain";
import { recordAudit } from "@/lib/audit/record";
import { newRequestId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { openLossAccount } from "@/lib/ledger/accounts";
import { settleHold } from "@/lib/ledger/commit/commit";
import { placeHold } from "@/lib/ledger/place-hold";
import { closeRequestPath } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { chargeOf, newHold } from "@/lib/ledger/testing/holding";
import { postTransfer } from "@/lib/ledger/transfers";
import { addDeposit, credit, openScan } from "@/lib/wallets/deposits/testing/scanned-deposits";
import { checkBooks } from "./check-books";

await openTestDatabase();

const tables = [
  "ledger_account",
  "transfer",
  "entry",
  "charge",
  "hold",
  "debt",
  "deposit",
  "chain_scan",
  "idempotent_reply",
  "audit_entry",
  "setting",
  "withdrawal",
];
let account: string;
let delivered: string;
let lost: string;
let undelivered: string;

beforeAll(async () => {
  await openFunding();
  await openLossAccount("losses");
  await openScan("base", { latest: 300, safe: 250, final: 90 });
  const owner = await fundedAccount(1_000);
  account = owner;
  const [kept, none, given] = [newHold(owner, 100, { idempotency: "kept" }), newHold(owner, 100), newHold(owner, 100)];
  for (const hold of [kept, none, given, newHold(owner, 50)]) await placeHold(commit(), hold);
  await settleHold(commit(), chargeOf(kept, 5, 6, { body: "answer" }));
  await settleHold(commit(), chargeOf(none, 5, 6, { details: { outcome: "lost" } }));
  await settleHold(commit(), chargeOf(given, 5, 6, { details: { streamed: false } }));
  [delivered, lost, undelivered] = [kept.requestId, none.requestId, given.requestId];
  await postTransfer({
    id: `refund_${undelivered}`,
    kind: "refund",
    legs: [
      { account: owner, amount: nanoUsd(11) },
      { account: "revenue", amount: nanoUsd(-11) },
    ],
  });
  // What a reversal could not take back at once.
  const debtor = await fundedAccount(100);
  await placeHold(commit(), newHold(debtor, 70));
  await pool().query("SELECT ledger_take_back('reversal_base_x_0', $1, 'test_funding', 'losses', 90, now())", [debtor]);
  const deposit = await addDeposit({ accountId: owner, usd: "5", block: 200 });
  await credit([deposit]);
  for (const subject of ["one", "two", "three"])
    await inTransaction((transaction) => recordAudit({ accountId: owner, kind: "key.paused", subject }, transaction));
  await chainEntries();
  expect(await checkBooks({ isWhole: true })).toEqual([]);
  for (const table of tables) await pool().query(`CREATE TABLE kept_${table} AS TABLE ${table}`);
});
afterAll(closeRequestPath);

/** Runs statements as whoever has turned the triggers off. */
async function plant(...statements: string[]): Promise<void> {
  const client = await pool().connect();
  try {
    await client.query(["BEGIN", "SET LOCAL session_replication_role = replica", ...statements, "COMMIT"].join("; "));
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

const restore = () =>
  plant(...tables.flatMap((table) => [`DELETE FROM ${table}`, `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_${table}`]));

/** A withdrawal of $5 that has this state, and whose row is all there is of it. */
const withdrawalIn = (state: "awaiting_approval" | "cancelled"): string =>
  `INSERT INTO withdrawal (id, account_id, chain, destination, amount, fee, opens_account, nonce, issued_at, valid_until, signer_chain,
    signer_address, signature, state, requested_at, ended_at)
  VALUES ('planted', '${account}', 'base', '0x${"1".repeat(40)}', 5000000000, 0, false, '${"p".repeat(22)}', now(), now() + interval '1 day',
    'evm', 'owner', 'signature', '${state}', now(), ${state === "cancelled" ? "now()" : "NULL"})`;

/** Money that moves from one account to another with a transfer, and every sum stays right. */
const move = (id: string, kind: string, from: string, to: string, amount: number): string[] => [
  `INSERT INTO transfer (id, kind, at) VALUES ('${id}', '${kind}', now())`,
  `INSERT INTO entry (transfer_id, account_id, amount) VALUES ('${id}', '${from}', ${-amount}), ('${id}', '${to}', ${amount})`,
  `UPDATE ledger_account SET posted = posted - ${amount} WHERE id = '${from}'`,
  `UPDATE ledger_account SET posted = posted + ${amount} WHERE id = '${to}'`,
];

const corruptions: [what: string, statements: () => string[], invariant: RegExp][] = [
  ["a gift from revenue", () => move("gift_1", "gift", "revenue", account, 5), /of a kind that exists/],
  ["a credit from revenue", () => move("credit_1", "credit", "revenue", account, 5), /moves money as its kind does/],
  ["a withdrawal that ends at revenue", () => move("withdrawal_1", "withdrawal", account, "revenue", 5), /moves money as its kind does/],
  ["a payout that is named like a credit", () => move("base_1", "payout", "uncredited_deposits", "base_chain", 5), /is named by it/],
  [
    "a payment that no claim has",
    () => move("payment_1", "payment", "base_chain", account, 5),
    /a payment has its claim|its deposits and payments/,
  ],
  ["a refund at ten times the charge", () => move(`refund_${delivered}`, "refund", "revenue", account, 110), /a refund gives back at most/],
  [
    "a refund of an answer that was delivered",
    () => move(`refund_${delivered}`, "refund", "revenue", account, 11),
    /a refund is for an answer that was not delivered/,
  ],
  ["a refund of no request", () => move("refund_req_none", "refund", "revenue", account, 1), /a refund gives back at most/],
  [
    "a refund to somebody else",
    () => [
      `UPDATE entry SET account_id = (SELECT id FROM ledger_account WHERE id LIKE 'acc%' AND id <> '${account}' LIMIT 1)
     WHERE transfer_id = 'refund_${undelivered}' AND amount > 0`,
    ],
    /a refund gives back|equals the sum/,
  ],
  [
    "a customer who became a liability",
    () => [`UPDATE ledger_account SET kind = 'liability' WHERE id = '${account}'`],
    /of the kind that its name says/,
  ],
  [
    "a customer who became a source of money",
    () => [`UPDATE ledger_account SET kind = 'funding' WHERE id = '${account}'`],
    /of the kind that its name says/,
  ],
  [
    "revenue that became a source of money",
    () => ["UPDATE ledger_account SET kind = 'funding' WHERE id = 'revenue'"],
    /of the kind that its name says/,
  ],
  [
    "a customer below zero",
    () => [
      `UPDATE ledger_account SET kind = 'liability' WHERE id = '${account}'`,
      ...move("reversal_1", "reversal", account, "test_funding", 9_000_000_000),
    ],
    /no less than nothing/,
  ],
  [
    "a hold with a deadline in a hundred years",
    () => ["UPDATE hold SET deadline = deadline + interval '100 years'"],
    /ends within sixteen minutes/,
  ],
  [
    "a hold that was placed in the past for longer",
    () => ["UPDATE hold SET placed_at = placed_at - interval '1 day'"],
    /ends within sixteen minutes/,
  ],
  ["a deposit that is final before its block is", () => ["UPDATE deposit SET finalized = true"], /final only in a block that is/],
  [
    "a charge under another request's id",
    () => [`UPDATE charge SET request_id = 'req_00000000' || substr(request_id, 13) WHERE request_id = '${delivered}'`],
    /within a day of its id/,
  ],
  [
    "a charge of a year ago",
    () => [`UPDATE charge SET at = at - interval '1 year' WHERE request_id = '${delivered}'`],
    /within a day of its id/,
  ],
  [
    "a lost answer that its customer paid for",
    () => [
      `UPDATE charge SET input_cost = operator_loss, operator_loss = 0 WHERE request_id = '${lost}'`,
      `UPDATE ledger_account SET posted = posted - 11 WHERE id = '${account}'`,
    ],
    /a lost answer costs its customer nothing/,
  ],
  [
    "a delivered answer that became lost",
    () => [`UPDATE charge SET outcome = 'lost' WHERE request_id = '${delivered}'`],
    /a lost answer costs/,
  ],
  [
    "a kept answer that was deleted",
    () => [`DELETE FROM idempotent_reply WHERE request_id = '${delivered}'`],
    /an answer that is kept for a day is there/,
  ],
  [
    "a charge copied under another request's id of the same day",
    () => [
      `INSERT INTO charge OVERRIDING SYSTEM VALUE SELECT copy.* FROM charge c, jsonb_populate_record(NULL::charge,
        to_jsonb(c) || jsonb_build_object('request_id', '${newRequestId()}', 'seq', c.seq + 1000)) copy WHERE c.request_id = '${delivered}'`,
      `UPDATE ledger_account SET posted = posted - 11 WHERE id = '${account}'`,
    ],
    /an answer that is kept for a day is there/,
  ],
  [
    "a withdrawal that was never taken from its account",
    () => [withdrawalIn("awaiting_approval")],
    /a withdrawal is booked with its amount/,
  ],
  ["a withdrawal that ended unpaid", () => [withdrawalIn("cancelled")], /a withdrawal that ended was paid out or given back/],
  ["a debt without a reversal", () => ["UPDATE debt SET transfer_id = 'reversal_none'"], /a debt comes from a reversal/],
  [
    "a debt for a credit",
    () => [`UPDATE debt SET transfer_id = (SELECT id FROM transfer WHERE kind = 'credit' LIMIT 1)`],
    /a debt comes from a reversal/,
  ],
  [
    "the newest entry of the audit log is gone",
    () => ["DELETE FROM audit_entry WHERE sequence = (SELECT max(sequence) FROM audit_entry)"],
    /only added to/,
  ],
  ["all of the audit log is gone", () => ["DELETE FROM audit_entry"], /only added to/],
  ["an entry of the audit log was altered", () => ["UPDATE audit_entry SET subject = 'four' WHERE sequence = 1"], /only added to/],
  [
    "an entry was put between",
    () => ["UPDATE audit_entry SET sequence = sequence + 1 WHERE sequence = (SELECT max(sequence) FROM audit_entry)"],
    /only added to/,
  ],
];

test.each(corruptions)("named: %s", async (_what, statements, invariant) => {
  await plant(...statements());
  // Another process, which remembers nothing: only the database and the rules tell.
  forgetSingleton("audit chain checked");
  try {
    expect((await checkBooks({ isWhole: true })).map((violation) => violation.invariant).join("\n")).toMatch(invariant);
  } finally {
    await restore();
    forgetSingleton("audit chain checked");
  }
});

/** Tables that hold no money: what is proved of them, if anything, is proved elsewhere. */
const withoutMoney: Readonly<Record<string, readonly string[]>> = {
  "who may do what, kept by the audit log": ["account", "session", "sign_in_nonce", "sign_up", "confirmation", "withdrawal_rules"],
  "what is told to owners, copied from what happened": [
    "event",
    "event_count",
    "delivery",
    "endpoint",
    "failed_request",
    "failed_request_count",
  ],
  "reading positions on chains, and what was read and is nobody's": [
    ...["chain_scan", "chain_scan_end", "solana_cursor", "foreign_token", "solana_foreign_token", "watch_lease"],
  ],
  "addresses, proved by the seed": ["custody", "custodial_wallet", "address_pool"],
  "transactions of ours, proved by their chains": ["relayed", "relay_broadcast", "relay_sender", "sweep", "payment_waste", "faucet_gift"],
  "reserves, which are compared with the chains and not with the books": ["reserve_report", "reserve_holding"],
  "what no balance and no cap is read from": [
    "process",
    "setting",
    "expired_hold",
    "spend_sum",
    "spend_sum_mark",
    "model_use",
    "announced_model",
  ],
};

test("every table that holds money has a corruption here or in the checks of its folder", () => {
  const files = ["lib/jobs/corruptions", "lib/ledger/check", "lib/wallets/deposits/check", "lib/payments/claims/check"];
  const planted = files.map((file) => readFileSync(`${file}.test.ts`, "utf8")).join("\n");
  const all = [...readFileSync("prisma/schema.prisma", "utf8").matchAll(/@@map\("(\w+)"\)/g)].map(([, name = ""]) => name);
  const excused = Object.values(withoutMoney).flat();
  expect(excused.filter((table) => !all.includes(table))).toEqual([]);
  const isPlanted = (table: string) => new RegExp(`\\b(UPDATE|INTO|DELETE FROM) ${table}\\b`).test(planted);
  expect(all.filter((table) => !excused.includes(table) && !isPlanted(table))).toEqual([]);
});

test("and put back, the books are right again", async () => {
  expect(await checkBooks({ isWhole: true })).toEqual([]);
});
