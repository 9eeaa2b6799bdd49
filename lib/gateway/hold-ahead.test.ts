// Holds ahead, as the request path places, takes and gives them back, on a real ledger: that a busy key waits for one commit, that
// what it asks is charged once and exactly, and that nothing stays set aside and nobody is refused for what is. Monotonic time stands
// still unless a test moves it.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { setClock } from "@/lib/base/clock";
import type { AccountId } from "@/lib/base/ids";
import { forgetOnce } from "@/lib/base/once";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { closeRequestPath, expectBooksToClose } from "@/lib/ledger/testing/closing";
import { fundedAccount, openFunding, openKey } from "@/lib/ledger/testing/fund";
import { refuseNewRequests } from "./drain";
import { releaseHoldsAhead } from "./hold-ahead";
import { ask, askInARow, begin, type Customer, chargesOf, countHolds, heldOf, holdsOf, openCustomer } from "./testing/asking";

await openTestDatabase();
beforeAll(openFunding);
afterAll(closeRequestPath);

/** Monotonic milliseconds. */
let ms = 1_000_000;
beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => ms);
});
afterEach(async () => {
  ms += 60_000;
  try {
    await expect.poll(countHolds, { timeout: 5_000 }).toBe(0);
  } finally {
    vi.restoreAllMocks();
    forgetOnce("gateway drain");
  }
});

test("a key that asks up to three times in a row has nothing set aside", async () => {
  const customer = await openCustomer(1_000);
  for (const _ of [1, 2, 3]) expect([(await ask(customer)).charged, await heldOf(customer)]).toEqual([1n, 0n]);
});

test("with the fourth answer in a row the next hold is on the ledger, with a quarter of room, and its request takes over its id", async () => {
  const customer = await openCustomer(1_000);
  await askInARow(customer);
  const [ahead, ...others] = await holdsOf(customer);
  expect({ ceiling: ahead?.ceiling, others, held: await heldOf(customer) }).toEqual({ ceiling: 125n, others: [], held: 125n });
  expect(await ask(customer, { cost: 17 })).toEqual({ id: ahead?.id, charged: 17n });
  expect((await chargesOf(customer)).filter(({ id }) => id === ahead?.id)).toEqual([{ id: ahead?.id, cost: 17n, loss: 0n }]);
  expect((await readBalance(customer.accountId)).posted).toBe(1_000n - 4n - 17n);
});

test("a pause of 0.9 s ends the row", async () => {
  const customer = await openCustomer(1_000);
  for (const pause of [0, 899, 899, 900, 899, 899]) {
    ms += pause;
    await ask(customer);
    expect(await heldOf(customer)).toBe(0n);
  }
  ms += 899;
  await ask(customer);
  expect(await heldOf(customer)).toBe(125n);
});

test("a hold ahead waits for 0.9 s and no longer, even if nobody has released it yet", async () => {
  const customer = await openCustomer(1_000);
  await askInARow(customer);
  ms += 899;
  const [first] = await holdsOf(customer);
  expect((await ask(customer)).id).toBe(first?.id);
  const [second] = await holdsOf(customer);
  ms += 900;
  expect((await ask(customer)).id).not.toBe(second?.id);
  expect(await heldOf(customer)).toBe(0n);
});

test("one that nobody comes for is released after 0.9 s, and nothing is charged for it", async () => {
  const customer = await openCustomer(1_000);
  await askInARow(customer);
  expect(await heldOf(customer)).toBe(125n);
  ms += 900;
  await expect.poll(() => heldOf(customer)).toBe(0n);
  expect(await chargesOf(customer)).toHaveLength(4);
  await expectBooksToClose();
});

test.each([
  [125, true, "just as much"],
  [126, false, "more"],
  [84, true, "two thirds"],
  [83, false, "less than two thirds"],
])(
  "of 125 ahead a request of %i takes it: %s (%s); the other is given a hold of its own, and the one ahead back",
  async (ceiling, takes) => {
    const customer = await openCustomer(1_000);
    await askInARow(customer);
    const [ahead] = await holdsOf(customer);
    const { id, hold, charge } = await begin(customer, { ceiling });
    expect(id === ahead?.id).toBe(takes);
    expect(hold.requestId).toBe(id);
    expect(await holdsOf(customer)).toEqual([{ id, ceiling: takes ? 125n : BigInt(ceiling) }]);
    expect(await heldOf(customer)).toBe(takes ? 125n : BigInt(ceiling));
    await charge(3);
    expect((await chargesOf(customer)).at(-1)).toEqual({ id, cost: 3n, loss: 0n });
  },
);

test("requests with an idempotency key set nothing aside, and take nothing", async () => {
  const customer = await openCustomer(1_000);
  for (const idempotencyKey of ["a", "b", "c", "d", "e"]) {
    await ask(customer, { idempotencyKey });
    expect(await heldOf(customer)).toBe(0n);
  }
  await askInARow(customer);
  const ahead = await holdsOf(customer);
  expect((await ask(customer, { idempotencyKey: "f" })).id).not.toBe(ahead[0]?.id);
  expect(await holdsOf(customer)).toEqual(ahead);
  await releaseHoldsAhead();
  await ask(customer, { idempotencyKey: "g" });
  expect(await holdsOf(customer)).toEqual([]);
});

