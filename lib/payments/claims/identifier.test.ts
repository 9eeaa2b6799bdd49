// An identifier belongs to one payment, in every process, until that payment is known to have moved nothing.

import type { Hex } from "viem";
import { beforeAll, expect, test } from "vitest";
import { now } from "@/lib/base/clock";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import type { PaymentOrder } from "../testing/payment-child";
import { exactTerms } from "../testing/terms";
import { findIdentified, type PaymentClaim, type PaymentTerms } from "./claim";
import { claimPayment } from "./claim-payment";
import { recordFailed } from "./claim-steps";

const database = await openTestDatabase();
let program: string;
beforeAll(() => {
  program = bundleProgram("lib/payments/testing/payment-child.ts");
});

let last = 0;
const newIdentifier = (): string => `pay_identifier_${++last}`;
const termsOf = (identifier: string | null): PaymentTerms => exactTerms({ payer: newAddress() as Hex, identifier });

async function claimOf(terms: PaymentTerms): Promise<PaymentClaim> {
  const taken = await claimPayment(terms);
  if (taken.kind !== "claimed") throw new Error(taken.kind);
  return taken.claim;
}

const fail = async (claim: PaymentClaim) => expect(await recordFailed(claim, false, { reason: "expired" })).toBe(true);

test("it is found with its payment, and the same payment keeps it, also when it comes without one", async () => {
  const id = newIdentifier();
  const terms = termsOf(id);
  const claim = await claimOf(terms);
  expect(await findIdentified(id)).toEqual(claim);
  expect((await claimOf(terms)).id).toBe(claim.id);
  expect((await claimOf({ ...terms, identifier: null })).identifier).toBe(id);
  expect(await findIdentified(newIdentifier())).toBeNull();
});

test("another payment cannot have it, nor the same payment another one", async () => {
  const id = newIdentifier();
  const terms = termsOf(id);
  await claimOf(terms);
  expect(await claimPayment(termsOf(id))).toEqual({ kind: "identifier_conflict" });
  expect(await claimPayment({ ...terms, identifier: newIdentifier() })).toEqual({ kind: "identifier_conflict" });
  const plain = termsOf(null);
  await claimOf(plain);
  expect(await claimPayment({ ...plain, identifier: id })).toEqual({ kind: "identifier_conflict" });
});

test("a payment that came without one gets the first that it comes with", async () => {
  const id = newIdentifier();
  const terms = termsOf(null);
  const { id: claimId } = await claimOf(terms);
  await claimOf({ ...terms, identifier: id });
  expect((await findIdentified(id))?.id).toBe(claimId);
});

test("it is free again when its payment moved nothing, and then the first comer has it", async () => {
  const id = newIdentifier();
  const [first, second] = [termsOf(id), termsOf(id)];
  await fail(await claimOf(first));
  const { id: secondId } = await claimOf(second);
  expect((await findIdentified(id))?.id).toBe(secondId);
  expect(await claimPayment(first)).toEqual({ kind: "identifier_conflict" });
  expect((await claimOf({ ...first, identifier: newIdentifier() })).state).toBe("claimed");
});

test("a failed payment that is claimed again keeps it", async () => {
  const id = newIdentifier();
  const terms = termsOf(id);
  const claim = await claimOf(terms);
  await fail(claim);
  expect(await claimOf(terms)).toMatchObject({ id: claim.id, state: "claimed", identifier: id });
});

test("of thirty-two payments with one identifier at once, one is claimed", async () => {
  const id = newIdentifier();
  const taken = await Promise.all(Array.from({ length: 32 }, () => claimPayment(termsOf(id))));
  expect(taken.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
  expect(taken.filter(({ kind }) => kind === "identifier_conflict")).toHaveLength(31);
});

test("of failed payments that come again at once with one identifier, one is claimed", async () => {
  const id = newIdentifier();
  const all = Array.from({ length: 16 }, () => termsOf(null));
  for (const terms of all) await fail(await claimOf(terms));
  const taken = await Promise.all(all.map((terms) => claimPayment({ ...terms, identifier: id })));
  expect(taken.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
});

test("two processes at once: of all payments with one identifier one is claimed", async () => {
  const id = newIdentifier();
  const orderOf = (count: number): PaymentOrder => ({
    payments: Array.from({ length: count }, () => {
      const { amount, bodyHash, validUntil, ...terms } = termsOf(id);
      return { ...terms, amount: `${amount}`, bodyHash: bodyHash.toString("hex"), validUntil: validUntil.toJSON() };
    }),
    // Without the relayer it settles nothing, and ends once the wait is over.
    databaseUrl: database.url,
    nodeUrl: "http://127.0.0.1:1",
    nowMs: now().getTime(),
    waitMs: 1,
    rounds: 0,
    isWeb: true,
    killAt: 0,
    sent: false,
  });
  const words = await Promise.all([runProgram(program, orderOf(8)), runProgram(program, orderOf(8))]);
  const outcomes = words.flatMap((word) => word?.outcome.split(",") ?? []);
  expect(outcomes.filter((outcome) => outcome === "identifier_conflict")).toHaveLength(15);
  expect(outcomes).toHaveLength(16);
});
