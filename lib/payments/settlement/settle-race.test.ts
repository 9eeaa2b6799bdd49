// Concurrent payments, honest or not: a payment moves once and is credited once, and an honest payer is paid whatever others send.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { fromCents } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { creditPayment } from "../claims/claim-steps";
import { creditAccountOf, readCredit } from "../claims/credits";
import { claim, creditedTo, pay, type SettledChain, signProof, startSettledChain, UNITS_PER_CENT } from "../testing/settled-chain";
import { settleClaim } from "./settle";

await openTestDatabase();
let chain: SettledChain;
beforeAll(async () => {
  chain = await startSettledChain();
});
afterEach(async () => {
  await chain.recordFinal();
  const { rows } = await pool().query<{ nonce: number }>("SELECT nonce FROM relayed ORDER BY nonce");
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, index) => index));
  const open = await pool().query("SELECT id FROM payment_claim WHERE state = 'claimed' OR NOT finalized");
  expect(open.rows).toEqual([]);
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => chain?.stop());

const movedBy = async (address: `0x${string}`, from: bigint) => from - (await chain.balanceOf(address)) / UNITS_PER_CENT;

test("sixty-four replays at once are one transaction on the chain and one credit, and all get the same result", async () => {
  const payer = await chain.newPayer(1_000n);
  const terms = await signProof(chain, payer);
  const replay = async () => {
    const claimed = await claim(terms);
    const settled = await settleClaim(claimed, 30_000);
    if (settled.kind !== "paid") throw new Error(settled.kind);
    await creditPayment(claimed, settled);
    return settled.transaction;
  };
  expect(new Set(await Promise.all(Array.from({ length: 64 }, replay))).size).toBe(1);
  expect(await movedBy(payer.address, 1_000n)).toBe(5n);
  expect(await creditedTo(creditAccountOf(terms.network, terms.payer))).toEqual([fromCents(5)]);
  const { rows } = await pool().query<{ count: bigint }>("SELECT count(*) FROM relayed WHERE id LIKE 'payment_%'");
  expect(rows[0]?.count).toBe(1n);
});

const PAYERS = isLong ? 50 : 12;

test(`${PAYERS} payers at once are all paid`, async () => {
  const payers = await Promise.all(Array.from({ length: PAYERS }, () => chain.newPayer(20n)));
  await chain.readClock();
  const paid = await Promise.all(payers.map(async (payer) => pay(await signProof(chain, payer))));
  expect(new Set(paid.map(({ transaction }) => transaction)).size).toBe(PAYERS);
  for (const payer of payers) expect(await movedBy(payer.address, 20n)).toBe(5n);
});

test("of twelve payments signed on a balance that covers two, two are paid, and the others move nothing", async () => {
  const payer = await chain.newPayer(10n);
  const all = await Promise.all(Array.from({ length: 12 }, () => signProof(chain, payer)));
  const settling = Promise.all(
    all.map(async (terms) => {
      const claimed = await claim(terms);
      const one = await settleClaim(claimed, 30_000);
      if (one.kind === "paid") await creditPayment(claimed, one);
      return one;
    }),
  );
  // What was paid within the second before a balance was read counts beside it: on a busy machine the second payment waits for that second.
  const isOver = settling.then(() => true);
  while (!(await Promise.race([isOver, sleep(500, false)]))) await chain.passMs(2_000);
  const settled = await settling;
  expect(settled.filter(({ kind }) => kind === "paid")).toHaveLength(2);
  for (const one of settled.filter(({ kind }) => kind !== "paid")) {
    expect(one).toMatchObject({ kind: "failed", reason: "wallet_balance_too_low" });
  }
  expect(await chain.balanceOf(payer.address)).toBe(0n);
  expect((await pool().query("SELECT payer FROM payment_waste")).rows).toEqual([]);
  expect(await readCredit(all[0]?.network ?? "", payer.address.toLowerCase())).toBe(fromCents(10));
});
