// The limit stops transactions, and never a credit: a payment that moved on the chain is credited, limited or not, and no payer is blamed
// for a slow relay or chain.

import type { PrivateKeyAccount } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { metrics } from "@/lib/base/observe/metrics";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { checkBooks } from "@/lib/jobs/check-books";
import type { PaymentTerms } from "../claims/claim";
import { creditPayment } from "../claims/claim-steps";
import { claim, type SettledChain, signExact, signProof, startSettledChain } from "../testing/settled-chain";
import { settleClaim } from "./settle";

await openTestDatabase();
let chain: SettledChain;
beforeAll(async () => {
  chain = await startSettledChain();
});
beforeEach(async () => {
  await pool().query("TRUNCATE payment_waste");
  await chain.readClock();
});
afterEach(async () => {
  await chain.client.setAutomine(true);
  delete process.env.FAILED_FEE_LIMIT_PER_HOUR;
  forgetSingleton("config");
  expect(await checkBooks()).toEqual([]);
});
afterAll(() => chain?.stop());

const settle = async (terms: PaymentTerms, waitMs = 10_000) => settleClaim(await claim(terms), waitMs);

const addFailedTransactions = (network: string, payer: string, count: number, onTrust: boolean) =>
  pool().query(
    "INSERT INTO payment_waste SELECT 'waste_' || random() || i, 1, $1, $2, $4, to_timestamp($5) FROM generate_series(1, $3) i",
    [network, payer, count, onTrust, chain.clockMs() / 1_000],
  );

/** USDC base units that the treasury has and the books lack. */
async function unbooked(): Promise<bigint> {
  const { rows } = await pool().query<{ units: bigint }>(
    "SELECT coalesce(-sum(amount) / 1000, 0)::bigint AS units FROM entry WHERE account_id = 'base_chain'",
  );
  return (await chain.treasuryUnits()) - (rows[0]?.units ?? 0n);
}

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

/** Runs until no claim can change any more. */
async function letItEnd(): Promise<void> {
  await chain.passMs(400_000);
  for (let times = 0; times < 2; times++) await chain.recordFinal();
}

test("a proof paid on the chain is paid, although the database was restored from a backup and others' transactions fail", async () => {
  const before = await unbooked();
  const terms = await signProof(chain, await chain.newPayer(100n), { cents: 9n });
  const { id } = await claim(terms);
  expect((await settle(terms)).kind).toBe("paid");
  await pool().query("DELETE FROM payment_claim WHERE id = $1", [id]);
  await addFailedTransactions(terms.network, "0xother", 100, true);
  const again = await claim(terms);
  const settled = await settleClaim(again, 30_000);
  if (settled.kind !== "paid") throw new Error(JSON.stringify(settled));
  await creditPayment(again, settled);
  await letItEnd();
  expect(await unbooked()).toBe(before);
});

test("an authorization that somebody else executed is paid, although others' transactions fail", async () => {
  const payer = await chain.newPayer(100n);
  const { terms, call } = await signExact(chain, payer);
  const hash = await chain.client.sendTransaction({ account: await chain.newPayer(1n), ...call, gas: 200_000n });
  await chain.client.waitForTransactionReceipt({ hash });
  await addFailedTransactions(terms.network, "0xother", 100, true);
  const claimed = await claim(terms);
  const settled = await settleClaim(claimed, 3_000);
  if (settled.kind !== "paid") throw new Error(JSON.stringify(settled));
  await creditPayment(claimed, settled);
});

test.each([
  ["limited since", 2, true],
  ["not allowed since", 0, false],
] as const)(
  "a transaction moved nothing, and its payment is %s: when another block gives it effect it is credited",
  async (_, failures, approves) => {
    const before = await unbooked();
    const payer = await chain.newPayer(100n);
    await chain.recordFinal();
    await chain.readClock();
    const terms = await signProof(chain, payer);
    await addFailedTransactions(terms.network, terms.payer, failures, false);
    await chain.client.setAutomine(false);
    expect((await settle(terms, 50)).kind).toBe("pending");
    await sendRevoke(payer);
    await chain.mine(1);
    await chain.client.setAutomine(true);
    expect(await settle(terms)).toMatchObject({ kind: "failed", reason: "allowance_too_low" });
    if (approves) await chain.approve(payer, 1_000n);
    expect((await settle(terms, 3_000)).kind).toBe("failed");
    await chain.client.setAutomine(false);
    await chain.reorg(approves ? 2 : 1);
    await chain.client.request({ method: "anvil_dropAllTransactions" as never });
    await chain.client.setAutomine(true);
    await chain.rounds(2);
    await chain.recordFinal();
    await letItEnd();
    expect(await unbooked()).toBe(before);
    expect((await claim(terms)).state).toBe("paid");
  },
);

test("no payer is blamed for a chain without blocks: the next new wallet is served", async () => {
  process.env.FAILED_FEE_LIMIT_PER_HOUR = "3";
  forgetSingleton("config");
  const payers = await Promise.all([1, 2, 3].map(() => chain.newPayer(100n)));
  await chain.readClock();
  const all = await Promise.all(payers.map((payer) => signProof(chain, payer)));
  await chain.client.setAutomine(false);
  for (const terms of all) expect((await settle(terms, 50)).kind).toBe("pending");
  await chain.client.increaseTime({ seconds: 360 });
  await chain.mine(1);
  await chain.client.setAutomine(true);
  for (const terms of all) expect(await settle(terms)).toMatchObject({ kind: "failed", reason: "expired" });
  const next = await chain.newPayer(100n);
  await chain.readClock();
  const claimed = await claim(await signProof(chain, next));
  const settled = await settleClaim(claimed, 30_000);
  if (settled.kind !== "paid") throw new Error(JSON.stringify(settled));
  await creditPayment(claimed, settled);
});

test("a failed transaction that two processes see is counted once", async () => {
  const counted = async () => (await metrics().paymentsFailedOnChain.get()).values.reduce((sum, { value }) => sum + value, 0);
  const before = await counted();
  const payer = await chain.newPayer(100n);
  await chain.readClock();
  const terms = await signProof(chain, payer);
  await chain.client.setAutomine(false);
  const claimed = await claim(terms);
  expect((await settleClaim(claimed, 50)).kind).toBe("pending");
  const runs = [settleClaim(claimed, 30_000)];
  forgetSingleton("payments being settled");
  runs.push(settleClaim(claimed, 30_000));
  await sendRevoke(payer);
  await chain.mine(1);
  await chain.client.setAutomine(true);
  await Promise.all(runs);
  expect((await counted()) - before).toBe(1);
});
