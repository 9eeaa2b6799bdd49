// Signed payments when something else fails: the chain, the model, the client, the process. At most one payment per answer, at most one
// answer per payment, and no payer pays without an answer or a credit.

import { describe, expect, test, vi } from "vitest";
import { setClock } from "@/lib/base/clock";
import { fromCents } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { contractWallets, factory, undeployed } from "@/lib/chains/evm/testing/contract-wallets";
import { pool } from "@/lib/db/pool";
import { findClaim } from "@/lib/payments/claims/claim";
import { settleClaim } from "@/lib/payments/settlement/settle";
import { recordInputOverrun } from "../prompt/quote";
import { openAccount } from "./testing/accounts";
import { awaitNothingHeld, balanceOf, chargesOf, expectUncharged, openHolds, until } from "./testing/books";
import { type Answer, ask, misbehaving, open, promptOf, readCosts, readError, readEvents } from "./testing/client";
import { claimsOf, creditOf, linkWallet, openPayments, type Payer } from "./testing/payments";
import { entryNames, openService } from "./testing/service";

const service = await openService({ env: { PAYMENT_WAIT_MS: "1000" } });
const payments = await openPayments();
const CENTS_5 = fromCents(5);
const UNITS_5 = 50_000n;
const MINUTE_MS = 60_000;

function expectPending(answer: Answer, reason: string): void {
  const { details } = readError(answer, "SETTLEMENT_PENDING");
  expect(details.reason).toBe(reason);
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
}

/** One payment of five cents, one answer and one charge. */
async function expectOncePaid(payer: Payer, account = payer.credit): Promise<void> {
  await awaitNothingHeld();
  expect(await payments.usdcOf(payer.from)).toBe(100_000_000n - UNITS_5);
  expect(await claimsOf(payer)).toEqual([expect.objectContaining({ state: "paid" })]);
  expect(await chargesOf(account)).toHaveLength(1);
}

/** The next statement with these words is executed, and its connection breaks before the result arrives. */
function breakAfter(words: string) {
  const query = pool().query.bind(pool()) as (...given: unknown[]) => Promise<unknown>;
  return vi.spyOn(pool(), "query").mockImplementation((async (...given: unknown[]) => {
    const answer = await query(...given);
    if (String(given[0]).includes(words)) throw new Error("Connection terminated unexpectedly");
    return answer;
  }) as never);
}

