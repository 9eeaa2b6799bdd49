// Payments killed at each of their statements: the job finishes those under way and credits them to their payers, and the same payment sent
// again pays nothing twice.

import type { Hex, PrivateKeyAccount } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { config } from "@/lib/base/config";
import { fromCents } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import type { Death, LastWords } from "@/lib/db/testing/death";
import { dieAtEach, type Moment, runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { findClaim, type PaymentTerms } from "../claims/claim";
import { creditAccountOf } from "../claims/credits";
import type { PaymentOrder } from "../testing/payment-child";
import { claim, creditedTo, pay, type SettledChain, signProof, startSettledChain, UNITS_PER_CENT } from "../testing/settled-chain";
import { settleClaim } from "./settle";

const database = await openTestDatabase();
let program: string;
let chain: SettledChain;
beforeAll(async () => {
  program = bundleProgram("lib/payments/testing/payment-child.ts");
  chain = await startSettledChain();
});
afterAll(() => chain?.stop());

async function runChild(terms: readonly PaymentTerms[], wanted: Partial<PaymentOrder> = {}): Promise<LastWords | null> {
  await chain.readClock();
  const payments = terms.map(({ amount, bodyHash, validUntil, ...rest }) => {
    return { ...rest, amount: `${amount}`, bodyHash: bodyHash.toString("hex"), validUntil: validUntil.toJSON() };
  });
  const order: PaymentOrder = {
    databaseUrl: database.url,
    nodeUrl: chain.url(),
    nowMs: chain.clockMs(),
    payments,
    waitMs: 5_000,
    rounds: 0,
    isWeb: false,
    killAt: 0,
    sent: false,
    ...wanted,
  };
  return runProgram(program, order);
}

const movedBy = async ({ address }: PrivateKeyAccount, from: bigint) => from - (await chain.balanceOf(address as Hex)) / UNITS_PER_CENT;

async function expectTheSame(payer: PrivateKeyAccount, { network, payer: address, nonce }: PaymentTerms): Promise<void> {
  const moved = await movedBy(payer, 100n);
  const claimed = await findClaim(network, address, nonce);
  expect([0n, 5n]).toContain(moved);
  // Chain, claim and books agree.
  expect(claimed?.state === "paid").toBe(moved === 5n);
  expect(await creditedTo(creditAccountOf(network, address))).toEqual(moved === 5n ? [fromCents(5)] : []);
}

async function expectNoGap(): Promise<void> {
  await chain.recordFinal();
  const { rows } = await pool().query<{ nonce: number }>("SELECT nonce FROM relayed ORDER BY nonce");
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, index) => index));
  expect(await chain.client.getTransactionCount({ address: chain.relayer.address })).toBe(rows.length);
  expect(await checkBooks()).toEqual([]);
}

/** The client sends the payment again, or never. */
async function liveAndDie(moment: Moment, comesAgain: boolean): Promise<void> {
  const live = async (death: Death) => {
    const payer = await chain.newPayer(100n);
    const terms = await signProof(chain, payer);
    const words = await runChild([terms], death);
    if (comesAgain) {
      expect(await pay(terms)).toMatchObject({ state: "paid" });
    } else {
      await chain.passMs(config().PAYMENT_WAIT_MS + 10_000);
      await chain.rounds(1);
    }
    await expectTheSame(payer, terms);
    return words;
  };
  await dieAtEach({ name: `payment ${moment} ${comesAgain}`, moments: [moment], least: 14, live, others: 0 });
  await expectNoGap();
}

test("killed with -9 before its statements, a payment is finished by the same payment sent again, once", async () => {
  await liveAndDie("before", true);
}, 900_000);

test("killed with -9 at its statements, their answers unseen, and its client gone: the job credits the payer if it moved", async () => {
  await liveAndDie("unseen", false);
}, 900_000);

test("the job killed with -9 while it finishes a payment continues where it stopped", async () => {
  const live = async (death: Death) => {
    const payer = await chain.newPayer(100n);
    const terms = await signProof(chain, payer);
    await chain.client.setAutomine(false);
    expect(await settleClaim(await claim(terms), 0)).toEqual({ kind: "pending" });
    await chain.mine(1);
    await chain.client.setAutomine(true);
    await chain.passMs(config().PAYMENT_WAIT_MS + 10_000);
    const words = await runChild([], { rounds: 2, ...death });
    await chain.rounds(1);
    await expectTheSame(payer, terms);
    return words;
  };
  await dieAtEach({ name: "the payments' job", moments: ["before"], least: 8, live, others: 0 });
  await expectNoGap();
}, 900_000);

test("a process without the relayer has its payments settled by one that has it", async () => {
  const payers = [];
  for (let index = 0; index < 8; index++) payers.push(await chain.newPayer(100n));
  const terms = await Promise.all(payers.map((payer) => signProof(chain, payer)));
  const web = runChild(terms, { isWeb: true, waitMs: 20_000 });
  // This process has the relayer, and gets notices of claims from its first round on.
  await chain.rounds(1);
  expect(await web).toMatchObject({ outcome: terms.map(() => "paid").join() });
  for (const payer of payers) expect(await movedBy(payer, 100n)).toBe(5n);
  await expectNoGap();
});
