// The token accounts on Solana that are watched, and how far each is read. All that were ever given are watched.

import { now } from "@/lib/base/clock";
import { prisma } from "@/lib/db/prisma";

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
  /** Up to here it was rescanned. */
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
  // A join of two tables without a relation, at every round: two lists of Prisma's, joined here, cost three times as much.
  const rows = await prisma().$queryRaw<Row[]>`
    SELECT w.account_id AS "accountId", w.derivation_index AS "derivationIndex", w.solana_owner AS owner,
      w.solana_token_account AS "tokenAccount", c.check_at AS "checkAt", c.signature, c.slot, c.units,
      c.checked_signature AS "checkedSignature", c.checked_slot AS "checkedSlot", c.checked_units AS "checkedUnits"
    FROM custodial_wallet w LEFT JOIN solana_cursor c ON c.token_account = w.solana_token_account`;
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

/** Up to `max` addresses that are due for a rescan, the longest due first, and after them those that were never looked at. */
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

/** Deposits that were seen and are not final yet. */
export async function readOpenDeposits(): Promise<OpenDeposit[]> {
  const deposits = await prisma().deposit.findMany({
    where: { chain: "solana", finalized: false, state: { in: ["seen", "confirming"] } },
    select: { id: true, address: true, transaction: true, block: true },
  });
  return deposits.map(({ address, ...deposit }) => ({ ...deposit, owner: address }));
}
