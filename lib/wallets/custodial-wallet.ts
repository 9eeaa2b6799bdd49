// The custodial wallet of an account: its own addresses on Base and Solana, given once and for good. No address leaves this
// file that the signer did not make, whatever stands in the database.

import { getAddress } from "viem";
import { now } from "@/lib/base/clock";
import { AppError } from "@/lib/base/errors";
import type { AccountId } from "@/lib/base/ids";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { pool, type Queryable } from "@/lib/db/pool";
import { type AttestedAddresses, areAuthentic, type WalletAddresses } from "./addresses";
import { isPinned } from "./custody";

export interface CustodialWallet extends WalletAddresses {
  accountId: AccountId;
}

interface Row extends AttestedAddresses {
  xpub: string;
}

const columns = `w.derivation_index AS "index", w.base_address AS "baseAddress", w.solana_owner AS "solanaAddress",
  w.solana_token_account AS "solanaTokenAccount", w.attestation, c.xpub`;

/**
 * The account's wallet, given to it now when it has none. `transaction` is the caller's own: the wallet is there when that
 * commits, and the same for every caller at once.
 * @throws AppError INTERNAL_ERROR, retryable: no address is free, or the next one is forged; the signer mends both
 */
export async function openWallet(accountId: AccountId, transaction: Queryable): Promise<CustodialWallet> {
  const { rows } = await transaction.query<Row>(`SELECT ${columns} FROM wallets_open_wallet($1, $2) w CROSS JOIN custody c`, [
    accountId,
    now(),
  ]);
  const [row] = rows;
  if (!row) {
    const cure = "start a process with ROLES=jobs, look in its log for the job fill-address-pool, or raise ADDRESS_POOL_SIZE";
    throw refused("empty", accountId, `the address pool is empty: ${cure}`);
  }
  return authentic(accountId, row);
}

/**
 * The account's wallet, or null before its first sign-in.
 * @throws AppError INTERNAL_ERROR when what the database holds is not what the signer made
 */
export async function findWallet(accountId: AccountId, from: Queryable = pool()): Promise<CustodialWallet | null> {
  const { rows } = await from.query<Row>(`SELECT ${columns} FROM custodial_wallet w CROSS JOIN custody c WHERE w.account_id = $1`, [
    accountId,
  ]);
  const [row] = rows;
  return row ? authentic(accountId, row) : null;
}

/** Whether customers pay in at this address: an authorization of its is a sweep of ours, for everybody to read on the chain. */
export async function isCustodialOnBase(address: string): Promise<boolean> {
  const { rows } = await pool().query<{ isOurs: boolean }>(
    'SELECT EXISTS (SELECT FROM custodial_wallet WHERE base_address = $1) AS "isOurs"',
    [getAddress(address)],
  );
  return rows[0]?.isOurs === true;
}

function authentic(accountId: AccountId, { xpub, ...addresses }: Row): CustodialWallet {
  if (!isPinned(xpub) || !areAuthentic(addresses, xpub)) {
    throw refused("forged", accountId, "addresses in the database are not the signer's: somebody wrote them there");
  }
  const { attestation: _, ...shown } = addresses;
  return { accountId, ...shown };
}

function refused(reason: "empty" | "forged", accountId: AccountId, what: string): AppError {
  metrics().walletsRefused.inc({ reason });
  log().error({ accountId, reason }, `no wallet was given: ${what}`);
  return new AppError("INTERNAL_ERROR", {
    message: "No deposit address can be given at the moment. Try again in a minute.",
    details: { retryable: true },
    context: { reason, what },
  });
}
