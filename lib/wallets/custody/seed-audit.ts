// Checks whether a database's addresses come from a seed. Read-only: for an operator who restores a seed, or tests its backup.

import { type Database, prisma } from "@/lib/db/prisma";
import { addressesOf, type WalletAddresses } from "./addresses";
import { findCustody, publicHalf } from "./custody";
import type { Signer } from "./signer";

/** Wallets compared at either end: comparing all would take minutes, and one seed creates all of them. */
const COMPARED = 100;

export type SeedAudit =
  | { kind: "unused" }
  | { kind: "match"; wallets: number; nextIndex: number }
  /** The differences, one line each. */
  | { kind: "differs"; differences: string[] };

/** Compares the seed's public values, and the first and last assigned wallets. */
export async function auditSeed(signer: Signer, database: Database = prisma()): Promise<SeedAudit> {
  const custody = (await isMigrated(database)) ? await findCustody(database) : null;
  if (!custody) return { kind: "unused" };
  const own = publicHalf(signer);
  const differences = Object.entries(publicHalf(custody))
    .filter(([name, known]) => known !== own[name])
    .map(([name, known]) => `${name}: ${known} in the database, ${own[name]} from this seed`);
  const wallets = await listWallets(database);
  for (const wallet of wallets) {
    const right = await signer.deriveAddresses(wallet.index);
    for (const name of ["baseAddress", "solanaAddress", "solanaTokenAccount"] as const) {
      if (wallet[name] !== right[name])
        differences.push(`wallet ${wallet.index}, ${name}: ${wallet[name]} in the database, ${right[name]} from this seed`);
    }
  }
  return differences.length > 0
    ? { kind: "differs", differences }
    : { kind: "match", wallets: wallets.length, nextIndex: custody.nextIndex };
}

/** False for a database without the custody tables. */
async function isMigrated(database: Database): Promise<boolean> {
  const [table] = await database.$queryRaw<{ isThere: boolean }[]>`SELECT to_regclass('custody') IS NOT NULL AS "isThere"`;
  return table?.isThere ?? false;
}

/** The first and last wallets by index. */
async function listWallets(database: Database): Promise<WalletAddresses[]> {
  const first = await database.custodialWallet.findMany({ orderBy: { derivationIndex: "asc" }, take: COMPARED });
  const last = await database.custodialWallet.findMany({ orderBy: { derivationIndex: "desc" }, take: COMPARED });
  const newestFirst = last.filter(({ derivationIndex }) => derivationIndex > (first.at(-1)?.derivationIndex ?? -1));
  return [...first, ...newestFirst.reverse()].map(addressesOf);
}
