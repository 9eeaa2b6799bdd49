// For tests of reserves: both chains with everything that moves money, and a thief.

import type { Hex } from "viem";
import { expect } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import { addIdentity } from "@/lib/access/identities";
import { type AccountId, newRequestId } from "@/lib/base/ids";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { newAddress, startUsdcChain } from "@/lib/chains/evm/testing/usdc-chain";
import { encodeTransfer } from "@/lib/chains/evm/usdc";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openCustomerAccount } from "@/lib/ledger/accounts";
import { checkLedger } from "@/lib/ledger/check";
import { chargeLate } from "@/lib/ledger/testing/hold";
import { runRelay } from "@/lib/relay/run";
import { fillAddressPool } from "../../custody/address-pool";
import { findWallet, openWallet } from "../../custody/custodial-wallet";
import { setSigner, signer } from "../../custody/signer";
import { createBaseWatcher } from "../../deposits/base-watcher";
import { checkDeposits } from "../../deposits/check";
import { createSolanaWatcher } from "../../deposits/solana-watcher";
import { runSweeps } from "../../sweeps/run";
import { checkWithdrawals } from "../../withdrawals/check";
import { payWithdrawals } from "../../withdrawals/pay-withdrawals";
import { newKeyWallet, startWorld, type TestOwner } from "../../withdrawals/testing/world";
import { checkReserves } from "../check-reserves";
import type { KnownReport } from "../report";

export const ONE_USDC = 1_000_000n;

async function startWorldByHand() {
  const [world, evm] = await Promise.all([startWorld(), startUsdcChain({ blockTimeMs: 3_600_000 })]);
  await world.evm.stop();
  setSandboxEvmNodes([evm.url()]);
  await evm.fundGas(signer().relayer.address);
  const fillTreasury: typeof world.fillTreasury = (chain, units) =>
    chain === "base" ? evm.mint(signer().treasury.base, units) : world.fillTreasury(chain, units);
  const stop = async () => {
    setSigner(undefined);
    await Promise.all([evm.stop(), world.solana.remove()]);
  };
  return { ...world, evm, fillTreasury, stop };
}

/** A customer whose wallets may be paid immediately, and whose deposit addresses are the signer's. */
export interface Owner extends TestOwner {
  /** Deposit addresses on Base and on Solana. */
  address: Hex;
  owner: string;
}

async function openOwner(): Promise<Owner> {
  const [evm, solana] = [newKeyWallet("evm"), newKeyWallet("solana")];
  const owner = await inTransaction(async (transaction) => {
    const accountId = await createAccount(undefined, transaction);
    await openCustomerAccount(accountId, transaction);
    for (const { chain, address } of [evm, solana]) await addIdentity(accountId, { chain, address }, true, transaction);
    const { baseAddress, solanaAddress } = await openWallet(accountId, transaction);
    return { accountId, evm, solana, address: baseAddress as Hex, owner: solanaAddress };
  });
  await findWallet(owner.accountId); // shows the addresses, which are watched from now on
  return owner;
}

/** @param byHand Base mines a block per transaction, and others only on request. The caller stops it. */
export async function startReservesWorld(byHand = false) {
  const world = byHand ? await startWorldByHand() : await startWorld();
  const base = createBaseWatcher({ startBlock: 0 });
  const solana = createSolanaWatcher();

  const openOwners = async (count: number): Promise<Owner[]> => {
    const owners: Owner[] = [];
    while (owners.length < count) {
      await fillAddressPool();
      owners.push(await openOwner());
    }
    return owners;
  };

  const watch = () => Promise.all([base.tick(), solana.tick()]);
  const relay = () => runRelay({ resendAfterMs: 0 });

  /** Runs every job once. */
  const round = async () => {
    await watch();
    await runSweeps();
    await payWithdrawals();
    await relay();
  };

  /** Runs rounds until the report matches. */
  const until = async (isThere: (report: KnownReport) => boolean): Promise<KnownReport> => {
    let last: KnownReport | null = null;
    await expect
      .poll(
        async () => {
          await round();
          const report = await checkReserves();
          last = report.state === "unknown" ? null : report;
          return last !== null && isThere(last);
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe(true);
    if (!last) throw new Error("it was there");
    return last;
  };

  /** Moves USDC out of the treasury, as a thief with its key could. */
  const stealFromTreasury = async (units: bigint): Promise<void> => {
    const { client, usdc } = world.evm;
    const thief = signer().treasury.base as Hex;
    await client.impersonateAccount({ address: thief });
    await client.setBalance({ address: thief, value: 10n ** 18n });
    const hash = await client.sendTransaction({ account: thief, to: usdc, data: encodeTransfer(newAddress(), units) });
    await client.waitForTransactionReceipt({ hash });
    await client.stopImpersonatingAccount({ address: thief });
  };

  return { ...world, openOwners, watch, relay, round, until, stealFromTreasury };
}

export type ReservesWorld = Awaited<ReturnType<typeof startReservesWorld>>;

export async function expectCleanBooks(): Promise<void> {
  expect([await checkLedger(), await checkDeposits(), await checkWithdrawals()]).toEqual([[], [], []]);
}

/** nano-USD. */
export async function postedOf(account: string): Promise<bigint> {
  const { rows } = await pool().query<{ posted: bigint }>("SELECT posted FROM ledger_account WHERE id = $1", [account]);
  return rows[0]?.posted ?? 0n;
}

/** A late charge, as the gateway books it after its hold expired: takes the available balance. Resolves with the nano-USD it took. */
export async function spend(accountId: AccountId, inputTokens: number): Promise<bigint> {
  const hold = { request: newRequestId(), account: accountId, key: null, ceiling: BigInt(inputTokens + 1) };
  return chargeLate(hold, { input: inputTokens, output: 1 });
}
