// The token accounts on Solana that are watched, and how far each is read. All that were ever given are watched.

import { now } from "@/lib/base/clock";
import { pool } from "@/lib/db/pool";

/** A transaction up to which a token account was read, and what it left there. */
export interface ReadPoint {
  /** Null before the account's first. */
  signature: string | null;
  slot: number;
  /** Base units. */
  units: bigint;
}

export interface SolanaAddress {
  accountId: string;
  derivationIndex: number;
  /** As its account's owner sees it. */
  owner: string;
  tokenAccount: string;
  read: ReadPoint;
  /** Up to here it was read a second time. */
  checked: ReadPoint;
  /** When it is due for that again; null when it was never looked at. */
  checkAt: Date | null;
}

export const ACCOUNT_START: ReadPoint = { signature: null, slot: 0, units: 0n };

interface Row extends Pick<SolanaAddress, "accountId" | "derivationIndex" | "owner" | "tokenAccount" | "checkAt"> {
  signature: string | null;
  slot: number;
  units: bigint;
  checkedSignature: string | null;
  checkedSlot: number;
  checkedUnits: bigint;
}

/** By token account. */
export async function readSolanaAddresses(): Promise<Map<string, SolanaAddress>> {
  const { rows } = await pool().query<Row>(
    `SELECT w.account_id AS "accountId", w.derivation_index AS "derivationIndex", w.solana_owner AS owner,
       w.solana_token_account AS "tokenAccount", c.check_at AS "checkAt", c.signature, c.slot, c.units,
       c.checked_signature AS "checkedSignature", c.checked_slot AS "checkedSlot", c.checked_units AS "checkedUnits"
     FROM custodial_wallet w LEFT JOIN solana_cursor c ON c.token_account = w.solana_token_account`,
  );
  return new Map(rows.map((row) => [row.tokenAccount, addressOf(row)]));
}

function addressOf({ signature, slot, units, checkedSignature, checkedSlot, checkedUnits, ...address }: Row): SolanaAddress {
  if (address.checkAt === null) return { ...address, read: ACCOUNT_START, checked: ACCOUNT_START };
  return {
    ...address,
    read: { signature, slot, units },
    checked: { signature: checkedSignature, slot: checkedSlot, units: checkedUnits },
  };
}

/** Token accounts that are due for a second reading, the longest due first, and after them those that were never looked at. */
export async function readDue(most: number): Promise<string[]> {
  const { rows } = await pool().query<{ tokenAccount: string }>(
    `SELECT w.solana_token_account AS "tokenAccount" FROM custodial_wallet w
     LEFT JOIN solana_cursor c ON c.token_account = w.solana_token_account
     WHERE c.check_at IS NULL OR c.check_at <= $1 ORDER BY c.check_at NULLS LAST, w.derivation_index LIMIT $2`,
    [now(), most],
  );
  return rows.map(({ tokenAccount }) => tokenAccount);
}

export interface OpenDeposit {
  id: string;
  owner: string;
  transaction: string;
  block: number;
}

/** Deposits that were seen and are not final yet. */
export async function readOpenDeposits(): Promise<OpenDeposit[]> {
  const { rows } = await pool().query<OpenDeposit>(
    `SELECT d.id, d.address AS owner, d.transaction, d.block FROM deposit d
     WHERE d.chain = 'solana' AND d.finalized = false AND d.state IN ('seen', 'confirming')`,
  );
  return rows;
}
