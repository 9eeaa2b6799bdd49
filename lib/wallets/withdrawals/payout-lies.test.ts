// Payouts with lying nodes, and owners who cancel at the worst moment: whatever a node was shown, money is either paid or returned, never
// both.

import { createWalletClient, type Hex, http } from "viem";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { chainIds } from "@/lib/base/chains";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { contractWallets } from "@/lib/chains/evm/testing/contract-wallets";
import { type Fault, startFaultyNode } from "@/lib/chains/evm/testing/faulty-node";
import { newAddress } from "@/lib/chains/evm/testing/usdc-chain";
import { haveNodesAgreed } from "@/lib/chains/quorum";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { signer } from "../custody/signer";
import { checkWithdrawals } from "./check";
import { cancelWithdrawal } from "./decisions";
import { payWithdrawals } from "./pay-withdrawals";
import { requestWithdrawal } from "./request";
import {
  link,
  newKeyWallet,
  newOwner,
  order,
  ordered,
  signOrder,
  startWorld,
  type TestOwner,
  USD,
  untilFinal,
  type World,
} from "./testing/world";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

await openTestDatabase();
let world: World;
type Decide = Parameters<typeof startFaultyNode>[1];
let decide: Decide = () => null;
let liar: Awaited<ReturnType<typeof startFaultyNode>>;
beforeAll(async () => {
  world = await startWorld();
  liar = await startFaultyNode(world.evm.url(), (call): Fault | null => decide(call));
  await world.fillTreasury("base", 1_000_000_000n);
  await world.fillTreasury("solana", 1_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(1_000n * USD), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(1_000n * USD), { timeout: 30_000 });
});
afterAll(async () => {
  await liar?.close();
  await world?.stop();
});
afterEach(async () => {
  decide = () => null;
  vi.unstubAllEnvs();
  for (const name of ["config", "disagreement of nodes"]) forgetSingleton(name);
  setSandboxEvmNodes([world.evm.url()]);
  expect(await checkLedger()).toEqual([]);
  expect(await checkWithdrawals()).toEqual([]);
  await pool().query("UPDATE withdrawal SET requested_at = requested_at - interval '25 hours'");
});

async function usdcOf({ evm }: TestOwner): Promise<bigint> {
  const latest = await findBlock("latest", world.evm.nodes);
  const query = { token: world.evm.usdc, accounts: [evm.address as Hex], blockHash: latest?.hash ?? ("0x" as const) };
  return (await readBalances(query, world.evm.nodes))[0] ?? 0n;
}

/** The owner's USDC on Base plus their balance, which must never exceed the initial amount. */
async function ownedBy(owner: TestOwner): Promise<bigint> {
  return (await readBalance(owner.accountId)).posted + (await usdcOf(owner)) * 1_000n;
}

test("nothing shown to a node before a payout is stored can be used to pay: a node that refuses it cannot submit it", async () => {
  const owner = await newOwner(50n * USD);
  setSandboxEvmNodes([liar.url]);
  let shown: { to: Hex; data: Hex } | undefined;
  decide = ({ method, params }) => {
    if (method !== "eth_estimateGas") return null;
    shown = params[0] as { to: Hex; data: Hex };
    return { error: { code: 3, message: "execution reverted: Pausable: paused" } };
  };
  const id = await ordered(owner, { amount: 20n * USD });
  await payWithdrawals();
  expect(await findWithdrawal(id)).toMatchObject({ state: "approved", waitsFor: "chain", attempt: 0 });
  expect(await cancelWithdrawal(owner.accountId, id)).toBe(true);
  expect((await readBalance(owner.accountId)).posted).toBe(50n * USD);
  // The node's operator submits what the node was shown.
  expect(shown).toBeDefined();
  const stranger = await world.evm.newAccount();
  const wallet = createWalletClient({ account: stranger, transport: http(world.evm.url()) });
  await wallet.sendTransaction({ to: shown?.to, data: shown?.data, gas: 300_000n, chain: null }).catch(() => undefined);
  await new Promise((done) => setTimeout(done, 1_000));
  expect(await ownedBy(owner)).toBe(50n * USD);
});

test("a single lying node of two cannot cause the return of a payout that was made", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: 20n * USD });
  await payWithdrawals();
  await vi.waitFor(
    async () => {
      await runRelay({ resendAfterMs: 0 });
      expect(await usdcOf(owner)).toBe(20_000_000n);
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(["signed", "sent", "confirmed"]).toContain((await findWithdrawal(id))?.state);
  setSandboxEvmNodes([liar.url, world.evm.url()]);
  decide = ({ method, params }) => {
    if (method === "eth_getBlockByNumber" && params[0] === "finalized")
      return { rewrite: (block) => ({ ...(block as object), timestamp: `0x${(Math.floor(Date.now() / 1_000) + 7_200).toString(16)}` }) };
    // authorizationState
    if (method === "eth_call" && (params[0] as { data: string }).data.startsWith("0xe94a0102"))
      return { rewrite: () => `0x${"0".repeat(64)}` };
    return null;
  };
  for (let n = 0; n < 3; n++) await payWithdrawals();
  await cancelWithdrawal(owner.accountId, id);
  expect(await ownedBy(owner)).toBeLessThanOrEqual(50n * USD);
  decide = () => null;
  setSandboxEvmNodes([world.evm.url()]);
  await untilFinal(id);
});

