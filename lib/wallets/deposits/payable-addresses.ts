// Where an account's owner pays in: the addresses of their wallet, on the chains that are watched.

import type { AccountId } from "@/lib/base/ids";
import { processSingleton } from "@/lib/base/process-singleton";
import { type CustodialWallet, findWallet } from "../custody/custodial-wallet";
import type { DepositChain } from "./deposit";
import { isWatched } from "./watched";

/** An address for each chain; null where nobody watches for what is paid. */
export type PayableAddresses = Record<DepositChain, string | null>;

const MAX_KNOWN = 20_000;

/** Wallets that were found to be the signer's own: to find it out takes milliseconds, and a wallet is given once and for good. */
const known = processSingleton("wallets that were checked", () => new Map<AccountId, CustodialWallet>());

/**
 * Null before the account has a wallet.
 * @throws AppError INTERNAL_ERROR when what the database holds is not what the signer made
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
