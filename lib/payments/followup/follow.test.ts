// Payments after their answer: blocks that leave the chain, authorizations that somebody else executes, claims that no client comes back
// for. In the end every credited payment is on the chain, and every payment on the chain is credited.

import type { Hex, PrivateKeyAccount } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { config } from "@/lib/base/config";
import { fromCents, nanoUsd } from "@/lib/base/money";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { recordPriceVersions } from "@/lib/ledger/price-versions";
import { unitPrice } from "@/lib/ledger/testing/books";
import { endHold, openHold } from "@/lib/ledger/testing/hold";
import { fillPrices } from "@/lib/providers/prices";
import { getRelayed } from "@/lib/relay/relayed";
import { collectDebts } from "@/lib/wallets/deposits/collect-debts";
import { getClaim, type PaymentClaim, type PaymentTerms, relayIdOf } from "../claims/claim";
import { recordFailed } from "../claims/claim-steps";
import { readCredit } from "../claims/credits";
import { settleClaim } from "../settlement/settle";
import { claim, pay, type SettledChain, signExact, signProof, startSettledChain } from "../testing/settled-chain";

await openTestDatabase();
let chain: SettledChain;
beforeAll(async () => {
  chain = await startSettledChain();
  await recordPriceVersions([{ id: unitPrice, model: "model", prices: fillPrices({ input: nanoUsd(1), output: nanoUsd(1) }) }]);
});
afterEach(async () => {
  await chain.client.setAutomine(true);
  await chain.rounds(1);
  await chain.recordFinal();
  const { rows } = await pool().query<{ units: bigint | null }>(
    "SELECT (-sum(amount) / 1000)::bigint AS units FROM entry WHERE account_id = 'base_chain'",
  );
  expect(await chain.treasuryUnits()).toBe(rows[0]?.units ?? 0n);
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => chain?.stop());

const creditOf = ({ network, payer }: PaymentTerms) => readCredit(network, payer);

const balanceOf = async (account: string) =>
  (await pool().query("SELECT posted, held, debt FROM ledger_account WHERE id = $1", [account])).rows[0];

/** The operator's loss on a reversed payment, minus what was recovered. */
async function lossesOf({ id }: PaymentClaim): Promise<bigint> {
  const { rows } = await pool().query<{ lost: bigint }>(
    "SELECT coalesce(sum(amount), 0)::bigint AS lost FROM entry WHERE account_id = 'payment_losses' AND transfer_id LIKE '%' || $1 || '%'",
    [id],
  );
  return rows[0]?.lost ?? 0n;
}

/** Undoes the last blocks, drops their transactions, and turns automatic mining off. */
async function undo(blocks: number): Promise<void> {
  await chain.client.setAutomine(false);
  await chain.reorg(blocks);
  await chain.client.request({ method: "anvil_dropAllTransactions" as never });
}

/** Somebody else uses the nonce of a transaction of ours, for good. */
async function useNonceOf(paid: PaymentClaim): Promise<void> {
  const { address } = chain.relayer;
  await chain.client.impersonateAccount({ address });
  await chain.client.sendTransaction({
    account: address,
    to: address,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
  });
  await chain.mine(1);
  await chain.client.setAutomine(true);
  await chain.recordFinal();
  await chain.rounds(2);
  expect(await getRelayed(relayIdOf(paid))).toMatchObject({ state: "lost" });
}

async function revokeFirst(payer: PrivateKeyAccount): Promise<void> {
  const data: Hex = `0x095ea7b3${chain.contract.slice(2).padStart(64, "0")}${"0".repeat(64)}`;
  const fees = { gas: 100_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
  await chain.client.sendTransaction({ account: payer, to: chain.usdc, data, ...fees });
}

test("a payment whose block leaves the chain is included in another one, and stays paid", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  const paid = await pay(terms);
  await undo(1);
  await chain.rounds(1);
  expect(await getClaim(paid.id)).toMatchObject({ state: "paid", isFinal: false });
  await chain.mine(2);
  await chain.client.setAutomine(true);
  await chain.recordFinal();
  const after = await getClaim(paid.id);
  expect(after).toMatchObject({ state: "paid", isFinal: true, transaction: paid.transaction });
  expect(await creditOf(terms)).toBe(fromCents(5));
});

test("a credit whose transaction can never be mined again is taken back, whole while it is unspent; the payer may pay again", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  const paid = await pay(terms);
  await undo(1);
  await useNonceOf(paid);
  expect(await getClaim(paid.id)).toMatchObject({ state: "reversed", isFinal: true });
  expect(await creditOf(terms)).toBe(0n);
  expect(await pay(terms)).toMatchObject({ state: "paid", attempt: 2, id: paid.id });
  expect(await creditOf(terms)).toBe(fromCents(5));
});

