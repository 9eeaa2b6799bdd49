// Is a seed the one that a database's addresses come from? Read-only: for whoever restores a seed, or checks that one can be.

import { pool, type Queryable } from "@/lib/db/pool";
import type { WalletAddresses } from "./addresses";
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
export async function auditSeed(signer: Signer, from: Queryable = pool()): Promise<SeedAudit> {
  const custody = (await isMigrated(from)) ? await findCustody(from) : null;
  if (!custody) return { kind: "unused" };
  const own = publicHalf(signer);
  const differences = Object.entries(publicHalf(custody))
    .filter(([name, known]) => known !== own[name])
    .map(([name, known]) => `${name}: the database has ${known}, the seed ${own[name]}`);
  const wallets = await listWallets(from);
  for (const wallet of wallets) {
    const right = signer.makeAddresses(wallet.index);
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
async function isMigrated(from: Queryable): Promise<boolean> {
  const { rows } = await from.query<{ found: boolean }>("SELECT to_regclass('custody') IS NOT NULL AS found");
  return rows[0]?.found ?? false;
}

async function listWallets(from: Queryable): Promise<WalletAddresses[]> {
  const { rows } = await from.query<WalletAddresses>(
    `SELECT derivation_index AS "index", base_address AS "baseAddress", solana_owner AS "solanaAddress",
       solana_token_account AS "solanaTokenAccount"
     FROM custodial_wallet
     WHERE derivation_index IN (SELECT f.derivation_index FROM custodial_wallet f ORDER BY f.derivation_index LIMIT $1)
        OR derivation_index IN (SELECT l.derivation_index FROM custodial_wallet l ORDER BY l.derivation_index DESC LIMIT $1)
     ORDER BY derivation_index`,
    [COMPARED],
  );
  return rows;
}
