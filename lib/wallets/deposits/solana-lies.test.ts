// Solana nodes that invent slots and transactions: they never lead to a credit.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { base58 } from "@scure/base";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { SolanaNodes } from "@/lib/chains/solana/nodes";
import { USDC_MINT } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commitmentOf, type Decide, isListing, setDue, tickUntilRead, watchThrough } from "./testing/faulty-solana";
import {
  depositsOf,
  expectAllAccountedFor,
  ONE_USDC,
  openCustomer,
  postedOf,
  startWatchedSolana,
  statesOf,
  type WatchedSolana,
} from "./testing/watched-solana";

await openTestDatabase();
let chain: WatchedSolana;
const toClose: (() => Promise<void>)[] = [];
beforeAll(async () => {
  chain = await startWatchedSolana(25);
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  await expectAllAccountedFor(chain);
});
afterAll(() => chain?.remove());

/** A watcher behind a node that fails as `decide` says; with `both` it can also use the chain's own node. */
async function through(decide: Decide, options?: { both: boolean }) {
  const watcher = await watchThrough(chain, decide, options);
  toClose.push(watcher.close);
  return watcher;
}

test.each([[1_000_000], [-100]])("a head that is off by %d slots credits nothing early and nothing twice", async (lie) => {
  const customer = await openCustomer();
  let lies = true;
  const watcher = await through((method) =>
    method === "getSlot" && lies ? { rewrite: (slot) => Math.max(0, (slot as number) + lie) } : null,
  );
  const signature = await chain.faucet(customer.owner, 2n * ONE_USDC);
  await watcher.tick();
  const posted = await postedOf(customer);
  const status = await chain.connect().getSignatureStatus(signature);
  // Slots advance while the tick runs.
  expect(posted === 0n || status.value?.confirmationStatus === "finalized").toBe(true);
  await chain.finalize();
  await watcher.tick();
  await watcher.tick();
  lies = false;
  await tickUntilRead(watcher);
  expect(await statesOf(customer)).toEqual(["credited"]);
  expect(await postedOf(customer)).toBe(2_000_000_000n);
});

/** A customer with 1 USDC, and an invented transaction of 5 more, reported at these commitments. */
async function invent(commitments: readonly string[]) {
  const customer = await openCustomer();
  await chain.faucet(customer.owner, ONE_USDC);
  await chain.finalize();
  const watcher = chain.watcher();
  await tickUntilRead(watcher);
  await watcher.release();
  await setDue(customer);
  const signature = base58.encode(randomBytes(64));
  const slot = await chain.connect().getSlot(commitments.includes("finalized") ? "finalized" : "confirmed");
  const balances = (amount: string) => [{ accountIndex: 0, mint: USDC_MINT, owner: customer.owner, uiTokenAmount: { amount } }];
  const meta = { err: null, preTokenBalances: balances("1000000"), postTokenBalances: balances("6000000"), loadedAddresses: null };
  const transaction = { slot, blockTime: 1, transaction: { message: { accountKeys: [customer.tokenAccount] } }, meta };
  const decide: Decide = (method, params) => {
    if (!commitments.includes(commitmentOf(params) ?? "")) return null;
    if (method === "getTransaction" && params[0] === signature) return { rewrite: () => transaction };
    const { before } = (params[1] ?? {}) as { before?: string };
    if (!isListing(method) || params[0] !== customer.tokenAccount || before) return null;
    return { rewrite: (page) => [{ signature, slot, err: null }, ...(page as object[])] };
  };
  return { customer, decide, slot, signature };
}

test("a confirmed deposit that never becomes final ends as reversed, without any ledger entry", async () => {
  const { customer, decide, slot } = await invent(["confirmed"]);
  let tells = true;
  const watcher = await through((...call) => (tells ? decide(...call) : null));
  await tickUntilRead(watcher);
  const [shown] = await depositsOf(customer);
  expect(shown).toMatchObject({ amount: 5_000_000_000n, isFinal: false, block: slot });
  expect(["seen", "confirming"]).toContain(shown?.state);
  tells = false;
  while ((await chain.connect().getSlot("finalized")) < slot + 290) {
    expect(await statesOf(customer)).not.toContain("reversed");
    await tickUntilRead(watcher);
    await sleep(50);
  }
  await vi.waitUntil(async () => (await chain.connect().getSlot("finalized")) >= slot + 300, { timeout: 30_000, interval: 25 });
  expect(await watcher.tick()).toMatchObject({ outcome: "read", reversed: 1 });
  const ended = { transaction: shown?.transaction, state: "reversed", creditedAt: null, reversedAt: expect.any(Date) };
  expect(await depositsOf(customer)).toMatchObject([ended, { state: "credited" }]);
  const { rowCount } = await pool().query("SELECT 1 FROM transfer WHERE id LIKE $1", [`%${shown?.transaction}%`]);
  expect([rowCount, await postedOf(customer)]).toEqual([0, 1_000_000_000n]);
});

test("a deposit that only one node shows as final is not credited while the other one is silent and two must agree", async () => {
  const { customer, decide, slot, signature } = await invent(["confirmed", "finalized"]);
  const final = { slot, confirmations: null, err: null, confirmationStatus: "finalized" };
  const node = await startFaultyNode(chain.url, ({ method, params }) => {
    if (method !== "getSignatureStatuses") return decide(method, params, 0);
    const asked = params[0] as string[];
    const lie = ({ value, ...rest }: { value: unknown[] }) => ({
      ...rest,
      value: value.map((status, index) => (asked[index] === signature ? final : status)),
    });
    return { rewrite: (answer) => lie(answer as { value: unknown[] }) };
  });
  toClose.push(node.close);
  const { genesisHash } = chain;
  const nodes = new SolanaNodes({ urls: [node.url, "http://127.0.0.1:9"], genesisHash, quorum: 2, timeoutMs: 2_000 });
  const watcher = chain.watcher({ nodes });
  for (let round = 0; round < 4; round++) await watcher.tick();
  await watcher.release();
  expect(node.calls.some(({ method, params }) => method === "getSignatureStatuses" && JSON.stringify(params).includes(signature))).toBe(
    true,
  );
  expect(await postedOf(customer)).toBe(1_000_000_000n);
});

test("a deposit that only one node reports as final is not credited while another node does not know it", async () => {
  const { customer, decide } = await invent(["confirmed", "finalized"]);
  const watcher = await through(decide, { both: true });
  for (let round = 0; round < 4; round++) await watcher.tick();
  expect(watcher.node.calls.some(({ method }) => method === "getTransaction")).toBe(true);
  expect(await postedOf(customer)).toBe(1_000_000_000n);
  await watcher.release();
  await chain.faucet(customer.owner, 2n * ONE_USDC);
  await chain.finalize();
  const honest = chain.watcher();
  await tickUntilRead(honest);
  await honest.release();
  expect(await postedOf(customer)).toBe(3_000_000_000n);
});
