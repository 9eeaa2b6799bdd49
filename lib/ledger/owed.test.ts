// What is owed: all customers and all liabilities, minus the unspent part of what cannot be seen yet.

import { expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openCustomerAccount, openFundingAccount, openLiabilityAccount } from "./accounts";
import { readOwed } from "./owed";
import { fundedAccount, openFunding } from "./testing/fund";
import { postTransfer } from "./transfers";

await openTestDatabase();

test("unseen deposits are not owed, and spending from one does not reduce what is owed to others", async () => {
  await openFunding();
  const [rich, spent] = [await fundedAccount(100n), await fundedAccount(30n)];
  await openFundingAccount("base_chain");
  await openLiabilityAccount("withdrawal_pending");
  await openLiabilityAccount("something_new");
  const move = (id: string, from: string, to: string, amount: bigint) =>
    postTransfer({
      id,
      kind: "credit",
      legs: [
        { account: to, amount: nanoUsd(amount) },
        { account: from, amount: nanoUsd(-amount) },
      ],
    });
  await move("deposit", "base_chain", rich, 50n);
  await move("withdrawal", rich, "withdrawal_pending", 20n);
  await move("other", rich, "something_new", 5n);
  const chainAccounts = ["base_chain"];
  const all = { liabilities: 25n, granted: 130n, credits: 0n };
  expect(await readOwed(prisma(), { chainAccounts, unseen: new Map() })).toEqual({ ...all, customers: 155n });
  expect(await readOwed(prisma(), { chainAccounts, unseen: new Map([[rich, 50n]]) })).toEqual({ ...all, customers: 105n });
  expect(
    await readOwed(prisma(), {
      chainAccounts,
      unseen: new Map([
        [rich, 50n],
        [spent, 40n],
      ]),
    }),
  ).toEqual({ ...all, customers: 75n });
});

test("credits of addresses without an account are reported separately, and are owed like the rest", async () => {
  const credit = "credit:eip155:8453:0x00000000000000000000000000000000000000aa" as AccountId;
  await openCustomerAccount(credit);
  const before = await readOwed(prisma(), { chainAccounts: ["base_chain"], unseen: new Map() });
  await pool().query("SELECT ledger_post_arrival('paid', 'payment', $1, 'base_chain', 9, 5, now())", [credit]);
  const readWithout = (unseen: ReadonlyMap<string, bigint>) => readOwed(prisma(), { chainAccounts: ["base_chain"], unseen });
  expect(await readWithout(new Map())).toMatchObject({ credits: 9n, customers: before.customers + 9n });
  expect(await readWithout(new Map([[credit, 4n]]))).toMatchObject({ credits: 5n, customers: before.customers + 5n });
});
