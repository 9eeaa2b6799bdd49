// For tests: both chains with everything that moves money, and payments settled on them without signatures.

import { Connection } from "@solana/web3.js";
import type { Hex } from "viem";
import { expect } from "vitest";
import { addIdentity, lockWallet } from "@/lib/access/identities";
import type { AccountId } from "@/lib/base/ids";
import { forgetSingleton } from "@/lib/base/process-singleton";
import type { Wallet, WalletChain } from "@/lib/chains/wallet";
import { inTransaction } from "@/lib/db/prisma";
import { claimCredit, creditAccountOf } from "@/lib/payments/claims/credits";
import { networkOf } from "@/lib/payments/claims/networks";
import { claimed, creditIn } from "@/lib/payments/testing/credited";
import { signer } from "@/lib/wallets/custody/signer";
import { reckonReserves } from "@/lib/wallets/reserves/check-reserves";
import { startReservesWorld } from "@/lib/wallets/reserves/testing/reserves-world";
import { newKeyWallet } from "@/lib/wallets/withdrawals/testing/world";

export interface Paid {
  claimId: string;
  chain: WalletChain;
  payer: string;
  block: number;
  /** The payer's credit account. */
  account: AccountId;
}

/** Base mines a block per transaction, and more on request; withdrawals have no fee. The caller stops it. */
export async function startPaymentsWorld() {
  Object.assign(process.env, { WITHDRAWAL_FEE_BASE_USD: "0" });
  forgetSingleton("config");
  const world = await startReservesWorld(true);
  const connection = new Connection(world.solana.url, "confirmed");
  await world.evm.mine(6);

  /** Moves USDC to the treasury like a settlement; returns its block. */
  const settle = async (chain: WalletChain, units: bigint): Promise<number> => {
    if (chain === "evm") {
      await world.evm.mint(signer().treasury.base as Hex, units);
      return world.evm.blockNumber();
    }
    const signature = await world.solana.faucet(signer().treasury.solana, units);
    const found = async () => (await connection.getSignatureStatus(signature)).value?.slot ?? 0;
    await expect.poll(found, { interval: 10 }).toBeGreaterThan(0);
    return found();
  };

  /** A payment that is settled on its chain but not credited. */
  const settled = async (chain: WalletChain, units: bigint, payer = newKeyWallet(chain).address): Promise<Paid> => {
    const claimId = await claimed({ chain, payer, amount: units * 1_000n });
    return { claimId, chain, payer, block: await settle(chain, units), account: creditAccountOf(networkOf(chain), payer) };
  };

  const paid = async (chain: WalletChain, units: bigint, payer?: string): Promise<Paid> => {
    const payment = await settled(chain, units, payer);
    await credit(payment);
    return payment;
  };

  /** The last final block of Base and slot of Solana. */
  const finalHeights = async (): Promise<Record<WalletChain, number>> => ({
    evm: Number((await world.evm.client.getBlock({ blockTag: "finalized" })).number),
    solana: await connection.getSlot("finalized"),
  });

  return { ...world, settled, paid, finalHeights };
}

export type PaymentsWorld = Awaited<ReturnType<typeof startPaymentsWorld>>;

export const credit = ({ block, claimId }: Paid) => creditIn(block, claimId);

/** Held and owed amounts, nano-USD. */
export async function reckoned() {
  const report = await reckonReserves();
  if (report.state === "unknown") throw new Error(`unknown: ${report.reason} ${report.chain}`);
  const { held, owed, credits } = report;
  return { held, owed, credits };
}

/** Claims the unheld part of the payer's credit. */
export const claim = ({ chain, payer }: Paid, accountId: AccountId) => claimCredit(accountId, { chain, address: payer });

/** Proves the payer's address as a wallet of the account, as linking does. */
export const prove = ({ chain, payer }: Paid, accountId: AccountId) => proveWallet({ chain, address: payer }, accountId);

async function proveWallet(wallet: Wallet, accountId: AccountId) {
  await inTransaction(async (transaction) => {
    await lockWallet(wallet, transaction);
    await addIdentity(accountId, wallet, false, transaction);
  });
  return claimCredit(accountId, wallet);
}
