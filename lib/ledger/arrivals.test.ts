// Money that may still be reversed: a reversal finds it in whatever account it is, it cannot leave, and no height shows less than is owed.

import { beforeAll, expect, onTestFinished, test } from "vitest";
import { now } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { pool } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openCustomerAccount, openFundingAccount, openLossAccount, readBalance } from "./accounts";
import { listUnseenArrivals } from "./arrivals";
import { checkLedger } from "./check";
import { readOwed } from "./owed";
import { fundedAccount, openFunding } from "./testing/fund";
import { endHold, openHold, type TestHold } from "./testing/hold";

await openTestDatabase();
const CHAIN = "base_chain";

beforeAll(async () => {
  await openFunding();
  await openFundingAccount(CHAIN);
  await openLossAccount("payment_losses");
});

let made = 0;
async function newCredit(): Promise<AccountId> {
  made += 1;
  const id = `credit:eip155:8453:0x${made.toString(16).padStart(40, "0")}` as AccountId;
  await openCustomerAccount(id);
  return id;
}

async function resultOf<T>(expression: string, values: readonly unknown[]): Promise<T | undefined> {
  const { rows } = await pool().query<{ value: T }>(`SELECT ${expression} AS value`, [...values]);
  return rows[0]?.value;
}

const arrive = (id: string, account: AccountId, amount: number, block: number) =>
  resultOf<boolean>("ledger_post_arrival($1, 'payment', $2, $3, $4, $5, $6)", [id, account, CHAIN, amount, block, now()]);
const note = (id: string, block: number, isFinal: boolean) => resultOf<boolean>("ledger_note_arrival($1, $2, $3)", [id, block, isFinal]);
const unfinalOf = (account: AccountId) => resultOf<bigint>("ledger_unfinal($1)", [account]);
const move = (id: string, from: AccountId, to: AccountId) =>
  resultOf<bigint>("ledger_move_available($1, 'credit_claim', $2, $3, $4)", [id, from, to, now()]);

async function takeBack(id: string) {
  const { rows } = await pool().query<{ account_id: AccountId; lost: bigint }>("SELECT * FROM ledger_take_back_arrival($1, $2, $3, $4)", [
    `reversal_${id}`,
    id,
    "payment_losses",
    now(),
  ]);
  return rows.map(({ account_id, lost }) => [account_id, lost] as const);
}

/** Ends a hold; `cost` null releases it. */
const settle = (hold: TestHold, cost: number | null) => endHold(hold, cost === null ? null : { input: cost, output: 0 });

const collect = (account: AccountId) => resultOf<bigint | null>("ledger_collect_debts($1, $2)", [account, now()]);

async function owedAt(height: number): Promise<bigint> {
  const unseen = await listUnseenArrivals(prisma(), { funding: CHAIN, height });
  return (await readOwed(prisma(), { chainAccounts: [CHAIN], unseen })).customers;
}

test("an arrival is posted once, counts as not final until its block is, and then stays final", async () => {
  const credit = await newCredit();
  expect([await arrive("once", credit, 10, 5), await arrive("once", credit, 10, 6)]).toEqual([true, false]);
  expect([(await readBalance(credit)).posted, await unfinalOf(credit)]).toEqual([10n, 10n]);
  expect(await note("once", 7, false)).toBe(true);
  expect((await listUnseenArrivals(prisma(), { funding: CHAIN, height: 9 })).get(credit)).toBe(10n);
  await note("once", 8, true);
  await note("once", 9, false);
  expect(await unfinalOf(credit)).toBe(0n);
  const unseenAt = async (height: number) => (await listUnseenArrivals(prisma(), { funding: CHAIN, height })).get(credit);
  expect([await unseenAt(7), await unseenAt(8)]).toEqual([10n, undefined]);
  await expect(takeBack("once")).rejects.toThrow("is final");
  expect(await note("nobody's", 1, true)).toBe(false);
});

test("a claimed credit takes its money that is not final along; a hold keeps its part until it ends", async () => {
  const [credit, account] = [await newCredit(), await fundedAccount(100n)];
  await arrive("old", credit, 30, 10);
  await note("old", 10, true);
  await arrive("new", credit, 20, 20);
  const held = await openHold(credit, 45n);
  expect(await move("claim_1", credit, account)).toBe(5n);
  expect([await unfinalOf(credit), await unfinalOf(account)]).toEqual([15n, 5n]);
  await settle(held, null);
  expect(await move("claim_2", credit, account)).toBe(45n);
  expect([await unfinalOf(credit), await unfinalOf(account)]).toEqual([0n, 20n]);
  expect([await move("claim_3", credit, account), (await readBalance(credit)).posted]).toEqual([0n, 0n]);
  expect(await takeBack("new")).toEqual([[account, 0n]]);
  expect((await readBalance(account)).available).toBe(130n);
  expect(await takeBack("new")).toEqual([]);
  expect(await checkLedger()).toEqual([]);
});

