// Payments as their owner sees them, from the drafted text to the moved credit; on a real chain, through the API itself.

import { expect, test } from "vitest";
import type { AccountId, SessionId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { displayAddress } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { openAccount } from "@/lib/gateway/contract/testing/accounts";
import { balanceOf } from "@/lib/gateway/contract/testing/books";
import { ask, promptOf, readPromptBody } from "@/lib/gateway/contract/testing/client";
import { creditOf, linkWallet, openPayments, type Payer } from "@/lib/gateway/contract/testing/payments";
import { openService } from "@/lib/gateway/contract/testing/service";
import { readForm } from "../answer";
import type { Owner } from "../owner";
import { drawnPaymentForm, drawPayment } from "./payment-proof";
import { findPaymentsOffer } from "./payment-target";
import { claimOwnCredit, readPaymentsPage } from "./payments";

const service = await openService({ env: { PAYMENT_WAIT_MS: "10000" } });
const payments = await openPayments();
const url = service.url("node");

const ownerOf = (accountId: AccountId): Owner => ({
  accountId,
  sessionId: "ses_test" as SessionId,
  isFrozen: false,
  isLeaving: false,
  confirmedAt: new Date(0),
  spendsUntil: null,
  wallet: { chain: "evm", address: `0x${"4f".repeat(20)}` },
});
const walletOf = ({ from }: Payer) => ({ chain: "evm" as const, address: displayAddress({ chain: "evm", address: from }) });

/** Drafts a payment as the page does, through the form. */
async function draw(owner: Owner, wish: object) {
  const read = readForm(drawnPaymentForm, wish);
  return read.ok ? drawPayment(owner, read.form) : read;
}

/** Pays for a prompt through the API, as the playground does; the cost in nano-USD comes from the page. */
async function pay({ accountId, key }: { accountId: AccountId; key: string }, { account }: Payer, cents = 5) {
  const drawn = await draw(ownerOf(accountId), { from: account.address, cents });
  if (!drawn.ok) throw new Error(drawn.message);
  const { text, ...fields } = drawn.payment;
  const payment = { ...fields, signature: await account.signMessage({ message: text }) };
  const answer = await ask({ url, key, body: promptOf({ payment }) });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"payment"')]);
  return readPromptBody(answer.text);
}

test("a new account has no payments and no credits, and is offered the contract once it is deployed", async () => {
  const { accountId } = await openAccount();
  expect(await readPaymentsPage(ownerOf(accountId))).toEqual({
    offer: {
      kind: "open",
      minimumCents: 1,
      target: {
        chainId: 31_337,
        usdc: payments.chain.usdc.toLowerCase(),
        isSandbox: true,
        walletRpcUrl: payments.chain.url(),
        contract: payments.contract,
      },
    },
    credits: [],
    payments: [],
    older: null,
  });
});

test("while no node answers whether the contract is deployed, it is not offered; with another chain id it never is", async () => {
  forgetSingleton("settlement contracts seen");
  setSandboxEvmNodes(["http://127.0.0.1:9"]);
  expect(await findPaymentsOffer()).toEqual({ kind: "coming" });
  setSandboxEvmNodes([payments.chain.url()]);
  expect((await findPaymentsOffer()).kind).toBe("open");
  process.env.BASE_CHAIN_ID = "8453";
  forgetSingleton("config");
  try {
    expect(await findPaymentsOffer()).toEqual({ kind: "none" });
  } finally {
    delete process.env.BASE_CHAIN_ID;
    forgetSingleton("config");
  }
});

test("a payment from the owner's own wallet is listed with its cost, and its change is in the balance", async () => {
  const account = await openAccount({ usd: "0" });
  const payer = await payments.newPayer();
  await linkWallet(account.accountId, payer);
  const { requestId } = await pay(account, payer, 7);
  const { payments: listed, credits } = await readPaymentsPage(ownerOf(account.accountId));
  expect(listed).toMatchObject([
    {
      chain: "base",
      isX402: false,
      payer: walletOf(payer).address,
      amount: fromCents(7),
      state: "paid",
      requestId,
      changeBelongsTo: "account",
      transactionUrl: null,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    },
  ]);
  const [row] = listed;
  expect(row?.cost).toBeGreaterThan(0n);
  expect(row?.change).toBe(await balanceOf(account.accountId));
  expect((row?.cost ?? 0n) + (row?.change ?? 0n)).toBe(fromCents(7));
  expect(credits).toEqual([]);
});

test("an unlinked wallet pays with a key: the key's owner sees it; the change stays at the address until its owner moves it", async () => {
  const [account, ownerOfPayer] = [await openAccount({ usd: "0" }), await openAccount({ usd: "0" })];
  const payer = await payments.newPayer();
  await pay(account, payer);
  const seen = await readPaymentsPage(ownerOf(account.accountId));
  expect(seen.payments).toMatchObject([{ state: "paid", changeBelongsTo: "address" }]);
  expect(seen.credits).toEqual([]);
  expect(await balanceOf(account.accountId)).toBe(0n);

  const owner = ownerOf(ownerOfPayer.accountId);
  expect((await readPaymentsPage(owner)).payments).toEqual([]);
  await linkWallet(owner.accountId, payer);
  const credit = await creditOf(payer);
  const page = await readPaymentsPage(owner);
  expect(page.credits).toEqual([{ ...walletOf(payer), amount: credit }]);
  expect(page.payments).toMatchObject([{ change: credit, changeBelongsTo: "address" }]);

  expect(await claimOwnCredit({ ...owner, isFrozen: true }, walletOf(payer))).toMatchObject({ ok: false });
  expect(await claimOwnCredit(ownerOf(account.accountId), walletOf(payer))).toMatchObject({
    ok: false,
    message: expect.stringMatching(/not linked/),
  });
  expect(await creditOf(payer)).toBe(credit);
  expect(await claimOwnCredit(owner, walletOf(payer))).toEqual({ ok: true, amount: credit });
  expect([await creditOf(payer), await balanceOf(owner.accountId)]).toEqual([0n, credit]);
  expect(await claimOwnCredit(owner, walletOf(payer))).toMatchObject({ ok: false, message: expect.stringMatching(/no credit left/) });
  expect((await readPaymentsPage(owner)).credits).toEqual([]);
});

test("a failed payment shows the reason and cost nothing; a waiting one has no cost yet", async () => {
  const account = await openAccount({ usd: "0" });
  const payer = await payments.newPayer({ allowance: 10_000n });
  const payment = await payments.signPayment(payer, { amount: 5 });
  expect((await ask({ url, key: account.key, body: promptOf({ payment }) })).status).toBe(402);
  const [failed] = (await readPaymentsPage(ownerOf(account.accountId))).payments;
  expect(failed).toMatchObject({ state: "failed", failure: "the allowance was too low", cost: 0n, change: null, transaction: null });
  await pool().query("UPDATE payment_claim SET state = 'claimed', failure = NULL WHERE id = $1", [failed?.id]);
  const [waiting] = (await readPaymentsPage(ownerOf(account.accountId))).payments;
  expect(waiting).toMatchObject({ state: "claimed", cost: null, change: null });
  await pool().query("DELETE FROM payment_claim WHERE id = $1", [failed?.id]);
});

test("older payments have their own page, and an invalid cursor shows the newest", async () => {
  const account = await openAccount({ usd: "0" });
  const owner = ownerOf(account.accountId);
  const payer = await payments.newPayer();
  await pay(account, payer);
  await pool().query(
    `INSERT INTO payment_claim SELECT (jsonb_populate_record(c, jsonb_build_object('id', 'pay_' || lpad(n::text, 20, '0'), 'nonce', 'copy ' || n,
       'state', 'failed', 'failure', 'expired', 'finalized', true, 'credited_account', null, 'claimed_at', c.claimed_at - n * interval '1 minute'))).*
     FROM payment_claim c, generate_series(1, 30) n WHERE c.account_id = $1`,
    [account.accountId],
  );
  const first = await readPaymentsPage(owner);
  expect(first.payments).toHaveLength(25);
  expect(first.older).toMatch(/^\d+\.pay_\w{20}$/);
  const second = await readPaymentsPage(owner, first.older);
  expect([second.payments.length, second.older]).toEqual([6, null]);
  expect(new Set([...first.payments, ...second.payments].map(({ id }) => id)).size).toBe(31);
  for (const nonsense of ["", "1.pay_x", "'; --", ["a"], {}]) expect((await readPaymentsPage(owner, nonsense)).payments).toHaveLength(25);
  await pool().query("DELETE FROM payment_claim WHERE account_id = $1 AND nonce LIKE 'copy %'", [account.accountId]);
});

test("each drafted payment has its own number; invalid amounts, addresses and frozen accounts are refused", async () => {
  const owner = ownerOf((await openAccount()).accountId);
  const { from } = await payments.newPayer();
  const [one, other] = [await draw(owner, { from, cents: 3 }), await draw(owner, { from, cents: 3 })];
  if (!one.ok || !other.ok) throw new Error("it was not drawn up");
  expect(one.payment.requestId).not.toBe(other.payment.requestId);
  expect(one.payment).toMatchObject({ from: displayAddress({ chain: "evm", address: from }), amount: 3, network: "base" });
  expect(one.payment.text).toBe(
    `PennyPrompt Payment\nRequest ID: ${one.payment.requestId}\nAmount: 3 USDC cents\nTimestamp: ${one.payment.timestamp}`,
  );
  expect(await draw({ ...owner, isFrozen: true }, { from, cents: 3 })).toMatchObject({
    ok: false,
    message: expect.stringMatching(/frozen/),
  });
  for (const wish of [{ from: "0x12", cents: 3 }, { from, cents: 0 }, { from, cents: 1.5 }, { from }, { from, cents: 3, more: 1 }]) {
    expect(await draw(owner, wish)).toMatchObject({ ok: false });
  }
});
