// Large bodies that come with a signed payment: an account without money gets none of them read for a header that anybody can write.

import { request } from "node:http";
import { expect, test } from "vitest";
import { createKey } from "@/lib/access/keys";
import { openAccount } from "./testing/accounts";
import { awaitNothingHeld, expectUncharged } from "./testing/books";
import { ask, QUESTION } from "./testing/client";
import { openPayments, proofHeader } from "./testing/payments";
import { dataUrl, png } from "./testing/pictures";
import { openService } from "./testing/service";

const service = await openService({ env: { PAYMENT_WAIT_MS: "10000" } });
const payments = await openPayments();
const path = "/api/v1/chat/completions";
const MIB = 1_048_576;

const picture = { type: "image_url", image_url: { url: dataUrl(png(640, 480, 2 * MIB)) } };
const body = { model: "gpt-4o", max_tokens: 20, messages: [{ role: "user", content: [picture, { type: "text", text: QUESTION }] }] };

/** Announces a large body and sends nothing of it. */
const announce = (key: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request(`${service.url("node")}${path}`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": 31 * MIB },
    });
    sent.on("error", reject);
    sent.on("response", async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve({ status: response.statusCode, text });
    });
    sent.flushHeaders();
  });

test("a large body is refused unread when its proof is none, is forged or is old; a true one is read, paid, and answered again", async () => {
  const [account, other] = [await openAccount({ usd: "0" }), await openAccount({ usd: "0" })];
  const payer = await payments.newPayer();
  const payment = await payments.signPayment(payer);
  const old = await payments.signPayment(payer, { timestamp: Date.now() - 400_000 });
  for (const [reason, headers] of [
    ["malformed", { "payment-proof": "x" }],
    ["bad_signature", proofHeader({ ...payment, amount: payment.amount + 1 })],
    ["expired", proofHeader(old)],
  ] as const) {
    const answer = await announce(account.key, headers);
    expect([answer.status, JSON.parse(answer.text).error.details.reason]).toEqual([402, reason]);
  }
  const first = await ask({ url: service.url("node"), path, key: account.key, headers: proofHeader(payment), body });
  expect(first.status, first.text).toBe(200);
  // A payment's answer is the wallet's: any key of the account that it came with gets it again.
  const { key: second } = await createKey({ accountId: account.accountId, name: "second" });
  for (const key of [account.key, second]) {
    const again = await ask({ url: service.url("node"), path, key, headers: proofHeader(payment), body });
    expect([again.status, again.text]).toEqual([200, first.text]);
  }
  expect((await announce(other.key, proofHeader({ ...payment, amount: payment.amount + 1 }))).status).toBe(402);
  await awaitNothingHeld();
  await expectUncharged(account);
});