describe.each(entryNames)("through the %s server", (entry) => {
  const url = service.url(entry);
  const send = (key: string, payment: unknown, fields: object = {}) => ask({ url, key, body: promptOf({ ...fields, payment }) });

  test("the chain is down: 503 and no verdict; once it is back the same request pays, once", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    await payments.whileAway(async () => expectPending(await send(account.key, payment), "outcome_unknown"));
    expect(await payments.usdcOf(payer.from)).toBe(100_000_000n);
    expect((await send(account.key, payment)).status).toBe(200);
    await expectOncePaid(payer);
  });

  test("the chain is down: a contract wallet's signature is not refused as bad", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer({ allowance: 0n });
    const payment = await payments.signPayment(payer, { signature: "0x1234" });
    await payments.whileAway(async () => expectPending(await send(account.key, payment), "chain_unavailable"));
    expect(readError(await send(account.key, payment), "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("bad_signature");
    expect(await claimsOf(payer)).toEqual([]);
  });

  test("no block is made: 503 while it is pending; even past its five minutes the same request continues, and pays once", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    const { client } = payments.chain;
    await client.setAutomine(false);
    try {
      for (let times = 0; times < 2; times++) expectPending(await send(account.key, payment), "outcome_unknown");
    } finally {
      await client.setAutomine(true);
      await client.mine({ blocks: 1 });
    }
    expect(await payments.usdcOf(payer.from)).toBe(100_000_000n - UNITS_5);
    const restoreClock = setClock(() => Date.now() + 10 * MINUTE_MS);
    try {
      expect((await send(account.key, payment)).status).toBe(200);
    } finally {
      restoreClock();
    }
    await expectOncePaid(payer);
  });

  test("a process died between the settlement and the hold: the same request finds the payment made", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    await payments.whileAway(async () => expectPending(await send(account.key, payment), "outcome_unknown"));
    const claim = await findClaim("eip155:31337", payer.from, payment.requestId);
    if (!claim) throw new Error("The payment was not claimed.");
    expect((await settleClaim(claim, 30_000)).kind).toBe("paid");
    expect([await payments.usdcOf(payer.from), await creditOf(payer)]).toEqual([100_000_000n - UNITS_5, 0n]);
    expect((await send(account.key, payment)).status).toBe(200);
    await expectOncePaid(payer);
  });

  test("the connection breaks during the commit of credit and hold: the same request is answered soon after, and pays once", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    const broken = breakAfter("gateway_pay_and_hold");
    expect(readError(await send(account.key, payment), "INTERNAL_ERROR").details).toMatchObject({ retryable: true });
    broken.mockRestore();
    // On a busy machine its hold may be released before the next request comes.
    const next = await send(account.key, payment);
    if (next.status !== 200) {
      readError(next, "REQUEST_IN_PROGRESS");
      await until("its hold is released", async () => (await openHolds(payer.credit)) === 0);
    }
    expect((await send(account.key, payment)).status).toBe(200);
    await expectOncePaid(payer);
  });

  test.each(["status=500", "close-midway"])(
    "the model fails (%s): nothing is charged, and the credit belongs to the payer's account",
    async (how) => {
      const account = await openAccount();
      const payer = await payments.newPayer();
      await linkWallet(account.accountId, payer);
      const payment = await payments.signPayment(payer);
      const body = misbehaving(how, { payment });
      for (let times = 0; times < 2; times++) readError(await ask({ url, key: account.key, body }), "INTERNAL_ERROR");
      await awaitNothingHeld();
      expect(await chargesOf(account.accountId)).toEqual([]);
      expect(await balanceOf(account.accountId)).toBe(account.credit + CENTS_5);
      expect(await payments.usdcOf(payer.from)).toBe(100_000_000n - UNITS_5);
    },
  );

  test("a stream that its model broke off is charged for what arrived, says so, and is replayed unchanged", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const body = misbehaving("close-midway", { payment: await payments.signPayment(payer), stream: true });
    const last = async () => readEvents((await ask({ url, key: account.key, body })).text).at(-1);
    const first = await last();
    expect(first?.event).toBe("error");
    expect(await last()).toEqual(first);
    expect(await creditOf(payer)).toBe(CENTS_5 - readCosts(first?.data ?? "").totalCost);
    await expectOncePaid(payer);
  });

  test("the client is gone: its answer is finished, charged, and saved for the same request", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const body = misbehaving("delay=300", { payment: await payments.signPayment(payer) });
    const leave = new AbortController();
    const first = open({ url, key: account.key, body, signal: leave.signal }).catch(() => null);
    await until("it is held", async () => (await openHolds(payer.credit)) === 1);
    leave.abort();
    expect(await first).toBeNull();
    await awaitNothingHeld();
    const again = await ask({ url, key: account.key, body });
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    await expectOncePaid(payer);
  });

  test("two payments on a balance for one: the wallet pays for one of them, and nothing for the other", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer({ units: UNITS_5 });
    const both = [await payments.signPayment(payer), await payments.signPayment(payer)];
    const answers = await Promise.all(both.map((payment) => send(account.key, payment)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 402]);
    const refused = answers.find(({ status }) => status === 402);
    const reason = refused && readError(refused, "PAYMENT_VERIFICATION_FAILED").details.reason;
    expect(["wallet_balance_too_low", "settlement_failed"]).toContain(reason);
    expect([await payments.usdcOf(payer.from), (await chargesOf(payer.credit)).length]).toEqual([0n, 1]);
  });

  test("an allowance revoked between the check and the block: nothing moves, and the claim is free again", async () => {
    const account = await openAccount({ usd: "0" });
    const payer = await payments.newPayer();
    const payment = await payments.signPayment(payer);
    const { client } = payments.chain;
    await client.setAutomine(false);
    const isBroadcast = async (address: `0x${string}`) =>
      (await client.getTransactionCount({ address, blockTag: "pending" })) > (await client.getTransactionCount({ address }));
    const sending = send(account.key, payment);
    await until("it is broadcast", () => isBroadcast(payments.relayer.address));
    await client.setBalance({ address: payer.account.address, value: 10n ** 18n });
    const revoking = payments.approve(payer.account, 0n, 10n ** 11n);
    await until("the revocation is broadcast, too", () => isBroadcast(payer.account.address));
    await client.setAutomine(true);
    await client.mine({ blocks: 1 });
    await revoking;
    await sending;
    await until(
      "its outcome is known",
      async () => (await claimsOf(payer))[0]?.state !== "claimed" || (await send(account.key, payment)).status !== 503,
    );
    expect([await payments.usdcOf(payer.from), await creditOf(payer)]).toEqual([100_000_000n, 0n]);
    await payments.approve(payer.account);
    expect((await send(account.key, payment)).status).toBe(200);
    await expectOncePaid(payer);
  });

  test("a deployed contract wallet pays like a key, and an undeployed one is refused", async () => {
    const account = await openAccount({ usd: "0" });
    const owner = await payments.chain.newAccount();
    const { address, factoryData } = undeployed(contractWallets.ownedBy(owner.address));
    await payments.chain.mint(address, 100_000_000n);
    const payment = await payments.signPayment({ account: owner }, { from: address });
    expect(readError(await send(account.key, payment), "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("bad_signature");
    const { client } = payments.chain;
    await client.waitForTransactionReceipt({ hash: await client.sendTransaction({ account: owner, to: factory, data: factoryData }) });
    // That the address has no code is remembered for half a minute.
    forgetSingleton("addresses without code");
    // It cannot make calls itself: anvil sends its approval by impersonation.
    await payments.approveAs(address);
    expect((await send(account.key, payment)).status).toBe(200);
    await expectUncharged(account);
    expect(await payments.usdcOf(address)).toBe(100_000_000n - UNITS_5);
  });
});

test("a paid request is answered again even when it would cost more by now", async () => {
  const [url, account, payer] = [service.url("node"), await openAccount({ usd: "0" }), await payments.newPayer()];
  const payment = await payments.signPayment(payer, { amount: 1 });
  // A word is at most one token, and several bytes.
  const body = promptOf({ maxTokens: 1, prompt: "quokkas ".repeat(12_000), payment });
  const first = await ask({ url, key: account.key, body });
  expect(first.status, first.text).toBe(200);
  await recordInputOverrun("gpt-4o-mini");
  try {
    const again = await ask({ url, key: account.key, body });
    expect([again.headers.get("idempotent-replayed"), again.text]).toEqual(["true", first.text]);
    const next = promptOf({ ...body, payment: await payments.signPayment(payer, { amount: 1 }) });
    const { details } = readError(await ask({ url, key: account.key, body: next }), "PAYMENT_VERIFICATION_FAILED");
    expect(details.reason).toBe("amount_too_low");
  } finally {
    forgetSingleton("overrun models");
  }
});
