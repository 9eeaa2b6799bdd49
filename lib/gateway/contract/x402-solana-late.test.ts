// Payments on Solana whose time runs out, or whose money leaves, while they are under way: on a chain with short slots, whose blockhashes
// last for four seconds.

import { VersionedTransaction } from "@solana/web3.js";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { setSandboxSolanaNodes, solanaCluster } from "@/lib/chains/solana/node-urls";
import { MAINNET_GENESIS_HASH, solanaNodes } from "@/lib/chains/solana/nodes";
import { isBlockhashKnown } from "@/lib/chains/solana/simulation";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { pool } from "@/lib/db/pool";
import { settlePayments } from "@/lib/payments/followup/run";
import { runRelay } from "@/lib/relay/run";
import { type Answer, promptOf, readError } from "./testing/client";
import { openService } from "./testing/service";
import { expectBooked } from "./testing/x402";
import { openX402OnSolana, type SolanaPayer, type SolanaPayload, x402SolanaSettings } from "./testing/x402-solana";

const service = await openService({ env: { ...x402SolanaSettings, PAYMENT_WAIT_MS: "1000" } });
const x402 = await openX402OnSolana(service, { slotMs: 25 });
afterEach(() => x402.breakNodes(null));

const body = promptOf({ maxTokens: 100 });
const patience = { timeout: 30_000, interval: 200 };
const dropSends = () => x402.breakNodes(({ method }) => (method === "sendTransaction" ? { drop: true } : null));
const reasonOf = (answer: Answer) => readError(answer, "PAYMENT_VERIFICATION_FAILED").details.reason;

/** Runs the jobs that finish payments without a waiting request. */
async function round(): Promise<void> {
  await runRelay({ resendAfterMs: 0 });
  await settlePayments.run();
}

async function expectNothingPaid(payer: SolanaPayer, before: { answers: number; moved: bigint }): Promise<void> {
  expect({ answers: await x402.answered(), moved: await x402.moved() }).toEqual(before);
  await expectBooked(payer, { payments: 0, answers: 0 });
}

const counted = async () => ({ answers: await x402.answered(), moved: await x402.moved() });

/** A new payment of the same payer is served. */
async function expectServed(payer: SolanaPayer): Promise<void> {
  expect((await x402.send(body, await x402.signPayment(payer, body))).status).toBe(200);
}

/** Our bytes that wait for a block. */
async function storedBytes(): Promise<Buffer> {
  const { rows } = await pool().query<{ raw: Buffer }>(
    "SELECT b.raw FROM relay_broadcast b JOIN relayed r ON r.hash = b.hash WHERE r.id LIKE 'payment_%' AND NOT r.finalized AND r.block IS NULL",
  );
  const [only, ...more] = rows;
  if (!only || more.length > 0) throw new Error(`${rows.length} payments wait for a block`);
  return only.raw;
}

async function expectRunOut({ accepted }: SolanaPayload): Promise<void> {
  const isKnown = () => isBlockhashKnown(solanaNodes(), accepted.extra.recentBlockhash ?? "");
  await expect.poll(isKnown, patience).toBe(false);
}

test("a payment whose blockhash has expired is refused as expired, costs nothing, and a new one is served", async () => {
  const payer = await x402.newPayer();
  const [payload, before, fees] = [await x402.signPayment(payer, body), await counted(), await x402.fees()];
  await expectRunOut(payload);
  expect(reasonOf(await x402.send(body, payload))).toBe("expired");
  expect(reasonOf(await x402.send(body, payload))).toBe("expired");
  expect(await x402.fees()).toBe(fees);
  await expectNothingPaid(payer, before);
  await expectServed(payer);
});

test("while one of three nodes is silent, an expired payment is refused as expired at once, after one search", async () => {
  const payer = await x402.newPayer();
  const [payload, before, { urls }] = [await x402.signPayment(payer, body), await counted(), solanaCluster()];
  await expectRunOut(payload);
  const isMainnet = { rewrite: () => MAINNET_GENESIS_HASH };
  const second = await startFaultyNode(x402.chain.url, ({ method }) => (method === "getGenesisHash" ? isMainnet : null));
  onTestFinished(second.close);
  const restore = () => setSandboxSolanaNodes(urls, MAINNET_GENESIS_HASH);
  onTestFinished(restore);
  setSandboxSolanaNodes([...urls, second.url, "http://127.0.0.1:9"], MAINNET_GENESIS_HASH);
  expect(reasonOf(await x402.send(body, payload))).toBe("expired");
  const account = deriveTokenAccount(payer.address, x402.terms.mint);
  const isSearch = ({ method, params }: { method: string; params: unknown[] }) =>
    method === "getSignaturesForAddress" && params[0] === account;
  // The second page is empty, and ends the list.
  expect(second.calls.filter(isSearch)).toHaveLength(2);
  restore();
  await expectNothingPaid(payer, before);
  await expectServed(payer);
});

test("a payment that no node accepts is pending until it can never run, and then nothing was paid", async () => {
  const payer = await x402.newPayer();
  const [payload, before] = [await x402.signPayment(payer, body), await counted()];
  dropSends();
  readError(await x402.send(body, payload), "SETTLEMENT_PENDING");
  const bytes = await storedBytes();
  await expect
    .poll(
      () =>
        round()
          .then(() => x402.send(body, payload))
          .then(({ status }) => status),
      patience,
    )
    .toBe(402);
  expect(reasonOf(await x402.send(body, payload))).not.toBe("malformed");
  x402.breakNodes(null);
  // It can no longer be sent.
  await expect(x402.connection.sendRawTransaction(bytes)).rejects.toThrow("Blockhash not found");
  await expectNothingPaid(payer, before);
  await expectServed(payer);
});

test("a payment whose money left before its block fails there: nothing was paid, and it can never be paid later", async () => {
  const payer = await x402.newPayer();
  const [payload, before] = [await x402.signPayment(payer, body), await counted()];
  dropSends();
  readError(await x402.send(body, payload), "SETTLEMENT_PENDING");
  const bytes = await storedBytes();
  x402.breakNodes(null);
  await x402.emptyWallet(payer);
  await x402.connection.sendRawTransaction(VersionedTransaction.deserialize(bytes).serialize(), { skipPreflight: true });
  await expect
    .poll(
      () =>
        round()
          .then(() => x402.send(body, payload))
          .then(({ status }) => status),
      patience,
    )
    .toBe(402);
  expect(["wallet_balance_too_low", "settlement_failed"]).toContain(reasonOf(await x402.send(body, payload)));
  await expectNothingPaid(payer, before);
  await x402.chain.faucet(payer.address, 10_000_000n);
  await expect.poll(() => x402.unitsOf(payer.address), patience).toBe(10_000_000n);
  await round();
  expect(["settlement_failed", "expired"]).toContain(reasonOf(await x402.send(body, payload)));
  await expectNothingPaid(payer, before);
  await expectServed(payer);
});
