import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "./accounts";
import { type Child, killChildren, startChild } from "./testing/child";
import { closeRequestPath, expectBooksToClose } from "./testing/closing";
import { fundedAccount, openFunding, openKey } from "./testing/fund";
import { type Spender, spendAtOnce } from "./testing/load";

const database = await openTestDatabase();

beforeAll(openFunding);
afterEach(killChildren);
afterAll(closeRequestPath);

const twoProcesses = () => Promise.all([startChild("load-child", database.url), startChild("load-child", database.url)]);

/** Gives both processes the same order at once; adds up the outcomes of all requests. */
async function inBoth(children: readonly Child[], spender: Spender, times: number, ceiling: number): Promise<Record<string, number>> {
  const answers = (await Promise.all(children.map((child) => child.ask({ do: "spend", spender, times, ceiling })))) as Record<
    string,
    number
  >[];
  const total: Record<string, number> = {};
  for (const [outcome, count] of answers.flatMap((answer) => Object.entries(answer))) total[outcome] = (total[outcome] ?? 0) + count;
  return total;
}

test("1,000 concurrent requests on a balance for exactly 10 end in 10 charges and 990 refusals", async () => {
  const account = await fundedAccount(1_000);
  expect(await spendAtOnce({ account, key: null }, 1_000, 100)).toEqual({ held: 10, insufficient: 990 });
  expect(await readBalance(account)).toEqual({ posted: 0n, held: 0n, available: 0n });
  await expectBooksToClose();
});

test("1,000 concurrent requests on a key whose cap allows exactly 7 end in 7 charges and 993 refusals", async () => {
  const account = await fundedAccount(1_000_000);
  const key = await openKey(account, { nanoUsd: 799, period: "day" });
  expect(await spendAtOnce({ account, key }, 1_000, 100)).toEqual({ held: 7, cap_reached: 993 });
  expect((await readBalance(account)).posted).toBe(999_300n);
  await expectBooksToClose();
});

test("1,000 concurrent requests from two processes on a balance for exactly 10 end in 10 charges", async () => {
  const account = await fundedAccount(1_000);
  expect(await inBoth(await twoProcesses(), { account, key: null }, 500, 100)).toEqual({ held: 10, insufficient: 990 });
  expect((await readBalance(account)).posted).toBe(0n);
  await expectBooksToClose();
});

test("1,000 concurrent requests from two processes on a key whose cap allows exactly 7 end in 7 charges", async () => {
  const account = await fundedAccount(1_000_000);
  const key = await openKey(account, { nanoUsd: 799, period: "week" });
  expect(await inBoth(await twoProcesses(), { account, key }, 500, 100)).toEqual({ held: 7, cap_reached: 993 });
  expect((await readBalance(account)).posted).toBe(999_300n);
  await expectBooksToClose();
});

test("two processes that spend the last dollar at once: one is served", async () => {
  const children = await twoProcesses();
  for (let round = 0; round < 20; round++) {
    const account = await fundedAccount(1_000_000_000);
    expect(await inBoth(children, { account, key: null }, 1, 1_000_000_000)).toEqual({ held: 1, insufficient: 1 });
  }
  await expectBooksToClose();
});
