// A signer in a process of its own that is killed and comes back: payouts wait and say so, each is paid once, and nothing else stops.

import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import type { WithdrawalId } from "@/lib/base/ids";
import { replaceSingleton } from "@/lib/base/process-singleton";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { openCustomerAccount } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { fillAddressPool } from "../custody/address-pool";
import { findWallet, openWallet } from "../custody/custodial-wallet";
import { findCustody } from "../custody/custody";
import { signer } from "../custody/signer";
import { startCustody } from "../custody/start-custody";
import { createSignerProcess, type SignerProcess } from "../custody/testing/signer-process";
import { connectSigner, type SignerConnection } from "../custody/wire/connect";
import { checkWithdrawals } from "./check";
import { payWithdrawals } from "./pay-withdrawals";
import { newOwner, ordered, startWorld, type TestOwner, USD, type World } from "./testing/world";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

await openTestDatabase();
const silent = vi.fn();
let world: World;
let signerProcess: SignerProcess;
let link: SignerConnection;

beforeAll(async () => {
  world = await startWorld();
  await world.fillTreasury("base", 5_000_000_000n);
  await world.fillTreasury("solana", 5_000_000_000n);
  const { words, evm, solana } = world;
  signerProcess = createSignerProcess({ words, evmUrl: evm.url(), solanaUrl: solana.url, genesisHash: solana.genesisHash });
  await signerProcess.start();
  await connect();
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(5_000n * USD), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(5_000n * USD), { timeout: 30_000 });
});
afterAll(async () => {
  link?.stop();
  await signerProcess?.remove();
  await world?.stop();
});
beforeEach(() => replaceSingleton("log", { info: silent, warn: silent, error: silent, debug: silent }));

/** As a process with the jobs role does at its start. */
async function connect(answerWithinMs?: number): Promise<void> {
  link?.stop();
  link = await connectSigner(
    signerProcess.socket,
    async () => {
      const custody = await findCustody();
      if (!custody) return null;
      const { fingerprint, xpub, usdcMint, treasury, relayer, sponsor } = custody;
      return { fingerprint, xpub, usdcMint, treasury, relayer: relayer.base, sponsor: sponsor.solana };
    },
    answerWithinMs,
  );
  await startCustody(link.signer);
}

const untilReached = () => vi.waitFor(() => expect(link.isWell()).toBe(true), { timeout: 30_000 });
const untilLost = () => vi.waitFor(() => expect(link.isWell()).toBe(false), { timeout: 30_000 });

async function orderBoth(): Promise<{ owner: TestOwner; ids: WithdrawalId[] }> {
  const owner = await newOwner(100n * USD);
  const ids = [await ordered(owner, { amount: 5n * USD }), await ordered(owner, { chain: "solana", amount: 5n * USD })];
  return { owner, ids };
}

const statesOf = (ids: readonly WithdrawalId[]) =>
  Promise.all(ids.map(async (id) => ({ state: (await findWithdrawal(id))?.state, waitsFor: (await findWithdrawal(id))?.waitsFor })));

const untilFinal = (ids: readonly WithdrawalId[]) =>
  vi.waitFor(
    async () => {
      await payWithdrawals();
      await runRelay({ resendAfterMs: 0 });
      for (const { state } of await statesOf(ids)) expect(state).toBe("final");
    },
    { timeout: 60_000, interval: 200 },
  );

async function expectPaidOnce({ evm }: TestOwner): Promise<void> {
  const latest = await findBlock("latest");
  const [units] = await readBalances({ token: world.evm.usdc, accounts: [evm.address as Hex], blockHash: latest?.hash ?? "0x" });
  expect(units).toBe(5_000_000n);
  expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
}

/** Orders made while the signer is away wait and say so; once it is back each is paid, once. */
async function expectPaidOnceBack(): Promise<void> {
  const { owner, ids } = await orderBoth();
  await payWithdrawals();
  expect(await statesOf(ids)).toEqual(ids.map(() => ({ state: "approved", waitsFor: "signer" })));
  await signerProcess.start();
  await untilReached();
  await untilFinal(ids);
  await expectPaidOnce(owner);
}

test("while the signer is away payouts wait and say so; once it is back each is paid, once", async () => {
  await untilReached();
  await signerProcess.kill();
  await untilLost();
  await expectPaidOnceBack();
});

test("a signer that is killed while it signs, and comes back, pays each order once", async () => {
  for (let round = 0; round < 3; round++) {
    await untilReached();
    const { owner, ids } = await orderBoth();
    const paying = payWithdrawals();
    await signerProcess.kill();
    await paying;
    await signerProcess.start();
    await untilReached();
    await untilFinal(ids);
    await expectPaidOnce(owner);
  }
}, 240_000);

test("a signer that is there and does not answer delays a round once, not for each payout", async () => {
  await connect(5_000);
  await untilReached();
  const one = await orderBoth();
  const other = await orderBoth();
  const ids = [...one.ids, ...other.ids];
  signerProcess.freeze(true);
  const startedMs = performance.now();
  await payWithdrawals();
  expect(performance.now() - startedMs).toBeLessThan(4 * 5_000);
  expect(await statesOf(ids)).toEqual(ids.map(() => ({ state: "approved", waitsFor: "signer" })));
  signerProcess.freeze(false);
  await connect();
  await untilReached();
  await untilFinal(ids);
  for (const { owner } of [one, other]) await expectPaidOnce(owner);
});

test("a process that starts while the signer is away serves sign-ins and shows addresses, and pays once it is back", async () => {
  await untilReached();
  await signerProcess.kill();
  await connect();
  expect(link.isWell()).toBe(false);
  expect(signer().treasury).toEqual((await findCustody())?.treasury);
  await fillAddressPool(); // does nothing, and is no failure
  const account = await inTransaction(async (transaction) => {
    const opened = await createAccount(undefined, transaction);
    await openCustomerAccount(opened, transaction);
    await openWallet(opened, transaction);
    return opened;
  });
  expect(await findWallet(account)).toMatchObject({ accountId: account });
  await expectPaidOnceBack();
});

test("a signer of another seed at the same socket is not used", async () => {
  await untilReached();
  await signerProcess.kill();
  await untilLost();
  const { evm, solana } = world;
  const other = createSignerProcess({
    words: `${"test ".repeat(11)}junk`,
    evmUrl: evm.url(),
    solanaUrl: solana.url,
    genesisHash: solana.genesisHash,
    place: { socket: signerProcess.socket, stateDir: `${signerProcess.stateDir}-other` },
  });
  await other.start();
  try {
    await vi.waitFor(
      () =>
        expect(silent).toHaveBeenCalledWith(
          expect.objectContaining({ reason: expect.stringContaining("holds the seed") }),
          "the signer cannot be used",
        ),
      { timeout: 30_000 },
    );
    expect(link.isWell()).toBe(false);
  } finally {
    await other.remove();
  }
  await signerProcess.start();
  await untilReached();
});