test("a caller without a key has nothing set aside", async () => {
  const customer = { accountId: await fundedAccount(1_000), keyId: null };
  for (const _ of [1, 2, 3, 4, 5]) await ask(customer);
  expect(await heldOf(customer)).toBe(0n);
});

test("a process that stops releases what is ahead, and sets nothing aside any more", async () => {
  const [customer, other] = [await openCustomer(1_000), await openCustomer(1_000)];
  for (const one of [customer, other]) await askInARow(one);
  const { charge } = await begin(customer);
  void refuseNewRequests();
  await releaseHoldsAhead();
  expect(await holdsOf(other)).toEqual([]);
  await charge(1);
  expect(await countHolds()).toBe(0);
});

test("the last money: other keys that ask at once are served by what lies ahead", async () => {
  // 126 are left beside what was charged, and 125 of them lie ahead.
  const customer = await openCustomer(130);
  const [first, second] = [await openKey(customer.accountId), await openKey(customer.accountId)];
  await askInARow(customer);
  expect(await heldOf(customer)).toBe(125n);
  const before = begin(await openCustomer(1_000)); // so that those two are decided in one batch
  const others = [first, second].map((keyId) => ask({ accountId: customer.accountId, keyId }, { ceiling: 60 }));
  const [answers] = await Promise.all([Promise.allSettled(others), before.then(({ release }) => release())]);
  expect(answers).toMatchObject([{ value: { charged: 1n } }, { value: { charged: 1n } }]);
});

test("the last money: another key that asks while what lies ahead is being released is served", async () => {
  const customer = await openCustomer(130);
  const other = { accountId: customer.accountId, keyId: await openKey(customer.accountId) };
  await askInARow(customer);
  expect(await heldOf(customer)).toBe(125n);
  const asked = ask(other);
  void releaseHoldsAhead(); // nobody came for it
  expect(await asked).toMatchObject({ charged: 1n });
});

test("beside a hold that is refused in the same batch, the next is kept for its request", async () => {
  const [customer, poor] = [await openCustomer(1_000), await openCustomer(1)];
  for (const _ of [1, 2, 3]) await ask(customer);
  const { charge } = await begin(customer);
  const before = await begin(await openCustomer(1_000));
  const freed = before.release(); // so that the other two are decided in one batch
  const refused = expect(ask(poor)).rejects.toThrow("Insufficient balance");
  await Promise.all([charge(1), refused, freed]);
  const [ahead] = await holdsOf(customer);
  expect((await ask(customer)).id).toBe(ahead?.id);
});

test("a hold ahead counts in its cap's period: once that has ended, the next request has one of its own", async () => {
  const customer = await openCustomer(1_000, { nanoUsd: 500, period: "day" });
  let at = Date.UTC(2026, 0, 8, 23, 59, 59, 999);
  const restoreClock = setClock(() => at);
  await askInARow(customer);
  at = Date.UTC(2026, 0, 9);
  const [ahead] = await holdsOf(customer);
  const { id, hold, charge } = await begin(customer);
  expect(id).not.toBe(ahead?.id);
  expect(hold.periodStart).toEqual(new Date(Date.UTC(2026, 0, 9)));
  expect((await holdsOf(customer)).map((one) => one.id)).toEqual([id]);
  await charge(1);
  restoreClock();
});

test("many keys of a few accounts, in any order: each answer is charged once and exactly, and nothing stays held", async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => fundedAccount(100_000)));
  const customers = await Promise.all(
    Array.from({ length: 16 }, async (_, place) => {
      const accountId = accounts[place % 4] as AccountId;
      return { accountId, keyId: await openKey(accountId, place % 3 === 0 ? { nanoUsd: 50_000, period: "day" } : undefined) };
    }),
  );
  let seed = 7;
  const random = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  const asked = new Map<string, number>();
  const askOften = async (customer: Customer) => {
    for (let round = 0; round < 40; round++) {
      const ceiling = 60 + random(60);
      const idempotencyKey = random(15) === 0 ? `${customer.keyId} ${round}` : undefined;
      const { id, charge, release } = await begin(customer, { ceiling, idempotencyKey });
      if (random(10) === 0) ms += random(1_200);
      const cost = random(130);
      if (random(10) === 0) await release();
      else {
        await charge(cost);
        expect(asked.has(id)).toBe(false);
        asked.set(id, Math.min(cost, ceiling));
      }
    }
  };
  await Promise.all(customers.map(askOften));
  ms += 1_000;
  await expect.poll(countHolds, { timeout: 2_000 }).toBe(0);
  const charges = (await Promise.all(accounts.map((accountId) => chargesOf({ accountId, keyId: null })))).flat();
  expect(new Map(charges.map(({ id, cost }) => [id, Number(cost)]))).toEqual(asked); // ids of charges are unique
  const balances = await Promise.all(accounts.map(readBalance));
  const left = 400_000 - [...asked.values()].reduce((sum, cost) => sum + cost, 0);
  expect(balances.reduce((sum, { posted }) => sum + Number(posted), 0)).toBe(left);
});

test("after all of this the books close", expectBooksToClose);
