// Payments that a node does not show: nodes without logs, lagging nodes, silent nodes. A payment on the chain stays credited, and is found
// when any node shows it; one that left the chain is taken back, and one that never arrived is given up, once all required nodes agree.

import type { Hex, PrivateKeyAccount } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { fromCents } from "@/lib/base/money";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { getClaim, type PaymentClaim } from "../claims/claim";
import { creditPayment } from "../claims/claim-steps";
import { readCredit } from "../claims/credits";
import { settleClaim } from "../settlement/settle";
import { claim, pay, type SettledChain, signExact, signProof, startSettledChain } from "../testing/settled-chain";

await openTestDatabase();
let chain: SettledChain;
const toClose: (() => Promise<void>)[] = [];
beforeAll(async () => {
  chain = await startSettledChain();
});
afterEach(async () => {
  setSandboxEvmNodes([chain.url()]);
  for (const close of toClose.splice(0)) await close();
  await chain.client.setAutomine(true);
  await chain.recordFinal();
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => chain?.stop());

/** A node with the faults that `decide` returns. */
async function startNode(decide: (method: string, params: unknown[]) => Fault | null): Promise<string> {
  const { url, close } = await startFaultyNode(chain.url(), ({ method, params }) => decide(method, params));
  toClose.push(close);
  return url;
}

/** A node that has pruned its logs, or has not indexed them yet. */
const startWithoutLogs = () => startNode((method) => (method === "eth_getLogs" ? { rewrite: () => [] } : null));

const WORD_DIGITS = 64;
const NOTHING = "0".repeat(WORD_DIGITS);
/** `authorizationState` or `settledCents` */
const isOfState = ({ data }: { data: string }) => /^0x(e94a0102|58bc5868)/.test(data);
const nothing: Fault = { rewrite: () => `0x${NOTHING}` };
const firstInBlock = { gas: 200_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
/**
 * A node that knows of no payment: it has no logs, and the state of the token and the contract is empty, alone or in a batch with a
 * wallet's balance.
 */
const startIgnorant = () =>
  startNode((method, [call]) => {
    if (method === "eth_getLogs") return { rewrite: () => [] };
    if (method !== "eth_call") return null;
    if (isOfState(call as { data: string })) return nothing;
    if ("to" in (call as object)) return null;
    return {
      rewrite: (told) => {
        const words = String(told);
        return words.length === 2 + 4 * WORD_DIGITS
          ? `${words.slice(0, 2 + WORD_DIGITS)}${NOTHING}${words.slice(2 + 2 * WORD_DIGITS)}`
          : told;
      },
    };
  });

/** Sends a transaction of somebody else, which is in a block when this resolves: a moment later its time could be over. */
async function carryOut(call: { to: Hex; data: Hex }): Promise<void> {
  const hash = await chain.client.sendTransaction({ account: chain.minter, ...call });
  await chain.client.waitForTransactionReceipt({ hash });
}

interface Exact {
  payer: PrivateKeyAccount;
  paid: PaymentClaim;
  call: { to: Hex; data: Hex };
}

/** Pays by an authorization that somebody else executed, so that no transaction of ours shows it. */
async function payExact(): Promise<Exact> {
  const payer = await chain.newPayer(100n);
  const { terms, call } = await signExact(chain, payer);
  const claimed = await claim(terms);
  await carryOut(call);
  const settled = await settleClaim(claimed, 30_000);
  if (settled.kind !== "paid") throw new Error(settled.kind);
  await creditPayment(claimed, settled);
  return { payer, call, paid: await getClaim(claimed.id) };
}

/** Pays by a transaction that the database no longer knows. */
async function payProof(): Promise<PaymentClaim> {
  const { id } = await pay(await signProof(chain, await chain.newPayer(100n)));
  await pool().query("UPDATE payment_claim SET relayed = false WHERE id = $1", [id]);
  return getClaim(id);
}

/** Removes the last block from the chain, with its transactions. */
async function undo(): Promise<void> {
  await chain.client.setAutomine(false);
  await chain.reorg(1);
  await chain.client.request({ method: "anvil_dropAllTransactions" as never });
}

const payments: [string, () => Promise<PaymentClaim>][] = [
  ["an authorization", async () => (await payExact()).paid],
  ["a proof", payProof],
];

test.each(payments)("%s that is used and whose log no node shows stays paid, and is final once the logs are back", async (_, payOne) => {
  const { id, network, payer } = await payOne();
  setSandboxEvmNodes([await startWithoutLogs()]);
  await chain.recordFinal();
  await chain.recordFinal();
  expect(await getClaim(id)).toMatchObject({ state: "paid", isFinal: false });
  expect(await readCredit(network, payer)).toBe(fromCents(5));
  setSandboxEvmNodes([chain.url()]);
  await chain.rounds(1);
  expect(await getClaim(id)).toMatchObject({ state: "paid", isFinal: true });
});

test.each(payments)("%s whose logs the first node lacks is found through the other one", async (_, payOne) => {
  const { id } = await payOne();
  setSandboxEvmNodes([await startWithoutLogs(), chain.url()]);
  await chain.recordFinal();
  expect(await getClaim(id)).toMatchObject({ state: "paid", isFinal: true });
});

test.each(payments)("%s that one of two nodes does not know stays paid, and is not final until they agree", async (_, payOne) => {
  const { id } = await payOne();
  setSandboxEvmNodes([await startIgnorant(), chain.url()]);
  await chain.recordFinal();
  await chain.recordFinal();
  expect(await getClaim(id)).toMatchObject({ state: "paid", isFinal: false });
  setSandboxEvmNodes([chain.url()]);
  await chain.rounds(1);
  expect(await getClaim(id)).toMatchObject({ state: "paid", isFinal: true });
});

test.each(payments)("%s whose block left the chain is taken back once a second node confirms it", async (_, payOne) => {
  const { id, network, payer } = await payOne();
  await undo();
  let isSilent = true;
  const second = await startNode(() => (isSilent ? { drop: true } : null));
  setSandboxEvmNodes([chain.url(), second]);
  await chain.recordFinal();
  expect(await getClaim(id)).toMatchObject({ state: "paid", isFinal: false });
  isSilent = false;
  await chain.rounds(1);
  expect(await getClaim(id)).toMatchObject({ state: "reversed" });
  expect(await readCredit(network, payer)).toBe(0n);
});

test("an authorization that is in a block again stays paid, although the first node lags behind that block", async () => {
  const { paid, call } = await payExact();
  await undo();
  await chain.mine(12);
  await chain.client.setAutomine(true);
  await carryOut(call);
  setSandboxEvmNodes([await startIgnorant(), chain.url()]);
  await chain.rounds(1);
  expect(await getClaim(paid.id)).toMatchObject({ state: "paid", isFinal: false });
  await chain.mine(6);
  setSandboxEvmNodes([chain.url()]);
  await chain.rounds(1);
  expect(await getClaim(paid.id)).toMatchObject({ state: "paid", isFinal: true });
});

test("an authorization that we never sent is not given up while a node shows it as used, and is credited once a log appears", async () => {
  const payer = await chain.newPayer(100n);
  const { terms, call } = await signExact(chain, payer);
  const { id } = await claim(terms);
  await carryOut(call);
  setSandboxEvmNodes([await startWithoutLogs()]);
  await chain.passMs(120_000);
  await chain.recordFinal();
  expect(await getClaim(id)).toMatchObject({ state: "claimed", isFinal: false });
  setSandboxEvmNodes([chain.url()]);
  await chain.passMs(60_000);
  await chain.recordFinal();
  expect(await getClaim(id)).toMatchObject({ state: "paid" });
  expect(await readCredit(terms.network, terms.payer)).toBe(fromCents(5));
});

test("a payment that somebody else's transaction moved while ours failed is not failed because one node does not know it yet", async () => {
  const payer = await chain.newPayer(100n);
  const { terms, call } = await signExact(chain, payer);
  const claimed = await claim(terms);
  await chain.client.setAutomine(false);
  expect(await settleClaim(claimed, 50)).toEqual({ kind: "pending" });
  await chain.client.sendTransaction({ account: chain.minter, ...call, ...firstInBlock });
  await chain.mine(1);
  await chain.client.setAutomine(true);
  setSandboxEvmNodes([await startNode((method, [calldata]) => (method === "eth_call" && isOfState(calldata as never) ? nothing : null))]);
  expect(await settleClaim(await getClaim(claimed.id), 300)).toEqual({ kind: "pending" });
  setSandboxEvmNodes([chain.url()]);
  const settled = await settleClaim(await getClaim(claimed.id), 30_000);
  expect(settled).toMatchObject({ kind: "paid" });
  if (settled.kind === "paid") await creditPayment(claimed, settled);
});
