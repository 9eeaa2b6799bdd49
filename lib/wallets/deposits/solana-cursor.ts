// The watched token accounts on Solana, all that were ever shown, and how far each has been read. Each is read from its first transaction,
// so deposits from before it was shown are found, too.

import { now } from "@/lib/base/clock";
import { prisma } from "@/lib/db/prisma";

/** The last transaction up to which a token account was read, and the balance after it. */
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
  /** In the form that its account's owner sees. */
  owner: string;
  tokenAccount: string;
  read: ReadPoint;
  /** The account was rescanned up to here. */
  checked: ReadPoint;
  /** When its next rescan is due; null when it was never rescanned. */
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

/** Keyed by token account. */
export async function readSolanaAddresses(): Promise<Map<string, SolanaAddress>> {
  // Raw SQL: a join of two tables without a relation, in every round. Joining two Prisma lists here would cost three times as much.
  const rows = await prisma().$queryRaw<Row[]>`
    SELECT w.account_id AS "accountId", w.derivation_index AS "derivationIndex", w.solana_owner AS owner,
      w.solana_token_account AS "tokenAccount", c.check_at AS "checkAt", c.signature, c.slot, c.units,
      c.checked_signature AS "checkedSignature", c.checked_slot AS "checkedSlot", c.checked_units AS "checkedUnits"
    FROM custodial_wallet w LEFT JOIN solana_cursor c ON c.token_account = w.solana_token_account
    WHERE w.shown_at IS NOT NULL`;
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

/** Up to `max` addresses that are due for a rescan: the longest overdue first, then those that were never rescanned. */
export function pickDue(addresses: Iterable<SolanaAddress>, max: number): SolanaAddress[] {
  const at = now().getTime();
  const dueMs = ({ checkAt }: SolanaAddress) => checkAt?.getTime() ?? Number.POSITIVE_INFINITY;
  return [...addresses]
    .filter((address) => address.checkAt === null || dueMs(address) <= at)
    .sort((one, other) => (dueMs(one) === dueMs(other) ? one.derivationIndex - other.derivationIndex : dueMs(one) - dueMs(other)))
    .slice(0, max);
}

export interface OpenDeposit {
  id: string;
  owner: string;
  transaction: string;
  block: number;
}

/** Deposits that were seen but are not final yet. */
export async function readOpenDeposits(): Promise<OpenDeposit[]> {
  const deposits = await prisma().deposit.findMany({
    where: { chain: "solana", finalized: false, state: { in: ["seen", "confirming"] } },
    select: { id: true, address: true, transaction: true, block: true },
  });
  return deposits.map(({ address, ...deposit }) => ({ ...deposit, owner: address }));
}
