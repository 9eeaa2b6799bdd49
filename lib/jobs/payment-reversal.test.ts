// A proof payment whose block leaves the chain: books, reserves and withdrawable balance before, during and after.

import type { PrivateKeyAccount } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { getClaim, type PaymentClaim } from "@/lib/payments/claims/claim";
import { pay, type SettledChain, signProof, startSettledChain } from "@/lib/payments/testing/settled-chain";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { startCustody } from "@/lib/wallets/custody/start-custody";
import { postedOf, spend } from "@/lib/wallets/reserves/testing/reserves-world";
import { readAllowance } from "@/lib/wallets/withdrawals/allowance";
import { checkBooks } from "./check-books";
import { claim, prove, reckoned } from "./testing/payments-world";

await openTestDatabase();
let chain: SettledChain;
let solana: TestSolanaChain;
beforeAll(async () => {
  await openFunding();
  chain = await startSettledChain();
  await startCustody(chain.signer);
  solana = await startTestSolanaChain({ usdcMint: chain.signer.usdcMint });
  setSandboxSolanaNodes([solana.url], solana.genesisHash);
});
afterEach(async () => {
  await rollUpRevenue();
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => Promise.all([chain?.stop(), solana?.remove()]));

const CENT = 10_000_000n;
/** nano-USD that each account spends before its payment is reverted; one token costs one nano-USD. */
const SPENT = 1_000n;

/** Pays 50 cents, spends a part, and links the payer's address to an account. */
async function payAndProve(payer: PrivateKeyAccount) {
  const payment = await pay(await signProof(chain, payer, { cents: 50n }));
  const { creditedAccount, block } = payment;
  if (!creditedAccount || block === null) throw new Error("a payment that is paid says to whom and where");
  await spend(creditedAccount, Number(SPENT) - 1);
  const accountId = await fundedAccount(0n);
  const paid = { claimId: payment.id, chain: "evm", payer: payment.payer, block, account: creditedAccount } as const;
  expect(await prove(paid, accountId)).toBe(50n * CENT - SPENT);
  return { payment, paid, accountId };
}

const stateOf = async ({ id }: PaymentClaim) => {
  const { state, isFinal, block } = await getClaim(id);
  return { state, isFinal, block };
};
const leaves = async (accountId: Parameters<typeof readAllowance>[0]) => (await readAllowance(accountId)).withdrawable;

test("a payment included again in another block only changes its block, and is withdrawable once that block is final", async () => {
  const before = await reckoned();
  const { payment, accountId } = await payAndProve(await chain.newPayer());
  expect([await reckoned(), await leaves(accountId)]).toEqual([before, 0n]);
  await chain.reorg(1);
  expect([await reckoned(), await leaves(accountId)]).toEqual([before, 0n]);
  await chain.mine(2);
  await chain.rounds(3);
  const moved = await stateOf(payment);
  expect(moved).toMatchObject({ state: "paid", isFinal: false });
  expect(moved.block).toBeGreaterThan(payment.block ?? 0);
  expect([await checkBooks(), await reckoned(), await leaves(accountId)]).toEqual([[], before, 0n]);
  await chain.recordFinal();
  expect(await stateOf(payment)).toEqual({ ...moved, isFinal: true });
  expect(await leaves(accountId)).toBe(50n * CENT - SPENT);
  expect(await reckoned()).toEqual({ ...before, held: before.held + 50n * CENT, owed: before.owed + 50n * CENT - SPENT });
});

test("a payment that never returns is reversed at the account that claimed it, before anything could be withdrawn", async () => {
  const before = await reckoned();
  const units = await chain.treasuryUnits();
  const payer = await chain.newPayer();
  const { payment, paid, accountId } = await payAndProve(payer);
  await chain.reorg(1);
  // The payer revokes the allowance before we can submit again.
  await chain.approve(payer, 0n);
  expect([await reckoned(), await leaves(accountId)]).toEqual([before, 0n]);
  await chain.rounds(3);
  expect(await stateOf(payment)).toMatchObject({ state: "paid", isFinal: false });
  expect([await checkBooks(), await reckoned(), await leaves(accountId)]).toEqual([[], before, 0n]);
  await chain.recordFinal();
  await chain.rounds(2);
  expect(await stateOf(payment)).toMatchObject({ state: "reversed" });
  expect(await chain.treasuryUnits()).toBe(units);
  expect([await postedOf(accountId), await postedOf(paid.account), await leaves(accountId)]).toEqual([0n, 0n, 0n]);
  expect(await postedOf("payment_losses")).toBe(-SPENT);
  expect(await reckoned()).toEqual(before);
  expect(await claim(paid, accountId)).toBe(0n);
});
