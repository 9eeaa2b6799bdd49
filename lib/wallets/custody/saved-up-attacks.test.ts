// A thief who owns the database and the jobs process, with wallets of their own, and time: what the signer admitted is kept back for days,
// or until the signer has forgotten it. The clock is the signer's; each start reads the journal again.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type ChainId, chainIds } from "@/lib/base/chains";
import { dateOf, nowMs, setClock } from "@/lib/base/clock";
import { newAccountId, randomBase62 } from "@/lib/base/ids";
import { nanoUsd } from "@/lib/base/money";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { startTestSolanaChain, type TestSolanaChain } from "@/lib/sandbox/solana-chain/testing";
import { newKeyWallet, USD } from "../withdrawals/testing/world";
import { type Journal, openJournal } from "./limits/journal";
import { createWords } from "./mnemonic";
import { openSigner } from "./seed-signer";
import type { Signer } from "./signer";
import { endOfOrder, type Order, type SignedOrder, writeOrderText } from "./withdrawal-order";

const DAY_MS = 24 * 3_600_000;
const LIMIT = 12n * USD;

const [evm, solana] = [newKeyWallet("evm"), newKeyWallet("solana")];
let chain: TestSolanaChain;
beforeAll(async () => {
  // Its blocks do not follow the signer's clock: a transaction that was signed here must not expire, and it does after 150 of them.
  chain = await startTestSolanaChain({ usdcMint: newKeyWallet("solana").address, slotMs: 1_000 });
  setSandboxSolanaNodes([chain.url], chain.genesisHash);
});
afterAll(() => chain?.remove());

let directory: string;
let words: string;
let journal: Journal | null = null;
let restoreClock = () => {};
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "saved-up-"));
  words = createWords();
  vi.stubEnv("WITHDRAWAL_SERVICE_DAILY_LIMIT_USD", "12");
  forgetSingleton("config");
});
afterEach(async () => {
  await journal?.close();
  journal = null;
  restoreClock();
  restoreClock = () => {};
  rmSync(directory, { recursive: true, force: true });
  vi.unstubAllEnvs();
  forgetSingleton("config");
});

/** The signer, started again with a clock at this moment. */
async function startAt(ms: number): Promise<Signer> {
  restoreClock();
  restoreClock = setClock(() => ms);
  await journal?.close();
  journal = await openJournal(directory, { maxOldLines: 0 });
  forgetSingleton("Solana nodes"); // which know what time it was before
  return openSigner(words, "sandbox", { journal });
}

async function newOrder(chain: ChainId, changes: Partial<Order> = {}): Promise<SignedOrder> {
  const issuedAt = dateOf(nowMs());
  const destination = chain === "base" ? evm.address : solana.address;
  const terms = { amount: nanoUsd(LIMIT), fee: nanoUsd(0), opensAccount: false, nonce: randomBase62(22) };
  const order = { accountId: newAccountId(), chain, destination, ...terms, issuedAt, validUntil: endOfOrder(issuedAt), ...changes };
  return { ...order, signer: { chain: evm.chain, address: evm.address }, signature: await evm.sign(writeOrderText(order)) };
}

/** Resolves with the refusal, or "signed". */
async function take(from: Signer, order: SignedOrder): Promise<string> {
  const cost = { nonce: 1, gas: 100_000n, maxFeePerGas: 1n };
  try {
    await (order.chain === "base" ? from.signPayoutOnBase(order, cost) : from.signPayoutOnSolana(order));
    return "signed";
  } catch (error) {
    return (error as { refusal?: string }).refusal ?? (error as Error).name;
  }
}

test("limits of days gone by are not saved up: what is signed again takes from the limit again", async () => {
  const startMs = nowMs();
  const saved: SignedOrder[] = [];
  for (let day = 0; day < 7; day++) {
    const signer = await startAt(startMs + day * (DAY_MS + 1));
    const order = await newOrder("base");
    expect(await take(signer, order)).toBe("signed"); // and published nowhere
    saved.push(order);
  }
  for (const beforeEndMs of [60_000, 30_000]) {
    const held = await startAt(startMs + 7 * DAY_MS - beforeEndMs);
    const outcomes: string[] = [];
    for (const order of saved) outcomes.push(await take(held, order));
    expect(outcomes).toEqual([...Array.from({ length: 6 }, () => "limit"), "signed"]);
  }
});

