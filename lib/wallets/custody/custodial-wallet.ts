// The custodial wallet of an account: its own addresses on Base and Solana, assigned once and permanently. Only addresses that the signer
// created leave this file, whatever the database contains.

import { getAddress } from "viem";
import { now } from "@/lib/base/clock";
import { AppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { type Database, lockName, prisma, type Transaction } from "@/lib/db/prisma";
import { type AddressRow, type AttestedAddresses, addressesOf, areAuthentic, type WalletAddresses } from "./addresses";
import { findCustody } from "./custody";
import { isPinned } from "./pins";

export interface CustodialWallet extends WalletAddresses {
  accountId: AccountId;
}

/** A wallet as stored, to be verified against the seed of `xpub`. */
interface StoredWallet {
  addresses: AttestedAddresses;
  xpub: string;
  /** Its addresses have left this service. */
  isShown: boolean;
}

/**
 * The account's wallet, assigned now when it has none, and not watched before `findWallet` has shown it. `transaction` is the caller's: the wallet exists once that commits, and all
 * concurrent callers get the same one.
 * @throws AppError INTERNAL_ERROR, retryable: no address is free, or the next one is forged; the signer repairs both
 */
export async function openWallet(accountId: AccountId, transaction: Transaction): Promise<CustodialWallet> {
  await lockName(`wallet of ${accountId}`, transaction); // ten concurrent first calls of one account take one address, not ten
  const stored = (await findStored(accountId, transaction)) ?? (await takeFree(accountId, transaction));
  if (!stored) {
    const cure = "start a process with ROLES=jobs, look in its log for the job fill-address-pool, or raise ADDRESS_POOL_SIZE";
    throw refused("empty", accountId, `the address pool is empty: ${cure}`);
  }
  return authentic(accountId, stored);
}

/** Assigns the first free addresses to the account; null when none are free. */
async function takeFree(accountId: AccountId, transaction: Transaction): Promise<StoredWallet | null> {
  // Raw SQL: Prisma has no SKIP LOCKED, without which each new account would wait for the previous one's commit.
  const [row] = await transaction.$queryRaw<(AddressRow & { xpub: string })[]>`
    WITH taken AS (
      DELETE FROM address_pool p
      WHERE p.derivation_index = (SELECT f.derivation_index FROM address_pool f ORDER BY f.derivation_index LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING p.*
    )
    INSERT INTO custodial_wallet AS w (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at)
    SELECT ${accountId}, t.derivation_index, t.base_address, t.solana_owner, t.solana_token_account, t.attestation, ${now()}::timestamptz
    FROM taken t
    RETURNING w.derivation_index AS "derivationIndex", w.base_address AS "baseAddress", w.solana_owner AS "solanaOwner",
      w.solana_token_account AS "solanaTokenAccount", w.attestation, (SELECT c.xpub FROM custody c) AS xpub`;
  return row ? { addresses: addressesOf(row), xpub: row.xpub, isShown: false } : null;
}

/**
 * The account's wallet, or null before its first sign-in. Asking for it counts as showing it: its addresses are watched from now on, for
 * ever.
 * @throws AppError INTERNAL_ERROR when the stored wallet is not the signer's
 */
export async function findWallet(accountId: AccountId): Promise<CustodialWallet | null> {
  const stored = await findStored(accountId, prisma());
  if (!stored) return null;
  const wallet = authentic(accountId, stored);
  // Before it is returned: a payment can only come in a block after this.
  if (!stored.isShown) await prisma().custodialWallet.updateMany({ where: { accountId, shownAt: null }, data: { shownAt: now() } });
  return wallet;
}

async function findStored(accountId: AccountId, database: Database): Promise<StoredWallet | null> {
  const wallet = await database.custodialWallet.findUnique({ where: { accountId } });
  const custody = wallet && (await findCustody(database));
  return custody && { addresses: addressesOf(wallet), xpub: custody.xpub, isShown: wallet.shownAt !== null };
}

/** Whether this is a deposit address: its authorizations are our sweeps, which anybody can read on the chain. */
export async function isCustodialOnBase(address: string): Promise<boolean> {
  const found = await prisma().custodialWallet.findUnique({ where: { baseAddress: getAddress(address) }, select: { accountId: true } });
  return found !== null;
}

function authentic(accountId: AccountId, { addresses, xpub }: StoredWallet): CustodialWallet {
  if (!isPinned(xpub) || !areAuthentic(addresses, xpub)) {
    throw refused("forged", accountId, "the addresses in the database do not come from the seed: someone changed the database");
  }
  const { attestation: _, ...shown } = addresses;
  return { accountId, ...shown };
}

function refused(reason: "empty" | "forged", accountId: AccountId, what: string): AppError {
  metrics().walletsRefused.inc({ reason });
  log().error({ accountId, reason }, `no wallet assigned: ${what}`);
  return new AppError("INTERNAL_ERROR", {
    message: "No deposit address is available right now. Try again in a minute.",
    details: { retryable: true },
    context: { reason, what },
  });
}
