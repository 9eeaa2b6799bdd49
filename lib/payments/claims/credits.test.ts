// Credits under concurrent operations: paid into, held and spent from, moved to an account, taken back. No unit is created or lost, and
// none is spent that is not there.

import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import type { Wallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { endHold, tryHold } from "@/lib/ledger/testing/hold";
import { finalIn, paidIn, reversed } from "../testing/credited";
import { claimCredit, creditAccountOf, readCredit } from "./credits";
import { networkOf } from "./networks";

await openTestDatabase();
beforeAll(openFunding);

const UNIT = 1_000n;

type Step =
  | { kind: "pay"; units: number }
  | { kind: "spend"; ceiling: number; cost: number }
  | { kind: "move" }
  | { kind: "finalize"; which: number }
  | { kind: "reverse"; which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("pay" as const), units: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("spend" as const),
      ceiling: fc.integer({ min: 0, max: 12_000 }),
      cost: fc.integer({ min: 1, max: 14_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("move" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("finalize" as const), which: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reverse" as const), which: fc.nat(20) }) },
);
/** Groups of concurrent steps, run one group after the other. */
const life = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 });

const postedOf = async (account: AccountId): Promise<bigint> =>
  (await pool().query<{ posted: bigint }>("SELECT ledger_posted($1) AS posted", [account])).rows[0]?.posted ?? 0n;

/** A wallet that an account has proved, and its totals in nano-USD. */
class Payer {
  readonly #claims: string[] = [];
  paid = 0n;
  charged = 0n;
  moved = 0n;
  takenBack = 0n;

  private constructor(
    readonly wallet: Wallet,
    readonly account: AccountId,
  ) {}

  static async open(): Promise<Payer> {
    const wallet: Wallet = { chain: "evm", address: `0x${randomBytes(20).toString("hex")}` };
    const account = await fundedAccount(0n);
    await pool().query("INSERT INTO identity (chain, address, account_id, linked_at, is_first) VALUES ($1, $2, $3, now(), true)", [
      ...[wallet.chain, wallet.address, account],
    ]);
    return new Payer(wallet, account);
  }

  get credit(): AccountId {
    return creditAccountOf(networkOf("evm"), this.wallet.address);
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "pay":
        return this.#pay(BigInt(step.units) * UNIT);
      case "spend":
        return this.#spend(step.ceiling, step.cost);
      case "move":
        return this.#move();
      case "finalize":
        return this.#finalize(this.#claims[step.which]);
      case "reverse":
        return this.#reverse(this.#claims[step.which]);
    }
  }

  async #pay(amount: bigint): Promise<void> {
    this.#claims.push(await paidIn(7, { chain: "evm", payer: this.wallet.address, amount }));
    this.paid += amount;
  }

  async #move(): Promise<void> {
    const moved = await claimCredit(this.account, this.wallet);
    this.moved += moved;
  }

  /** A request that may cost more than its hold. */
  async #spend(ceiling: number, cost: number): Promise<void> {
    const hold = await tryHold(this.credit, BigInt(ceiling));
    if (!hold) return;
    const paid = await endHold(hold, { input: cost, output: 1 });
    this.charged += paid;
  }

  async #finalize(claim: string | undefined): Promise<void> {
    if (claim) await finalIn(7, claim);
  }

  async #reverse(claim: string | undefined): Promise<void> {
    if (!claim) return;
    const lost = await reversed(claim);
    if (lost === null) return;
    const { rows } = await pool().query<{ amount: bigint }>("SELECT amount FROM payment_claim WHERE id = $1", [claim]);
    this.takenBack += (rows[0]?.amount ?? 0n) - lost;
  }

  /** No hold is open any more: debts are collected now, or lost. */
  async collect(): Promise<void> {
    for (const account of [this.credit, this.account]) {
      const { rows } = await pool().query<{ lost: bigint | null }>("SELECT ledger_collect_debts($1, now()) AS lost", [account]);
      expect(rows[0]?.lost).not.toBeNull();
      this.takenBack -= rows[0]?.lost ?? 0n;
    }
  }

  async expectWhole(): Promise<void> {
    const [credit, own] = [await postedOf(this.credit), await postedOf(this.account)];
    expect(credit + own).toBe(this.paid - this.charged - this.takenBack);
    // A reversal takes from either.
    expect(credit).toBeLessThanOrEqual(this.paid - this.charged - this.moved);
    expect(own).toBeLessThanOrEqual(this.moved);
    expect(await readCredit(networkOf("evm"), this.wallet.address)).toBeGreaterThanOrEqual(0n);
  }
}

test("a credit is what was paid minus what was charged, moved and taken back; it is never negative", {
  timeout: isLong ? 3_600_000 : 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(life, async (times) => {
      const payer = await Payer.open();
      for (const steps of times) {
        await Promise.all(steps.map((one) => payer.take(one)));
        await payer.collect();
        await payer.expectWhole();
      }
    }),
    { numRuns: isLong ? 3_000 : 30, ...(isLong ? {} : { seed: 20_261_121 }) },
  );
  expect(await checkBooks()).toEqual([]);
});

test("of requests that want one credit at once, one gets it", async () => {
  const payer = await Payer.open();
  await payer.take({ kind: "pay", units: 10 });
  const spends = Array.from({ length: 8 }, () => payer.take({ kind: "spend", ceiling: 6_000, cost: 5_999 }));
  await Promise.all(spends);
  expect(payer.charged).toBe(6_000n);
  await payer.expectWhole();
});

test("a wallet's credit can only be moved to its own account", async () => {
  const [payer, other] = [await Payer.open(), await Payer.open()];
  await payer.take({ kind: "pay", units: 3 });
  await expect(claimCredit(other.account, payer.wallet)).rejects.toThrow("is not the account's");
  expect(await readCredit(networkOf("evm"), payer.wallet.address)).toBe(3n * UNIT);
});