test("a reversal takes from every account that has a part; the operator bears what was spent, and held money is owed", async () => {
  const [credit, account] = [await newCredit(), await fundedAccount(0n)];
  await arrive("shared", credit, 50, 30);
  const held = await openHold(credit, 20n);
  expect(await move("claim_shared", credit, account)).toBe(30n);
  await settle(await openHold(account, 12n), 12);
  const before = (await readBalance("payment_losses" as AccountId)).posted;
  expect(await takeBack("shared")).toEqual([
    [account, 12n],
    [credit, 0n],
  ]);
  expect((await readBalance("payment_losses" as AccountId)).posted - before).toBe(-32n);
  expect(await checkLedger()).toEqual([]);
  await settle(held, 20);
  expect(await collect(credit)).toBe(20n);
  expect([(await readBalance(credit)).posted, (await readBalance(account)).posted]).toEqual([0n, 0n]);
  expect(await checkLedger()).toEqual([]);
});

test("a claim, a reversal and a finalization, ten times at the same instant: nothing is lost and nothing deadlocks", async () => {
  for (let round = 0; round < 10; round += 1) {
    const [credit, account] = [await newCredit(), await fundedAccount(0n)];
    const [gone, stays] = [`gone_${round}`, `stays_${round}`];
    await arrive(gone, credit, 7, 40);
    await arrive(stays, credit, 5, 40);
    await Promise.all([
      ...Array.from({ length: 5 }, (_, index) => move(`race_${round}_${index}`, credit, account)),
      ...[takeBack(gone), takeBack(gone).catch((error: Error) => expect(error.message).toContain("already")), note(stays, 41, true)],
    ]);
    const [left, claimed] = [await readBalance(credit), await readBalance(account)];
    expect([left.posted + claimed.posted, await unfinalOf(credit), await unfinalOf(account)]).toEqual([5n, 0n, 0n]);
  }
  expect(await checkLedger()).toEqual([]);
});

test("whatever was paid, spent, held and claimed, no height of the chain owes more than came in up to it", async () => {
  const [credit, account] = [await newCredit(), await fundedAccount(0n)];
  const before = await owedAt(1_000_000);
  const blocks: { block: number; amount: number }[] = [];
  const holds: TestHold[] = [];
  let state = 20_261_121;
  const dice = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  onTestFinished(() => expect(blocks.length).toBeGreaterThan(15));
  for (let step = 0; step < 160; step += 1) {
    const of = dice(2) === 0 ? credit : account;
    const [act, amount, block] = [dice(5), 1 + dice(40), 100 + Math.floor(step / 3)];
    if (act === 0) {
      await arrive(`walk_${step}`, credit, amount, block);
      blocks.push({ block, amount });
    } else if (act === 1) {
      const ceiling = Math.min(amount, Number((await readBalance(of)).available));
      holds.push(await openHold(of, BigInt(ceiling)));
    } else if (act === 2) {
      const [ended] = holds.splice(dice(holds.length), 1);
      if (ended) await settle(ended, dice(3) === 0 ? null : dice(Number(ended.ceiling) + 1));
    } else if (act === 3) {
      await move(`walk_${step}`, credit, account);
    } else {
      const final = block - 4 - dice(8);
      await pool().query(
        "SELECT ledger_note_arrival(a.transfer_id, a.block, true) FROM arrival a WHERE a.block <= $1 AND NOT a.finalized",
        [final],
      );
    }
    for (const height of [block, block - 1 - dice(6), block - 7 - dice(8)]) {
      const cameIn = blocks.filter((one) => one.block <= height).reduce((sum, one) => sum + one.amount, 0);
      expect((await owedAt(height)) - before).toBeLessThanOrEqual(BigInt(cameIn));
    }
  }
  expect(await checkLedger()).toEqual([]);
});

test("the check finds a row with more than came in", async () => {
  const credit = await newCredit();
  await arrive("changed", credit, 10, 50);
  await pool().query("UPDATE arrival SET amount = 11 WHERE transfer_id = 'changed'");
  expect(await checkLedger()).toEqual([
    { invariant: "who has an arrival has all of it", subject: "changed", expected: "10", actual: "11" },
  ]);
});
