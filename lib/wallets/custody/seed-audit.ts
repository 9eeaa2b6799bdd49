// Is a seed the one that a database's addresses come from? Read-only: for an operator who restores a seed, or checks that it can be restored.

import { type Database, prisma } from "@/lib/db/prisma";
import { addressesOf, type WalletAddresses } from "./addresses";
import { findCustody, publicHalf } from "./custody";
import type { Signer } from "./signer";

/** Wallets compared at either end: all of many would take minutes, and one seed makes all of them. */
const COMPARED = 100;

export type SeedAudit =
  | { kind: "unused" }
  | { kind: "match"; wallets: number; nextIndex: number }
  /** What differs, one line each. */
  | { kind: "differs"; differences: string[] };

/** Compares what is public of the seed, and the first and last wallets that were given. */
export async function auditSeed(signer: Signer, database: Database = prisma()): Promise<SeedAudit> {
  const custody = (await isMigrated(database)) ? await findCustody(database) : null;
  if (!custody) return { kind: "unused" };
  const own = publicHalf(signer);
  const differences = Object.entries(publicHalf(custody))
    .filter(([name, known]) => known !== own[name])
    .map(([name, known]) => `${name}: the database has ${known}, the seed ${own[name]}`);
  const wallets = await listWallets(database);
  for (const wallet of wallets) {
    const right = signer.deriveAddresses(wallet.index);
    for (const name of ["baseAddress", "solanaAddress", "solanaTokenAccount"] as const) {
      if (wallet[name] !== right[name])
        differences.push(`wallet ${wallet.index}, ${name}: the database has ${wallet[name]}, the seed ${right[name]}`);
    }
  }
  return differences.length > 0
    ? { kind: "differs", differences }
    : { kind: "match", wallets: wallets.length, nextIndex: custody.nextIndex };
}

/** False for a database that no release with custody has started on. */
async function isMigrated(database: Database): Promise<boolean> {
  const [table] = await database.$queryRaw<{ isThere: boolean }[]>`SELECT to_regclass('custody') IS NOT NULL AS "isThere"`;
  return table?.isThere ?? false;
}

/** The first and the last ones, by their index. */
async function listWallets(database: Database): Promise<WalletAddresses[]> {
  const first = await database.custodialWallet.findMany({ orderBy: { derivationIndex: "asc" }, take: COMPARED });
  const last = await database.custodialWallet.findMany({ orderBy: { derivationIndex: "desc" }, take: COMPARED });
  const newestFirst = last.filter(({ derivationIndex }) => derivationIndex > (first.at(-1)?.derivationIndex ?? -1));
  return [...first, ...newestFirst.reverse()].map(addressesOf);
}
