// The check of deposits against the books: it finds nothing in correct books, and each manual corruption.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { now } from "@/lib/base/clock";
import { nanoUsd } from "@/lib/base/money";
import type { Transaction } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openFundingAccount, openLiabilityAccount, openLossAccount } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { postTransfer } from "@/lib/ledger/transfers";
import { checkDeposits } from "./check";
import { reverseMissing } from "./credit";
import { addFound, credit, leaseOn } from "./testing/scanned-deposits";
import { openCustomers } from "./testing/watched-chain";

const database = await openTestDatabase();
const ONE_USD = 1_000_000_000n;
let client: Transaction;
let owners: string[] = [];

interface Written {
  id: string;
  owner: number;
  amount: bigint;
  block: number;
}

/** Records transfers like a watcher. */
async function write(deposits: readonly Written[]): Promise<void> {
  const found = deposits.map(({ id, owner, amount, block }) => {
    const where = { block, blockHash: `hash of ${block}`, transaction: id, index: 0 };
    return { id, accountId: owners[owner] ?? "", address: `address ${owner}`, amount, ...where };
  });
  await addFound(found);
}

/** Records and credits deposits, and removes `gone` from the chain. */
async function live(deposits: readonly Written[], gone: readonly string[] = []): Promise<void> {
  await write(deposits);
  await credit(deposits.map(({ id }) => id));
  await client.query("UPDATE deposit SET missing_since = $2 WHERE id = ANY ($1)", [gone, now()]);
  await reverseMissing(await leaseOn("base"), 100);
}

const credited = { id: "base_credited", owner: 0, amount: 5n * ONE_USD, block: 1 };
const small = { id: "base_small", owner: 1, amount: 300_000_000n, block: 1 };
const spent = { id: "base_spent", owner: 2, amount: 2n * ONE_USD, block: 2 };
const back = { id: "base_back", owner: 3, amount: 7n * ONE_USD, block: 2 };
const grown = [
  { id: "base_half", owner: 4, amount: 500_000_000n, block: 3 },
  { id: "base_rest", owner: 4, amount: 600_000_000n, block: 4 },
];

beforeAll(async () => {
  owners = (await openCustomers(6)).map(({ account }) => account);
  for (const chain of ["base_chain", "solana_chain", "elsewhere"]) await openFundingAccount(chain);
  await openLiabilityAccount("uncredited_deposits");
  await openLossAccount("deposit_losses");
  client = await database.pool.connect();
  await live([credited, small, spent, back]);
  for (const one of grown) await live([one]);
  const legs = [
    { account: owners[2] ?? "", amount: nanoUsd(-1_500_000_000n) },
    { account: "elsewhere", amount: nanoUsd(1_500_000_000n) },
  ];
  await postTransfer({ id: "spent", kind: "credit", legs });
  await live([], [spent.id, back.id]);
  await live([{ ...back, block: 5 }]);
  await live([{ id: "base_seen", owner: 5, amount: ONE_USD, block: 6 }]);
  await write([{ id: "base_new", owner: 5, amount: 1n, block: 7 }]);
});
afterAll(() => client.release());

// Every test corrupts the books in its own transaction, with the protecting triggers disabled.
beforeEach(async () => {
  await client.query("BEGIN; SET LOCAL session_replication_role = replica");
  return async () => {
    await client.query("ROLLBACK");
  };
});

async function reported(): Promise<string[]> {
  const { rows } = await client.query<{ told: string }>("SELECT invariant || ': ' || subject AS told FROM wallets_check_deposits()");
  return rows.map(({ told }) => told).sort();
}

test("deposits in every state, including reversed and returned ones, agree with the books", async () => {
  const { rows } = await client.query<{ told: string }>("SELECT id || ' ' || state AS told FROM deposit ORDER BY id");
  expect(rows.map(({ told }) => told)).toEqual([
    "base_back credited",
    "base_credited credited",
    "base_half credited",
    "base_new seen",
    "base_rest credited",
    "base_seen credited",
    "base_small below_minimum",
    "base_spent reversed",
  ]);
  expect(await reported()).toEqual([]);
  expect(await checkDeposits()).toEqual([]);
  expect(await checkLedger()).toEqual([]);
});

const customers = "a deposit is its customer's while it is credited, and only then";
const uncredited = "a deposit is in uncredited_deposits while it is below the minimum, and only then";
const fromChain = "a deposit came from its chain while it is booked, and only then";
const borne = "of a deposit the operator bears what was spent before it was reversed, and no more";
const chainTotal = "what a chain brought in is its deposits and payments: base";
const smallTotal = "uncredited_deposits is all that is below the minimum: uncredited_deposits";

