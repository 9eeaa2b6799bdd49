// Signed payments through both doors: what pays for a request, what it answers, and whose the change is.

import { describe, expect, test } from "vitest";
import { fromCents, parseUsd } from "@/lib/base/money";
import { openAccount } from "./testing/accounts";
import { awaitNothingHeld, balanceOf, chargesOf, expectUncharged } from "./testing/books";
import { ask, promptOf, readCosts, readPromptBody } from "./testing/client";
import { claimsOf, creditOf, linkWallet, openPayments } from "./testing/payments";
import { doorNames, openService } from "./testing/service";

const service = await openService({ env: { PAYMENT_WAIT_MS: "10000" } });
const payments = await openPayments();

describe.each(doorNames)("through the %s door", (door) => {
  const url = service.url(door);

  test("a proof of the account's own wallet pays: it is settled, credited and charged, and the change stays with the account", async () => {
    const account = await openAccount();
    const payer = await payments.newPayer();
    await linkWallet(account.accountId, payer);
    const payment = await payments.signPayment(payer);
    const before = await payments.moved();
    const answer = await ask({ url, key: account.key, body: promptOf({ payment }) });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("Simulated answer")]);
  });
});
