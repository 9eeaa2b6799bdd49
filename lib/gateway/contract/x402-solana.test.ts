// x402's own client, unmodified, pays on Solana with a wallet that has USDC and no SOL. TRANSCRIPT=1 prints the traffic.

import { decodePaymentResponseHeader } from "@x402/fetch";
import { expect, test } from "vitest";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { balanceOf } from "./testing/books";
import { deltaText, promptOf, readCosts, readEvents, readPromptBody } from "./testing/client";
import { openService } from "./testing/service";
import { transcribed } from "./testing/transcript";
import { expectBooked, settlementIn, X402_PATH } from "./testing/x402";
import { openX402OnSolana, x402SolanaSettings } from "./testing/x402-solana";

const service = await openService({ env: x402SolanaSettings });
const x402 = await openX402OnSolana(service);

const MAINNET = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
const post = (body: object) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("an unpaid request learns what to sign on Solana: the recipient, the fee payer, a unique memo, and a blockhash", async () => {
  const [one, same] = [await x402.requirementsFor(promptOf()), await x402.requirementsFor(promptOf())];
  const [offer] = one.accepts;
  expect(offer).toEqual({
    scheme: "exact",
    network: MAINNET,
    amount: expect.stringMatching(/^[1-9]\d*$/),
    asset: USDC_MINT,
    payTo: x402.terms.payTo,
    maxTimeoutSeconds: 60,
    extra: {
      feePayer: x402.terms.feePayer,
      bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      memo: expect.stringMatching(/^[\w-]{32}$/),
      recentBlockhash: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/),
      lastValidBlockHeight: expect.stringMatching(/^\d+$/),
    },
  });
  expect(same.accepts[0].extra.bodyHash).toBe(offer.extra.bodyHash);
  expect(same.accepts[0].extra.memo).not.toBe(offer.extra.memo);
});

test.each([false, true])("the stock client pays and gets its answer, streamed: %s", async (stream) => {
  const [payer, before] = [await x402.newPayer(), await x402.moved()];
  const body = promptOf({ maxTokens: 100, stream });
  const response = await x402.fetchAs(payer, transcribed)(`${service.url("node")}${X402_PATH}`, post(body));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const events = stream ? readEvents(text) : [];
  const whole = stream ? (events.at(-1)?.data ?? "") : text;
  if (stream) expect(deltaText(events)).toBe(readPromptBody(whole).text);
  const settled = decodePaymentResponseHeader(response.headers.get("payment-response") ?? "");
  const moved = (await x402.moved()) - before;
  expect(settled).toEqual({
    success: true,
    payer: payer.address,
    network: MAINNET,
    amount: `${moved}`,
    transaction: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/),
  });
  expect(await x402.unitsOf(payer.address)).toBe(10_000_000n - moved);
  await expectBooked(payer, { payments: 1, answers: 1 });
  expect(await balanceOf(payer.credit)).toBe(moved * 1_000n - readCosts(whole).totalCost);
  // The 402 has nearly everything the stock client needs: it queries its own node only for the token's decimals.
  expect(new Set(x402.payersNode.calls.map(({ method }) => method))).toEqual(new Set(["getAccountInfo"]));
  const status = await x402.connection.getSignatureStatus(settled.transaction);
  expect(status.value).toMatchObject({ err: null });
});

test("two requests with one body are two payments, and each gets its answer", async () => {
  const [payer, before] = [await x402.newPayer(), await x402.answered()];
  const body = promptOf({ maxTokens: 300 });
  const [one, other] = [await x402.signPayment(payer, body), await x402.signPayment(payer, body)];
  const answers = await Promise.all([x402.send(body, one), x402.send(body, other)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await x402.answered()) - before).toBe(2);
});

test("the change belongs to the payer: it pays later requests that it covers, and nothing is submitted for them", async () => {
  const payer = await x402.newPayer();
  const pay = async (maxTokens: number) => x402.fetchAs(payer)(`${service.url("node")}${X402_PATH}`, post(promptOf({ maxTokens })));
  expect((await pay(2_000)).status).toBe(200);
  const before = await x402.moved();
  const second = await pay(100);
  expect(second.status).toBe(200);
  expect(settlementIn(second)).toMatchObject({ success: true, transaction: "", amount: "0" });
  expect(await x402.moved()).toBe(before);
  await expectBooked(payer, { payments: 1, answers: 2 });
});
