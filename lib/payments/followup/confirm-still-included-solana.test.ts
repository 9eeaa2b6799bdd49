// A payment on Solana that the node has forgotten completely: it stays paid.

import { afterEach, expect, test } from "vitest";
import { pool } from "@/lib/db/pool";
import { promptOf } from "@/lib/gateway/contract/testing/client";
import { openService } from "@/lib/gateway/contract/testing/service";
import { expectBooked } from "@/lib/gateway/contract/testing/x402";
import { openX402OnSolana, x402SolanaSettings } from "@/lib/gateway/contract/testing/x402-solana";
import { findClaim } from "../claims/claim";
import { solanaNetwork } from "../claims/networks";
import { settlePayments } from "./run";

const service = await openService({ env: x402SolanaSettings });
const x402 = await openX402OnSolana(service);
afterEach(() => x402.breakNodes(null));

const inFuture = 4_000_000_000;

test("a payment that a node has forgotten stays paid, and is final once the node has it again", async () => {
  const body = promptOf({ maxTokens: 100 });
  const payer = await x402.newPayer();
  const payload = await x402.signPayment(payer, body);
  expect((await x402.send(body, payload)).status).toBe(200);
  const { rows } = await pool().query<{ nonce: string }>("SELECT nonce FROM payment_claim WHERE payer = $1", [payer.address]);
  const read = () => findClaim(solanaNetwork(), payer.address, rows[0]?.nonce ?? "");
  // As after a restore from a backup: no transaction of ours shows it, and its time is over.
  await pool().query("UPDATE payment_claim SET relayed = false, finalized = false, valid_until = '2001-01-01' WHERE payer = $1", [
    payer.address,
  ]);
  x402.breakNodes(({ method }) => {
    if (method === "getSignatureStatuses") return { rewrite: (told) => ({ ...(told as object), value: [null] }) };
    return method === "getFirstAvailableBlock" ? { rewrite: () => inFuture } : null;
  });
  for (let round = 0; round < 3; round++) await settlePayments.run();
  expect(await read()).toMatchObject({ state: "paid", isFinal: false });
  x402.breakNodes(null);
  await expect
    .poll(() => settlePayments.run().then(read), { timeout: 20_000, interval: 200 })
    .toMatchObject({ state: "paid", isFinal: true });
  await expectBooked(payer, { payments: 1, answers: 1 });
});
