// Settling a proof: paid once, refused for its own reason before anything moves, resumed after any fault.

import type { PrivateKeyAccount } from "viem";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import { fromCents } from "@/lib/base/money";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import { findRelayed } from "@/lib/relay/relayed";
import { relayer, setRelayer } from "@/lib/relay/relayer";
import { SignerUnavailable } from "@/lib/relay/signer-unavailable";
import { getClaim, relayIdOf } from "../claims/claim";
import { creditPayment } from "../claims/claim-steps";
import { creditAccountOf, readCredit } from "../claims/credits";
import { claim, pay, type SettledChain, signProof, startSettledChain, UNITS_PER_CENT } from "../testing/settled-chain";
import { settleClaim } from "./settle";

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
  await chain.rounds(1);
  await chain.recordFinal();
  // After every test the treasury holds what the books say came in, and nothing else moved.
  const { rows } = await pool().query<{ units: bigint | null }>(
    "SELECT (-sum(amount) / 1000)::bigint AS units FROM entry WHERE account_id = 'base_chain'",
  );
  expect(await chain.treasuryUnits()).toBe(rows[0]?.units ?? 0n);
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => chain?.stop());

/** Uses a node with the faults that `decide` returns. */
async function goWrong(decide: (method: string) => Fault | null): Promise<void> {
  const node = await startFaultyNode(chain.url(), ({ method }) => decide(method));
  toClose.push(node.close);
  setSandboxEvmNodes([node.url]);
}

const settle = async (terms: Parameters<typeof claim>[0], waitMs = 10_000) => settleClaim(await claim(terms), waitMs);

test("the signed amount moves to the treasury and is the payer's credit; once final, the claim is closed", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer, { cents: 7n });
  const paid = await pay(terms);
  expect(paid).toMatchObject({ state: "paid", isFinal: false, attempt: 1, creditedAccount: creditAccountOf(terms.network, terms.payer) });
  expect(await chain.balanceOf(payer.address)).toBe(93n * UNITS_PER_CENT);
  expect(await readCredit(terms.network, terms.payer)).toBe(fromCents(7));
  const receipt = await chain.client.getTransactionReceipt({ hash: paid.transaction as `0x${string}` });
  expect(receipt).toMatchObject({ status: "success", to: chain.contract, blockNumber: BigInt(paid.block ?? 0) });
  await chain.recordFinal();
  expect(await getClaim(paid.id)).toMatchObject({ state: "paid", isFinal: true });
  // Settling it again returns the same outcome.
  expect(await settle(terms)).toEqual({ kind: "paid", transaction: paid.transaction, block: paid.block });
});

test("each reason is found before anything is stored, and a fixed payment is paid under the same signature", async () => {
  const payer = await chain.newPayer(10n, 3n);
  const terms = await signProof(chain, payer, { cents: 8n });
  expect(await settle(terms)).toMatchObject({ kind: "failed", reason: "allowance_too_low" });
  await chain.approve(payer, 1_000n);
  const tooMuch = await signProof(chain, payer, { cents: 11n });
  expect(await settle(tooMuch)).toMatchObject({ kind: "failed", reason: "wallet_balance_too_low" });
  const old = await signProof(chain, payer, { timestampMs: chain.clockMs() - 400_000 });
  expect(await settle(old)).toMatchObject({ kind: "failed", reason: "expired" });
  const future = await signProof(chain, payer, { timestampMs: chain.clockMs() + 400_000 });
  expect(await settle(future)).toMatchObject({ kind: "failed", reason: "expired" });
  const other = await chain.newPayer(10n);
  const forged = { ...(await signProof(chain, other)), payer: payer.address.toLowerCase() };
  expect(await settle(forged)).toMatchObject({ kind: "failed", reason: "bad_signature" });
  const { rows } = await pool().query(
    "SELECT id FROM relayed WHERE id LIKE 'payment_%' AND id NOT IN (SELECT 'payment_' || id || '_1' FROM payment_claim WHERE state = 'paid')",
  );
  expect(rows).toEqual([]);
  expect(await pay(terms)).toMatchObject({ state: "paid", attempt: 1 });
});

test("a requestId that its wallet settled with another amount is refused, and moves nothing more", async () => {
  const payer = await chain.newPayer(100n);
  const first = await signProof(chain, payer, { cents: 5n });
  const { id } = await pay(first);
  // As after a restore from a backup: the database does not know this payment's nonce.
  await pool().query("UPDATE payment_claim SET nonce = 'req_1' WHERE id = $1", [id]);
  const other = await signProof(chain, payer, { nonce: first.nonce, cents: 6n });
  expect(await settle(other)).toMatchObject({ kind: "failed", reason: "settlement_failed" });
  expect(await chain.balanceOf(payer.address)).toBe(95n * UNITS_PER_CENT);
});

test("a proof paid on the chain is paid, although the database was restored from a backup and knows no transaction", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer, { cents: 9n });
  const claimed = await claim(terms);
  const settled = await settleClaim(claimed, 30_000);
  await pool().query("UPDATE payment_claim SET relayed = false, attempt = 7 WHERE id = $1", [claimed.id]);
  const again = await settle(terms);
  expect(again).toEqual(settled);
  if (again.kind !== "paid") throw new Error(again.kind);
  await creditPayment(claimed, again);
  await chain.recordFinal();
  expect(await getClaim(claimed.id)).toMatchObject({ state: "paid", isFinal: true });
  expect(await chain.balanceOf(payer.address)).toBe(91n * UNITS_PER_CENT);
});