test("one of two nodes alone has no withdrawal ordered in a contract wallet's name, nor signed by the signer", async () => {
  const [owner, key, thief] = [await newOwner(50n * USD), newKeyWallet("evm"), newKeyWallet("evm")];
  const address = newAddress();
  await world.evm.client.setCode({ address, bytecode: contractWallets.ownedBy(key.address) });
  await link(owner.accountId, { chain: "evm", address }, true);
  const wish = { amount: 20n * USD, destination: address };
  const forged = await signOrder(owner, { ...wish, signer: { ...thief, address } });
  // Only the check of a signature is a call without a receiver.
  decide = ({ method, params }) =>
    method === "eth_call" && !("to" in (params[0] as object)) ? { rewrite: () => `0x${"1".padStart(64, "0")}` } : null;
  vi.stubEnv("SINGLE_NODE", "refuse");
  forgetSingleton("config");
  for (const urls of [
    [liar.url, world.evm.url()],
    [world.evm.url(), liar.url],
  ]) {
    setSandboxEvmNodes(urls);
    expect(await requestWithdrawal(forged)).toEqual({ ok: false, reason: "contract_wallet_unavailable" });
    await expect(signer().checkPayout(forged)).rejects.toMatchObject({ name: "PayoutRefused", refusal: "unavailable" });
  }
  expect(haveNodesAgreed()).toBe(false);
  decide = () => null;
  expect(await requestWithdrawal(forged)).toEqual({ ok: false, reason: "bad_signature" });
  await expect(signer().checkPayout(forged)).rejects.toMatchObject({ refusal: "signature" });
  expect(await order(owner, { ...wish, signer: { ...key, address } })).toMatchObject({ ok: true });
  expect((await readBalance(owner.accountId)).posted).toBeLessThan(30n * USD);
});

test("a paid row reset to approved is not paid twice on Solana by the signer that paid it", async () => {
  const owner = await newOwner(50n * USD);
  const before = await readSolanaFunds();
  const id = await ordered(owner, { chain: "solana", amount: 5n * USD });
  await untilFinal(id);
  await pool().query("UPDATE withdrawal SET state = 'approved', ended_at = NULL, confirmed_at = NULL WHERE id = $1", [id]);
  for (let n = 0; n < 20; n++) {
    await payWithdrawals();
    await runRelay({ resendAfterMs: 0 });
    await new Promise((done) => setTimeout(done, 200));
  }
  expect(before - (await readSolanaFunds())).toBe(5n * USD);
  expect(await findWithdrawal(id)).toMatchObject({ attempt: 1 });
  await pool().query("UPDATE withdrawal SET state = 'final', ended_at = now(), confirmed_at = now(), waits_for = NULL WHERE id = $1", [id]);
});

test("orders cancelled while they are signed do not count against the daily limit", async () => {
  const [owner, honest] = [await newOwner(900n * USD), await newOwner(50n * USD)];
  // The owner cancels between the signature and the commit that would store it.
  await pool().query(`CREATE FUNCTION lose_the_race() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`);
  await pool().query(
    `CREATE TRIGGER lose_the_race BEFORE UPDATE ON withdrawal FOR EACH ROW WHEN (NEW.state = 'signed') EXECUTE FUNCTION lose_the_race()`,
  );
  for (const chain of chainIds) {
    for (let n = 0; n < 2; n++) {
      const id = await ordered(owner, { chain, amount: 240n * USD });
      await payWithdrawals();
      expect(await findWithdrawal(id)).toMatchObject({ state: "approved", waitsFor: null, attempt: 0 });
      expect(await cancelWithdrawal(owner.accountId, id)).toBe(true);
    }
  }
  await pool().query("DROP TRIGGER lose_the_race ON withdrawal");
  vi.stubEnv("WITHDRAWAL_SERVICE_DAILY_LIMIT_USD", "300");
  forgetSingleton("config");
  const id = await ordered(honest, { amount: 20n * USD });
  await payWithdrawals();
  expect(await findWithdrawal(id)).toMatchObject({ waitsFor: null, attempt: 1 });
  await untilFinal(id);
});

test("a hundred withdrawals waiting for approval, or for money on another chain, do not block other payouts", async () => {
  const owner = await newOwner(900n * USD);
  const waiting = await ordered(owner, { amount: 300n * USD });
  expect(await findWithdrawal(waiting)).toMatchObject({ state: "awaiting_approval" });
  await pool().query(
    `INSERT INTO withdrawal SELECT (jsonb_populate_record(w, jsonb_build_object('id', 'wd_waiting' || n, 'nonce', lpad(n::text, 22, 'w'),
       'requested_at', w.requested_at - interval '26 hours'))).* FROM withdrawal w, generate_series(1, 100) AS n WHERE w.id = $1`,
    [waiting],
  );
  const id = await ordered(await newOwner(50n * USD), { amount: 5n * USD });
  await payWithdrawals();
  await pool().query("DELETE FROM withdrawal WHERE id LIKE 'wd_waiting%'");
  expect(await findWithdrawal(id)).toMatchObject({ attempt: 1 });
  await untilFinal(id);
  await cancelWithdrawal(owner.accountId, waiting);
});