test("an order that is signed again at the end of its day counts for a day from then on", async () => {
  const startMs = nowMs();
  const order = await newOrder("base");
  expect(await take(await startAt(startMs), order)).toBe("signed");
  expect(await take(await startAt(startMs + DAY_MS - 60_000), order)).toBe("signed");
  expect(await take(await startAt(startMs + DAY_MS + 1), await newOrder("base"))).toBe("limit");
  expect(await take(await startAt(startMs + 2 * DAY_MS - 60_001), await newOrder("base"))).toBe("limit");
  expect(await take(await startAt(startMs + 2 * DAY_MS - 59_999), await newOrder("base"))).toBe("signed");
});

test("an order ends seven days after it was made, and is not made ahead of time", async () => {
  const signer = await startAt(nowMs());
  for (const chain of chainIds) {
    const far = dateOf(nowMs() + 90 * DAY_MS);
    expect(await take(signer, await newOrder(chain, { validUntil: far }))).toBe("order");
    expect(await take(signer, await newOrder(chain, { validUntil: dateOf(nowMs() + DAY_MS) }))).toBe("order");
    expect(await take(signer, await newOrder(chain, { issuedAt: far, validUntil: endOfOrder(far) }))).toBe("clock");
    expect(await take(signer, await newOrder(chain, { amount: nanoUsd(USD) }))).toBe("signed");
  }
});

test("no order lives longer than the signer remembers it, also when it was made by a clock that was ahead", async () => {
  const startMs = nowMs();
  const issuedAt = dateOf(startMs + 5 * 60_000);
  const dates = { issuedAt, validUntil: endOfOrder(issuedAt) };
  const orders = await Promise.all(chainIds.map((chain) => newOrder(chain, { amount: nanoUsd(USD), ...dates })));
  const first = await startAt(startMs);
  for (const order of orders) expect(await take(first, order)).toBe("signed");
  const last = await startAt(dates.validUntil.getTime() - 1);
  for (const { nonce, chain } of orders) expect(await take(last, await newOrder(chain, { nonce }))).toBe("nonce");
  for (const ms of [0, DAY_MS, 2 * DAY_MS, 30 * DAY_MS]) {
    const later = await startAt(dates.validUntil.getTime() + ms);
    for (const order of orders) expect(await take(later, order), `${order.chain} ${ms}`).toBe("expired");
  }
});

test("days later an order on Solana still has one transaction that can run", async () => {
  const startMs = nowMs();
  const order = await newOrder("solana", { amount: nanoUsd(USD) });
  const connection = chain.connect();
  const readBlockhashes = async () =>
    Promise.all((["confirmed", "finalized"] as const).map(async (level) => (await connection.getLatestBlockhash(level)).blockhash));
  expect(await take(await startAt(startMs), order)).toBe("signed");
  // With the same blockhash it would be the same transaction.
  const [confirmed, finalized] = await readBlockhashes();
  await expect.poll(readBlockhashes).not.toContain(confirmed);
  await expect.poll(readBlockhashes).not.toContain(finalized);
  for (const days of [1.1, 3, 6.9]) {
    const held = await startAt(startMs + days * DAY_MS);
    for (let times = 0; times < 2; times++) expect(await take(held, order), `${days}`).toBe("paid");
  }
});

test("a start with a clock that is far ahead leaves the journal as it was", async () => {
  const startMs = nowMs();
  const order = await newOrder("base");
  expect(await take(await startAt(startMs), order)).toBe("signed");
  await startAt(startMs + 30 * DAY_MS);
  const right = await startAt(startMs + 60_000);
  expect(await take(right, await newOrder("base"))).toBe("limit");
  expect(await take(right, await newOrder("base", { nonce: order.nonce }))).toBe("nonce");
});
