// An account's deposit addresses: those of its wallet, on the watched chains.

import type { ChainId } from "@/lib/base/chains";
import type { AccountId } from "@/lib/base/ids";
import { processSingleton } from "@/lib/base/process-singleton";
import { type CustodialWallet, findWallet } from "../custody/custodial-wallet";
import { isWatched } from "./watched";

/** An address per chain; null on a chain that is not watched. */
export type PayableAddresses = Record<ChainId, string | null>;

const MAX_KNOWN = 20_000;

/** Wallets verified as the signer's own: verification takes milliseconds, and a wallet never changes. */
const known = processSingleton("wallets that were checked", () => new Map<AccountId, CustodialWallet>());

/**
 * Null before the account has a wallet.
 * @throws AppError INTERNAL_ERROR when the stored wallet is not the signer's
 */
export async function findPayableAddresses(accountId: AccountId): Promise<PayableAddresses | null> {
  const wallet = known().get(accountId) ?? (await findWallet(accountId));
  if (!wallet) return null;
  if (known().size >= MAX_KNOWN) known().clear();
  known().set(accountId, wallet);
  return {
    base: isWatched("base") ? wallet.baseAddress : null,
    solana: isWatched("solana") ? wallet.solanaAddress : null,
  };
}
