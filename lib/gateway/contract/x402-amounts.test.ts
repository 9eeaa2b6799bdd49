// What an x402 payment on Base is over: the amount that it signs, the one in its `accepted`, and the price. The reasons in PAYMENT-RESPONSE are
// those of @x402/evm's own facilitator (ErrAuthorizationValueMismatch in @x402/evm/exact/facilitator).

import { expect, test } from "vitest";
import { promptOf, readError, readPromptBody } from "./testing/client";
import { openService } from "./testing/service";
import { expectBooked, openX402, type Payload, resigned, settlementIn, x402Settings } from "./testing/x402";

const service = await openService({ env: x402Settings });
const x402 = await openX402(service);
const body = promptOf({ maxTokens: 200 });

const accepting = (payload: Payload, amount: bigint): Payload => ({ ...payload, accepted: { ...payload.accepted, amount: `${amount}` } });

test.each([
  ["signs more than it accepts, which is the price", 500n, 0n, "amount_mismatch"],
  ["signs more than it accepts, both above the price", 500n, 400n, "amount_mismatch"],
  ["accepts more than it signs, which is the price", 0n, 500n, "amount_mismatch"],
  ["signs less than the price", -1n, 0n, "amount_too_low"],
  ["accepts less than the price, and signs more", 500n, -1n, "amount_too_low"],
  ["signs and accepts less than the price", -1n, -1n, "amount_too_low"],
])("a payment that %s is refused with what to sign, and moves nothing", async (_, signed, accepted, reason) => {
  const payer = await x402.newPayer();
  const original = await x402.sign(payer, body);
  const price = BigInt(original.accepted.amount);
  const payload = accepting(await resigned(payer, original, { value: `${price + signed}` }), price + accepted);
  const before = await x402.moved();
  const answer = await x402.send(body, payload);
  const { error, details } = readError(answer, "PAYMENT_VERIFICATION_FAILED");
  expect(details.reason).toBe(reason);
  expect(error).toContain(`for ${price + signed} units of USDC`);
  if (reason === "amount_mismatch")
    expect(error).toContain(`accepted.amount is ${price + accepted}. Sign exactly what accepted.amount says`);
  else expect(error).toMatch(new RegExp(`at least (?:${price}|that)`));
  const isUnlike = signed !== accepted;
  const errorReason = isUnlike ? "invalid_exact_evm_payload_authorization_value_mismatch" : "invalid_payment_requirements";
  expect(settlementIn(answer)).toMatchObject({ success: false, transaction: "", errorReason });
  expect(answer.headers.get("payment-required")).not.toBeNull();
  expect(await x402.moved()).toBe(before);
  await expectBooked(payer, { payments: 0, answers: 0 });
});

test("the cure works: what is signed and accepted alike above the price pays, and its units are named in the answer and the receipt", async () => {
  const payer = await x402.newPayer();
  const original = await x402.sign(payer, body);
  const units = BigInt(original.accepted.amount) + 500n;
  const answer = await x402.send(body, accepting(await resigned(payer, original, { value: `${units}` }), units));
  const { cost } = readPromptBody(answer.text);
  const { payment } = JSON.parse(answer.text) as { payment: Record<string, number> };
  // One unit of USDC is 0.000001 USD, or 0.0001 cents.
  expect(payment).toMatchObject({ amount: Number(units) / 1e4, amountUsd: Number(units) / 1e6, charged: cost.totalCost });
  expect(Math.round(((payment.charged ?? 0) + (payment.change ?? 0)) * 1e9)).toBe(Math.round((payment.amountUsd ?? 0) * 1e9));
  await expectBooked(payer, { payments: 1, answers: 1 });
});
