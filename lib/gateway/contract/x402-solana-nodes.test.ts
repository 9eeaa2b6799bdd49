// Solana's nodes fail in the middle of a payment: it is answered once they are back, and paid once.

import { afterEach, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { promptOf, readError } from "./testing/client";
import { openService } from "./testing/service";
import { expectBooked } from "./testing/x402";
import { openX402OnSolana, x402SolanaSettings } from "./testing/x402-solana";

const service = await openService({ env: { ...x402SolanaSettings, PAYMENT_WAIT_MS: "2000" } });
const x402 = await openX402OnSolana(service);
afterEach(() => x402.breakNodes(null));

const body = promptOf({ maxTokens: 100 });

test("without SOL for fees nothing new is accepted; an earlier payment gets its answer, and one under way continues", async () => {
  const [payer, other, late] = [await x402.newPayer(), await x402.newPayer(), await x402.newPayer()];
  const [paid, unsent] = [await x402.signPayment(payer, body), await x402.signPayment(late, body)];
  const first = await x402.send(body, paid);
  expect(first.status).toBe(200);
  // Signed last: its blockhash lasts for seconds on this chain.
  const onItsWay = await x402.signPayment(other, body);
  let isSent = false;
  x402.breakNodes(({ method }) => {
    isSent ||= method === "sendTransaction";
    return isSent ? { drop: true } : null;
  });
  readError(await x402.send(body, onItsWay), "SETTLEMENT_PENDING");
  const isPoor = { rewrite: (result: unknown) => ({ ...(result as object), value: 0 }) };
  x402.breakNodes(({ method }) => (method === "getBalance" ? isPoor : null));
  await expect.poll(async () => (await x402.requestUnpaid(body)).text).not.toContain("solana:");
  const again = await x402.send(body, paid);
  expect([again.status, again.text]).toEqual([200, first.text]);
  await expect.poll(async () => (await x402.send(body, onItsWay)).status, { interval: 500 }).toBe(200);
  const refused = await x402.send(body, unsent);
  expect(readError(refused, "PAYMENT_VERIFICATION_FAILED").details.reason).toBe("network_unsupported");
  x402.breakNodes(null);
  for (const one of [payer, other]) await expectBooked(one, { payments: 1, answers: 1 });
  await expectBooked(late, { payments: 0, answers: 0 });
  await expect.poll(async () => (await x402.requestUnpaid(body)).text).toContain("solana:");
});

test("nodes lost after the broadcast: 503, and the same payment again gets its answer, paid once", async () => {
  const payer = await x402.newPayer();
  const payload = await x402.signPayment(payer, body);
  const before = { answers: await x402.answered(), moved: await x402.moved() };
  let isLost = false;
  x402.breakNodes(({ method }) => {
    if (isLost) return { drop: true };
    isLost = method === "sendTransaction";
    return null;
  });
  const answer = await x402.send(body, payload);
  readError(answer, "SETTLEMENT_PENDING");
  expect(answer.headers.get("retry-after")).not.toBeNull();
  expect(await x402.answered()).toBe(before.answers);
  x402.breakNodes(null);
  await expect.poll(async () => (await x402.send(body, payload)).status, { interval: 500 }).toBe(200);
  const claims = await pool().query("SELECT 1 FROM payment_claim WHERE payer = $1", [payer.address]);
  expect([(await x402.answered()) - before.answers, claims.rowCount]).toEqual([1, 1]);
  expect((await x402.moved()) - before.moved).toBe(BigInt(payload.accepted.amount));
  await expectBooked(payer, { payments: 1, answers: 1 });
});
