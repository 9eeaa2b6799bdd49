// Faults around an x402 payment: nodes lost after the broadcast, and lying facilitators. Only the chain decides what is paid; the same
// payload sent again never pays twice.

import { afterEach, describe, expect, test } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { pool } from "@/lib/db/pool";
import { recordInputOverrun } from "../prompt/quote";
import { type Answer, promptOf, readError } from "./testing/client";
import { startFacilitator } from "./testing/facilitator";
import { openService } from "./testing/service";
import { expectBooked, openX402, type Payload, resigned, settlementIn, x402Settings } from "./testing/x402";

const service = await openService({ env: { ...x402Settings, PAYMENT_WAIT_MS: "1000" } });
const x402 = await openX402(service);
const body = promptOf({ maxTokens: 200 });
const toClose: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  setSandboxEvmNodes([x402.chain.url()]);
});

function expectPending(answer: Answer, transaction: unknown): void {
  readError(answer, "SETTLEMENT_PENDING");
  expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(settlementIn(answer)).toMatchObject({ success: false, errorReason: "settlement_pending", transaction });
}

test("nodes lost after the broadcast: 503 with the transaction; the same payload again is served, and pays once", async () => {
  let isLost = false;
  const node = await startFaultyNode(x402.chain.url(), ({ method }) => {
    if (isLost) return { drop: true };
    isLost = method === "eth_sendRawTransaction";
    return null;
  });
  toClose.push(node.close);
  setSandboxEvmNodes([node.url]);
  const payer = await x402.newPayer();
  const payload = await x402.sign(payer, body);
  const before = await x402.answered();
  expectPending(await x402.send(body, payload), expect.stringMatching(/^0x[0-9a-f]{64}$/));
  expect(await x402.answered()).toBe(before);
  isLost = false;
  const again = await x402.send(body, payload);
  expect(again.status).toBe(200);
  expect(await x402.usdcOf(payer.account.address)).toBe(10_000_000n - BigInt(payload.accepted.amount));
  await expectBooked(payer, { payments: 1, answers: 1 });
});

test("while no node answers, nothing is sent and no signature is refused as bad", async () => {
  const payer = await x402.newPayer();
  const payload = await x402.sign(payer, body);
  setSandboxEvmNodes(["http://127.0.0.1:9"]);
  expectPending(await x402.send(body, payload), "");
  setSandboxEvmNodes([x402.chain.url()]);
  expect((await x402.send(body, payload)).status).toBe(200);
  await expectBooked(payer, { payments: 1, answers: 1 });
});