test("of a partly held credit the free part is taken back at once, the rest when the hold has ended, and nothing is lost", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  const paid = await pay(terms);
  const [account, held] = [paid.creditedAccount ?? "", fromCents(3)];
  const hold = await openHold(account, held);
  await undo(1);
  await useNonceOf(paid);
  expect(await getClaim(paid.id)).toMatchObject({ state: "reversed" });
  expect(await balanceOf(account)).toEqual({ posted: held, held, debt: held });
  expect(await checkBooks()).toEqual([]);
  await endHold(hold, null);
  await collectDebts();
  expect(await balanceOf(account)).toEqual({ posted: 0n, held: 0n, debt: 0n });
  expect(await lossesOf(paid)).toBe(0n);
});

test("of a credit that was partly spent the operator bears the spent part, and no balance falls below zero", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  const paid = await pay(terms);
  const [account, spent] = [paid.creditedAccount ?? "", fromCents(3)];
  const open = await openHold(account, spent);
  await undo(1);
  await useNonceOf(paid);
  await endHold(open, { input: Number(spent), output: 0, details: { paidBy: "payment" } });
  await collectDebts();
  expect(await balanceOf(account)).toEqual({ posted: 0n, held: 0n, debt: 0n });
  expect(await lossesOf(paid)).toBe(-spent);
});

test("a payment that moved in one block and not in its replacement is taken back", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  const paid = await pay(terms);
  await undo(1);
  await chain.rounds(1);
  await revokeFirst(payer);
  await chain.mine(1);
  await chain.client.setAutomine(true);
  await chain.recordFinal();
  await chain.rounds(1);
  expect(await getRelayed(relayIdOf(paid))).toMatchObject({ state: "failed", isFinal: true });
  expect(await getClaim(paid.id)).toMatchObject({ state: "reversed" });
  expect(await creditOf(terms)).toBe(0n);
});

test("a payment that failed in a block and moves in its replacement is credited, although no request waits for it", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  const claimed = await claim(terms);
  await chain.client.setAutomine(false);
  expect(await settleClaim(claimed, 50)).toEqual({ kind: "pending" });
  await revokeFirst(payer);
  await chain.mine(1);
  expect(await settleClaim(claimed, 30_000)).toMatchObject({ kind: "failed", reason: "allowance_too_low" });
  await undo(1);
  await chain.rounds(1);
  await chain.mine(1);
  await chain.client.setAutomine(true);
  await chain.rounds(2);
  expect(await getClaim(claimed.id)).toMatchObject({ state: "paid" });
  expect(await creditOf(terms)).toBe(fromCents(5));
});

const cover = (id: string) => pool().query("SELECT payments_cover($1)", [id]);
/** Executes an authorization, as anybody may. */
const carryOut = async (call: { to: Hex; data: Hex }) => {
  const hash = await chain.client.sendTransaction({ account: chain.minter, ...call });
  await chain.client.waitForTransactionReceipt({ hash });
};

test("an authorization that we did not submit and somebody else executes is credited, once its time is over", async () => {
  const payer = await chain.newPayer(100n);
  const [covered, left, failed] = [await signExact(chain, payer), await signExact(chain, payer), await signExact(chain, payer)];
  const ids = [];
  for (const { terms } of [covered, left, failed]) ids.push((await claim(terms)).id);
  const [coveredId = "", leftId = "", failedId = ""] = ids;
  await cover(coveredId);
  expect(await recordFailed(await getClaim(failedId), false, { reason: "settlement_failed" })).toBe(true);
  for (const { call } of [covered, left, failed]) await carryOut(call);
  await chain.rounds(1);
  expect(await creditOf(covered.terms)).toBe(0n);
  await chain.passMs(120_000);
  await chain.recordFinal();
  for (const id of ids) expect(await getClaim(id)).toMatchObject({ state: "paid" });
  expect(await getClaim(leftId)).toMatchObject({ transaction: expect.stringMatching(/^0x/) as string });
  expect(await creditOf(covered.terms)).toBe(fromCents(15));
});

test("a payment that was not submitted in its time is closed, and no longer looked for", async () => {
  const payer = await chain.newPayer(100n);
  const exact = await signExact(chain, payer);
  const covered = await claim(exact.terms);
  await cover(covered.id);
  const proof = await claim(await signProof(chain, payer));
  await chain.passMs(config().PAYMENT_WAIT_MS + 400_000);
  await chain.recordFinal();
  expect(await getClaim(covered.id)).toMatchObject({ state: "covered", isFinal: true });
  expect(await getClaim(proof.id)).toMatchObject({ state: "failed", failure: "expired", isFinal: true });
  expect(await settleClaim(await claim(proof), 1_000)).toMatchObject({ kind: "failed", reason: "expired" });
});

test("the job leaves claims alone that a request is about to settle, and settles those whose notice was lost", async () => {
  const payer = await chain.newPayer(100n);
  const claimed = await claim(await signProof(chain, payer));
  await chain.rounds(1);
  expect(await getClaim(claimed.id)).toMatchObject({ state: "claimed", isRelayed: false });
  // Its notice was lost.
  await chain.passMs(3_000);
  await chain.rounds(2);
  expect(await getClaim(claimed.id)).toMatchObject({ state: "claimed", isRelayed: true, transaction: expect.any(String) as string });
  expect(await pay(claimed)).toMatchObject({ state: "paid", attempt: 1 });
});