/** Revokes the allowance in the next block, before its other transactions. */
const sendRevoke = (payer: PrivateKeyAccount) =>
  chain.client.sendTransaction({
    account: payer,
    to: chain.usdc,
    data: `0x095ea7b3${chain.contract.slice(2).padStart(64, "0")}${"0".repeat(64)}`,
    gas: 100_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
  });

test("an allowance that is revoked between the check and the block fails the payment, which may be paid again", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  await chain.client.setAutomine(false);
  expect(await settle(terms, 50)).toEqual({ kind: "pending" });
  await sendRevoke(payer);
  await chain.mine(1);
  await chain.client.setAutomine(true);
  expect(await settle(terms)).toMatchObject({ kind: "failed", reason: "allowance_too_low" });
  const failed = await claim(terms);
  expect(failed).toMatchObject({ state: "claimed", attempt: 2 });
  await chain.approve(payer, 1_000n);
  expect(await pay(terms)).toMatchObject({ state: "paid", attempt: 2 });
  expect((await findRelayed([relayIdOf({ ...failed, attempt: 1 })]))[0]).toMatchObject({ state: "failed" });
});

test("a wallet that revokes its allowance each time costs three fees within an hour, and then nothing more", async () => {
  const payer = await chain.newPayer(100n);
  const relayerPays = async () => chain.client.getTransactionCount({ address: chain.relayer.address });
  const before = await relayerPays();
  const outcomes = [];
  for (let times = 0; times < 5; times++) {
    await chain.approve(payer, 1_000n);
    await chain.readClock();
    const terms = await signProof(chain, payer);
    await chain.client.setAutomine(false);
    const isBegun = (await settle(terms, 50)).kind === "pending";
    if (isBegun) await sendRevoke(payer);
    await chain.mine(1);
    await chain.client.setAutomine(true);
    outcomes.push(await settle(terms));
  }
  expect(outcomes.slice(0, 3).map((one) => "reason" in one && one.reason)).toEqual(Array(3).fill("allowance_too_low"));
  for (const refused of outcomes.slice(3)) {
    expect(refused).toMatchObject({
      kind: "failed",
      reason: "settlement_failed",
      message: expect.stringContaining("within the last hour"),
    });
  }
  expect(await relayerPays()).toBe(before + 3);
  expect(await chain.balanceOf(payer.address)).toBe(100n * UNITS_PER_CENT);
  // Another payer is not affected.
  expect(await pay(await signProof(chain, await chain.newPayer()))).toMatchObject({ state: "paid" });
});

test("while the signer is away a payment is pending and nothing is sent; sent again once it is back, it is paid, once", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  const held = relayer();
  setRelayer({ address: held.address, signTransaction: () => Promise.reject(new SignerUnavailable("it is stopped")) });
  for (let times = 0; times < 2; times++) expect(await settle(terms, 100)).toEqual({ kind: "pending" });
  expect(await claim(terms)).toMatchObject({ state: "claimed", isRelayed: false, attempt: 1 });
  setRelayer(held);
  expect(await pay(terms)).toMatchObject({ state: "paid", attempt: 1 });
  expect(await chain.balanceOf(payer.address)).toBe(95n * UNITS_PER_CENT);
});

test("a node that is lost after it received the bytes leaves the payment pending; sent again it is paid, once", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  let isLost = false;
  await goWrong((method) => {
    if (method === "eth_sendRawTransaction") isLost = true;
    else if (isLost) return { drop: true };
    return isLost ? { rewrite: () => null } : null;
  });
  expect(await settle(terms, 100)).toEqual({ kind: "pending" });
  expect(await settle(terms, 100)).toEqual({ kind: "pending" });
  setSandboxEvmNodes([chain.url()]);
  expect(await pay(terms)).toMatchObject({ state: "paid", attempt: 1 });
  expect(await chain.balanceOf(payer.address)).toBe(95n * UNITS_PER_CENT);
});

test("while no node answers nothing is stored, and the payment is not reported as failed", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  setSandboxEvmNodes(["http://127.0.0.1:9"]);
  expect(await settle(terms, 30)).toEqual({ kind: "pending" });
  expect(await claim(terms)).toMatchObject({ state: "claimed", isRelayed: false });
  setSandboxEvmNodes([chain.url()]);
  expect(await pay(terms)).toMatchObject({ state: "paid" });
});

test("while the relay is stopped nothing is stored; once it resumes the same payment is paid", async () => {
  const payer = await chain.newPayer(100n);
  const terms = await signProof(chain, payer);
  await pool().query("UPDATE relay_sender SET fault = 'nonce_behind'");
  expect(await settle(terms, 30)).toEqual({ kind: "pending" });
  expect(await claim(terms)).toMatchObject({ state: "claimed", isRelayed: false });
  await pool().query("UPDATE relay_sender SET fault = NULL");
  expect(await pay(terms)).toMatchObject({ state: "paid" });
});

test("a proof from a wallet that its account has proved is credited to the account itself", async () => {
  const payer = await chain.newPayer(100n);
  const accountId = await createAccount();
  await pool().query("INSERT INTO identity (chain, address, account_id, linked_at, is_first) VALUES ('evm', $1, $2, now(), true)", [
    ...[payer.address.toLowerCase(), accountId],
  ]);
  const paid = await pay(await signProof(chain, payer, { accountId }));
  expect(paid.creditedAccount).toBe(accountId);
  expect(await readCredit(paid.network, paid.payer)).toBe(0n);
});
