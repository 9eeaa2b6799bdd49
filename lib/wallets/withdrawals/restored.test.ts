// The database set back, as from a backup, to before a payout, on real chains: what the chain shows as paid is booked whatever the row waits
// for, and neither paid again nor given back as well.

import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type ChainId, chainIds } from "@/lib/base/chains";
import { now } from "@/lib/base/clock";
import type { WithdrawalId } from "@/lib/base/ids";
import { nanoUsd, ZERO_USD } from "@/lib/base/money";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { setSandboxSolanaNodes } from "@/lib/chains/solana/node-urls";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { setSigner, signer } from "../custody/signer";
import { addReport } from "../reserves/report";
import { checkWithdrawals } from "./check";
import { cancelWithdrawal, refuseWithdrawal } from "./decisions";
import { payWithdrawals } from "./pay-withdrawals";
import {
  newOwner,
  openWorldSigner,
  ordered,
  orderedBeforeStart,
  startWorld,
  type TestOwner,
  USD,
  unlink,
  untilFinal,
  type World,
} from "./testing/world";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";

await openTestDatabase();
const chains = chainIds;
let world: World;
beforeAll(async () => {
  world = await startWorld();
  for (const chain of chains) await world.fillTreasury(chain, 100_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(100n * USD), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(100n * USD), { timeout: 30_000 });
});
afterAll(() => world?.stop());
afterEach(async () => {
  useNodes(true);
  expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
});

function useNodes(doAnswer: boolean): void {
  const away = "http://127.0.0.1:9";
  setSandboxEvmNodes([doAnswer ? world.evm.url() : away]);
  setSandboxSolanaNodes([doAnswer ? world.solana.url : away], world.solana.genesisHash);
}

/** Restores a withdrawal's state from before its payout, with a signer that lost its journal; PostgreSQL has started since it was ordered. */
async function setBack(id: WithdrawalId, state: string): Promise<void> {
  await inTransaction(async (transaction) => {
    await transaction.$executeRaw`SET LOCAL session_replication_role = replica`;
    await transaction.relayBroadcast.deleteMany({ where: { relayedId: `payout_${id}_1` } });
    await transaction.relayed.deleteMany({ where: { id: `payout_${id}_1` } });
    const unpaid = { ...inState(state), validBefore: null, transaction: null, signedAt: null, confirmedAt: null };
    await transaction.withdrawal.update({ where: { id }, data: { attempt: 0, ...unpaid } });
  });
  await orderedBeforeStart(id);
  setSigner(await openWorldSigner(world.words));
}

const inState = (state: string) => ({ state, ...(state === "approved" ? {} : { approvedAt: null }) });

async function arrived(owner: TestOwner, chain: ChainId): Promise<bigint> {
  if (chain === "solana") {
    const account = deriveTokenAccount(owner.solana.address, signer().usdcMint);
    return (await readTokenBalances(solanaNodes(), [account])).get(account)?.value ?? 0n;
  }
  const latest = await findBlock("latest");
  const [units = 0n] = await readBalances({ token: world.evm.usdc, accounts: [owner.evm.address as Hex], blockHash: latest?.hash ?? "0x" });
  return units;
}

const figures = { holdings: [], held: nanoUsd(1), customers: nanoUsd(2), credits: ZERO_USD, granted: ZERO_USD };

/** What keeps the payout job from paying a restored withdrawal, and with it from learning that it is paid. */
const hindrances: Readonly<Record<string, (owner: TestOwner) => Promise<unknown>>> = {
  "its account is frozen": ({ accountId }) => pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [accountId]),
  "it waits for approval": async () => undefined,
  "its wallet was unlinked": (owner) => unlink(owner.evm),
  "the treasury has no more": async () => undefined,
  "there is a deficit": () => addReport({ state: "deficit", at: now(), ...figures, owed: nanoUsd(2) }),
};
for (const [what, hinder] of Object.entries(hindrances)) {
  test(`a payout that the database forgot is booked and never given back, although ${what}`, async () => {
    for (const chain of chains) {
      const owner = await newOwner(200n * USD);
      const amount = what === "the treasury has no more" ? 60n * USD : USD;
      const id = await ordered(owner, { chain, amount });
      await vi.waitFor(
        async () => {
          await payWithdrawals();
          await runRelay({ resendAfterMs: 0 });
          expect(await arrived(owner, chain)).toBe(amount / 1_000n);
        },
        { timeout: 30_000, interval: 100 },
      );
      const { posted } = await readBalance(owner.accountId);
      await setBack(id, what === "it waits for approval" ? "awaiting_approval" : "approved");
      await hinder(owner);
      expect(await cancelWithdrawal(owner.accountId, id)).toBe(false);
      expect(await refuseWithdrawal(id, "ask us")).toBe(false);
      await untilFinal(id);
      expect(await cancelWithdrawal(owner.accountId, id)).toBe(false);
      expect([await arrived(owner, chain), (await readBalance(owner.accountId)).posted]).toEqual([amount / 1_000n, posted]);
      await addReport({ state: "covered", at: now(), ...figures, owed: nanoUsd(1) });
    }
  }, 120_000);
}

test("one that was not paid is given back once its chain was asked, which waits for its nodes", async () => {
  const owner = await newOwner(50n * USD);
  const ids = await Promise.all(chains.map((chain) => ordered(owner, { chain, amount: USD })));
  for (const id of ids) {
    await orderedBeforeStart(id);
    await prisma().withdrawal.update({ where: { id }, data: inState("awaiting_approval") });
  }
  useNodes(false);
  await payWithdrawals();
  for (const id of ids) expect(await cancelWithdrawal(owner.accountId, id)).toBe(false);
  useNodes(true);
  await payWithdrawals();
  useNodes(false);
  for (const id of ids) expect(await cancelWithdrawal(owner.accountId, id)).toBe(true);
  expect((await readBalance(owner.accountId)).posted).toBe(50n * USD);
});

test("a start of the service counts as one of PostgreSQL, since a dump is read in while it is stopped", async () => {
  const owner = await newOwner(50n * USD);
  const id = await ordered(owner, { amount: USD });
  await prisma().withdrawal.update({ where: { id }, data: inState("awaiting_approval") });
  await prisma().process.create({ data: { id: "prc_00000000000000000000", roles: "web", startedAt: now(), beat: 1n } });
  expect(await cancelWithdrawal(owner.accountId, id)).toBe(false);
  await payWithdrawals();
  expect(await cancelWithdrawal(owner.accountId, id)).toBe(true);
  await prisma().process.deleteMany();
});

test("one that was ordered since the last start is given back at once, and no node is asked", async () => {
  const owner = await newOwner(50n * USD);
  const ids = await Promise.all(chains.map((chain) => ordered(owner, { chain, amount: USD })));
  useNodes(false);
  for (const id of ids) expect(await cancelWithdrawal(owner.accountId, id)).toBe(true);
});
