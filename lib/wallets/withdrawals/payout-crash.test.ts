// The payout job killed at its statements, on both chains: every withdrawal is paid once and booked once, and none is lost.

import type { Hex } from "viem";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { chainIds } from "@/lib/base/chains";
import type { WithdrawalId } from "@/lib/base/ids";
import { readBalances } from "@/lib/chains/evm/balances";
import { findBlock } from "@/lib/chains/evm/blocks";
import { readHead } from "@/lib/chains/evm/head";
import { solanaNodes } from "@/lib/chains/solana/nodes";
import { deriveTokenAccount } from "@/lib/chains/solana/token-address";
import { readTokenBalances } from "@/lib/chains/solana/usdc";
import type { Death, LastWords } from "@/lib/db/testing/death";
import { dieAtEach, runProgram } from "@/lib/db/testing/deaths";
import { bundleProgram } from "@/lib/db/testing/programs";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readBalance } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { runRelay } from "@/lib/relay/run";
import { signer } from "../custody/signer";
import { checkWithdrawals } from "./check";
import { payWithdrawals } from "./pay-withdrawals";
import type { PayoutOrder } from "./testing/payout-child";
import { newOwner, ordered, startWorld, type TestOwner, USD, type World } from "./testing/world";
import { readBaseFunds, readSolanaFunds } from "./treasury-funds";
import { findWithdrawal } from "./withdrawal";

const database = await openTestDatabase();
let program: string;
let world: World;
beforeAll(async () => {
  program = bundleProgram("lib/wallets/withdrawals/testing/payout-child.ts");
  world = await startWorld();
  await world.fillTreasury("base", 5_000_000_000n);
  await world.fillTreasury("solana", 5_000_000_000n);
  await vi.waitFor(async () => expect(await readBaseFunds(await readHead())).toBe(5_000n * USD), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await readSolanaFunds()).toBe(5_000n * USD), { timeout: 30_000 });
});
afterAll(() => world?.stop());

function runChild(death: Death): Promise<LastWords | null> {
  const { words, evm, solana } = world;
  const place = { databaseUrl: database.url, evmUrl: evm.url(), solanaUrl: solana.url, genesisHash: solana.genesisHash };
  return runProgram(program, { ...place, words, ...death } satisfies PayoutOrder);
}

async function usdcOf({ evm, solana }: TestOwner): Promise<[base: bigint, solana: bigint]> {
  const latest = await findBlock("latest");
  const [base = 0n] = await readBalances({ token: world.evm.usdc, accounts: [evm.address as Hex], blockHash: latest?.hash ?? "0x" });
  const account = deriveTokenAccount(solana.address, signer().usdcMint);
  return [base, (await readTokenBalances(solanaNodes(), [account])).get(account)?.value ?? 0n];
}

async function expectPaid(ids: readonly WithdrawalId[]): Promise<void> {
  await vi.waitFor(
    async () => {
      await payWithdrawals();
      await runRelay({ resendAfterMs: 0 });
      for (const id of ids) expect(await findWithdrawal(id)).toMatchObject({ state: "final" });
    },
    { timeout: 40_000, interval: 100 },
  );
}

test("a job killed before or after sending its statements pays each withdrawal once", async () => {
  const owners: TestOwner[] = [];
  const ids: WithdrawalId[] = [];
  const live = async (death: Death) => {
    const owner = await newOwner(100n * USD);
    owners.push(owner);
    for (const chain of chainIds) ids.push(await ordered(owner, { chain, amount: 1n * USD }));
    const words = await runChild(death);
    // The next process continues a dead one's work; sometimes another job runs first.
    if (owners.length % 4 === 0) await expectPaid(ids);
    return words;
  };
  await dieAtEach({ name: "payouts", moments: ["before", "unseen"], least: 20, live });
  await expectPaid(ids);
  const fees = await Promise.all(ids.map(async (id) => (await findWithdrawal(id))?.fee ?? 0n));
  for (const [index, owner] of owners.entries()) {
    await vi.waitFor(async () => expect(await usdcOf(owner)).toEqual([1_000_000n, 1_000_000n]), { timeout: 30_000 });
    const spent = 2n * USD + (fees[2 * index] ?? 0n) + (fees[2 * index + 1] ?? 0n);
    expect((await readBalance(owner.accountId)).posted).toBe(100n * USD - spent);
  }
  expect([await checkLedger(), await checkWithdrawals()]).toEqual([[], []]);
}, 400_000);