describe("an outside facilitator", () => {
  const settledAs = (transaction: string) => ({ success: true, transaction, network: "eip155:8453", payer: newAddress() });
  const settle = async ({ payload }: Payload) => settledAs(await x402.submit(payload));
  const start = async () => {
    const facilitator = await startFacilitator("eip155:8453");
    toClose.push(facilitator.close);
    const payer = await x402.newPayer();
    const relayed = await x402.chain.client.getTransactionCount({ address: x402.relayer.address });
    return { facilitator, payer, payload: await x402.sign(payer, body), relayed };
  };

  test("settles for us, and the chain's own transaction is reported", async () => {
    const { facilitator, payer, payload, relayed } = await start();
    facilitator.play({ settle });
    const answer = await x402.send(body, payload);
    expect(answer.status).toBe(200);
    expect(facilitator.asked).toContain("/settle");
    expect(settlementIn(answer)).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(await x402.chain.client.getTransactionCount({ address: x402.relayer.address })).toBe(relayed);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test.each([
    ["claims success with an invented transaction", async () => settledAs(`0x${"5".repeat(64)}`)],
    ["claims success with another transaction", async () => settledAs((await x402.chain.mint(newAddress(), 1n)) as string)],
    ["never answers", async () => null],
    ["answers in an invalid format", async () => ({ ok: "yes" })],
  ])("that %s: nothing is answered until the chain shows the payment", async (_, lie) => {
    const { facilitator, payer, payload } = await start();
    facilitator.play({ settle: lie });
    const before = await x402.answered();
    expectPending(await x402.send(body, payload), "");
    expect(await x402.answered()).toBe(before);
    await expectBooked(payer, { payments: 0, answers: 0 });
    facilitator.play({ settle });
    expect((await x402.send(body, payload)).status).toBe(200);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("that says no although it settled: a payment on the chain is paid", async () => {
    const { facilitator, payer, payload } = await start();
    facilitator.play({
      settle: async (order) => {
        await settle(order);
        return { success: false, errorReason: "unexpected_error", transaction: "", network: "eip155:8453" };
      },
    });
    expect((await x402.send(body, payload)).status).toBe(200);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("that executes less than was signed for us: nothing is answered for it", async () => {
    const { facilitator, payer, payload } = await start();
    const less = await resigned(payer, payload, { value: "1" });
    facilitator.play({ settle: async () => settledAs(await x402.submit(less.payload)) });
    const before = await x402.answered();
    const answer = await x402.send(body, payload);
    expect(answer.status).not.toBe(200);
    facilitator.play({ settle: async () => ({ success: false, errorReason: "nonce_used", transaction: "", network: "eip155:8453" }) });
    const again = await x402.send(body, payload);
    expect(readError(again, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("settlement_failed");
    expect(await x402.answered()).toBe(before);
    await expectBooked(payer, { payments: 0, answers: 0 });
  });

  test.each([
    ["refuses to verify", { verify: { isValid: false, invalidReason: "insufficient_funds" }, settle }, "wallet_balance_too_low"],
    [
      "refuses to settle",
      { settle: async () => ({ success: false, errorReason: "unexpected_settle_error", transaction: "", network: "eip155:8453" }) },
      "settlement_failed",
    ],
  ])("that %s: refused with a reason, and the same payload may be sent again", async (_, part, reason) => {
    const { facilitator, payer, payload } = await start();
    facilitator.play(part);
    const answer = await x402.send(body, payload);
    expect(readError(answer, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe(reason);
    expect(settlementIn(answer)).toMatchObject({ success: false, transaction: "" });
    facilitator.play({ settle });
    expect((await x402.send(body, payload)).status).toBe(200);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });

  test("that does not settle on our chain is not used: our own relayer settles", async () => {
    const facilitator = await startFacilitator("eip155:1");
    toClose.push(facilitator.close);
    const payer = await x402.newPayer();
    expect((await x402.send(body, await x402.sign(payer, body))).status).toBe(200);
    expect(facilitator.asked).toEqual(["/supported"]);
    await expectBooked(payer, { payments: 1, answers: 1 });
  });
});

test("an authorization that swept a customer's deposit, copied from the chain, pays nothing: the deposit is booked already", async () => {
  const depositor = await x402.newPayer();
  await pool().query(
    `INSERT INTO custodial_wallet (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at)
     VALUES ('acc_depositor', 1, $1, 'owner', 'token account', '', now())`,
    [depositor.account.address],
  );
  const [sweep, before] = [await x402.sign(depositor, body), await x402.answered()];
  await x402.submit(sweep.payload);
  expect(readError(await x402.send(body, sweep), "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("replayed");
  expect(await x402.answered()).toBe(before);
  await expectBooked(depositor, { payments: 0, answers: 0 });
});

test("numbers beyond the ledger's or the chain's range are refused as malformed", async () => {
  const payer = await x402.newPayer();
  const original = await x402.sign(payer, body);
  const huge = "9".repeat(30);
  const dear = await resigned(payer, { ...original, accepted: { ...original.accepted, amount: huge } }, { value: huge });
  const late = { ...original.payload, authorization: { ...original.payload.authorization, validBefore: "9".repeat(78) } };
  for (const payload of [dear, { ...original, payload: late }]) {
    expect(readError(await x402.send(body, payload), "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("malformed");
  }
});

test("a paid request is answered again even when it would cost more by now", async () => {
  const payer = await x402.newPayer();
  const payload = await x402.sign(payer, body);
  const first = await x402.send(body, payload);
  await recordInputOverrun("gpt-4o-mini");
  try {
    const again = await x402.send(body, payload);
    expect([again.headers.get("idempotent-replayed"), again.text]).toEqual(["true", first.text]);
    const next = changedAmount(await x402.sign(payer, body), payload.accepted.amount);
    expect(readError(await x402.send(body, next), "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("amount_too_low");
  } finally {
    forgetSingleton("overrun models");
  }
  await expectBooked(payer, { payments: 1, answers: 1 });
});

const changedAmount = (payload: Payload, amount: string): Payload => ({
  ...payload,
  accepted: { ...payload.accepted, amount },
  payload: { ...payload.payload, authorization: { ...payload.payload.authorization, value: amount } },
});