const corruptions: readonly (readonly [what: string, sql: string, violations: readonly string[]])[] = [
  [
    "a deposit that was never credited is marked credited",
    "UPDATE deposit SET state = 'credited', credited_at = now() WHERE id = 'base_new'",
    [`${customers}: base_new`, `${fromChain}: base_new`, chainTotal],
  ],
  [
    "a credited deposit is marked new, to be credited again",
    "UPDATE deposit SET state = 'seen', credited_at = NULL WHERE id = 'base_credited'",
    [`${customers}: base_credited`, `${fromChain}: base_credited`, chainTotal],
  ],
  [
    "a deposit below the minimum is marked credited",
    "UPDATE deposit SET state = 'credited', credited_at = now() WHERE id = 'base_small'",
    [`${customers}: base_small`, `${uncredited}: base_small`, smallTotal],
  ],
  [
    "a credited deposit is marked reversed, and its money stays",
    "UPDATE deposit SET state = 'reversed', reversed_at = now(), times_reversed = 1 WHERE id = 'base_credited'",
    [`${customers}: base_credited`, `${fromChain}: base_credited`],
  ],
  [
    "a reversed deposit is marked credited",
    "UPDATE deposit SET state = 'credited', reversed_at = NULL WHERE id = 'base_spent'",
    [`${customers}: base_spent`, `${fromChain}: base_spent`, chainTotal],
  ],
  [
    "a deposit's amount differs from its credit",
    "UPDATE deposit SET amount = amount + 1 WHERE id = 'base_credited'",
    [`${customers}: base_credited`, `${fromChain}: base_credited`, chainTotal],
  ],
  [
    "a deposit was assigned to another account",
    "UPDATE deposit SET account_id = 'acc_x' WHERE id = 'base_credited'",
    [`${customers}: base_credited`],
  ],
  [
    "a credit went to another account",
    `UPDATE entry SET account_id = 'acc_x' WHERE transfer_id = 'base_credited' AND account_id <> 'base_chain'`,
    [`${customers}: base_credited`],
  ],
  ["a credited deposit was removed", "DELETE FROM deposit WHERE id = 'base_credited'", [chainTotal]],
  ["a reversed deposit was removed", "DELETE FROM deposit WHERE id = 'base_spent'", [chainTotal]],
  ["a deposit below the minimum was removed", "DELETE FROM deposit WHERE id = 'base_small'", [chainTotal, smallTotal]],
  [
    "money arrived from a chain without a deposit",
    "INSERT INTO entry (transfer_id, account_id, amount) VALUES ('made_up', 'base_chain', -9), ('made_up', 'acc_x', 9)",
    [chainTotal],
  ],
  [
    "money was taken from deposits below the minimum",
    "INSERT INTO entry (transfer_id, account_id, amount) VALUES ('made_up', 'uncredited_deposits', -9), ('made_up', 'acc_x', 9)",
    [smallTotal],
  ],
  [
    "a reversal took less than its amount",
    "UPDATE entry SET amount = amount - 1 WHERE transfer_id = 'reversal_base_back_0' AND account_id = 'base_chain'",
    [`${fromChain}: base_back`],
  ],
  [
    "a reversal was removed",
    "DELETE FROM entry WHERE transfer_id = 'reversal_base_spent_0'",
    [`${customers}: base_spent`, `${fromChain}: base_spent`],
  ],
  [
    "the operator bears money that the customer has",
    "UPDATE entry SET account_id = 'deposit_losses' WHERE transfer_id = 'base_credited' AND account_id <> 'base_chain'",
    [`${borne}: base_credited`],
  ],
];

test.each(corruptions)("reported: %s", async (_what, sql, violations) => {
  expect((await client.query(sql)).rowCount).toBeGreaterThan(0);
  expect(await reported()).toEqual([...violations].sort());
});

test("a violation has the expected and the actual value", async () => {
  await client.query("UPDATE deposit SET amount = amount + 1 WHERE id = 'base_small'");
  await client.query("COMMIT");
  expect(await checkDeposits()).toContainEqual({
    invariant: uncredited,
    subject: "base_small",
    expected: "300000001",
    actual: "300000000",
  });
  await client.query("BEGIN; UPDATE deposit SET amount = amount - 1 WHERE id = 'base_small'; COMMIT");
  expect(await checkDeposits()).toEqual([]);
});

test.each([
  ["a zero amount", "UPDATE deposit SET amount = 0"],
  ["a negative amount", "UPDATE deposit SET amount = -1"],
  ["an unknown state", "UPDATE deposit SET state = 'paid'"],
  ["an unknown chain", "UPDATE deposit SET chain = 'ethereum'"],
  ["a negative height", "UPDATE deposit SET block = -1"],
  ["a credit without its time", "UPDATE deposit SET credited_at = NULL WHERE state = 'credited'"],
  ["a final deposit that is not booked", "UPDATE deposit SET finalized = true WHERE state = 'seen'"],
  ["a final deposit that is missing", "UPDATE deposit SET finalized = true, missing_since = now() WHERE state = 'credited'"],
  ["a reversal without its time", "UPDATE deposit SET reversed_at = NULL WHERE state = 'reversed'"],
])("no statement can store %s", async (_what, sql) => {
  await expect(client.query(sql)).rejects.toMatchObject({ code: "23514" });
});
