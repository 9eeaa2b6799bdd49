// The bench's own database, with accounts by the thousand, each with addresses like the signer's.

import { join, resolve } from "node:path";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { startEmbeddedPostgres } from "@/lib/db/embedded";
import { migrate } from "@/lib/db/migrate";
import { closePool, pool } from "@/lib/db/pool";

/** Runs `work` on an empty, migrated database in DATA_DIR, and prints its result as one line of JSON. */
export async function withDatabase(work: () => Promise<object>): Promise<void> {
  const database = await startEmbeddedPostgres({ dataDir: resolve(join(process.env.DATA_DIR ?? "", "postgres")) });
  setDatabaseUrl(database.url);
  try {
    await migrate({ url: database.url, mode: "sandbox" });
    process.stdout.write(`${JSON.stringify(await work())}\n`);
  } finally {
    await closePool();
    await database.stop();
  }
}

export interface BenchCustomer {
  account: string;
  address: `0x${string}`;
}

/** Opens accounts with money accounts and addresses without known keys. Derivation indexes begin at `firstIndex`. */
export async function openCustomers(count: number, firstIndex: number): Promise<BenchCustomer[]> {
  const { rows } = await pool().query<BenchCustomer>(
    `SELECT 'acc_bench' || number AS account, '0x' || substr(md5('a' || number) || md5('b' || number), 1, 40) AS address
     FROM generate_series($1::integer, $1::integer + $2::integer - 1) AS number`,
    [firstIndex, count],
  );
  const accounts = rows.map(({ account }) => account);
  await pool().query("INSERT INTO account (id, created_at) SELECT id, now() FROM unnest($1::text[]) AS id", [accounts]);
  await pool().query("SELECT ledger_open_account(id, 'customer', now()) FROM unnest($1::text[]) AS id", [accounts]);
  await pool().query(
    `INSERT INTO custodial_wallet (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at, shown_at)
     SELECT c.account, $1 + c.ord - 1, c.address, 'owner of ' || c.address, 'tokens of ' || c.address, '\\x', now(), now()
     FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS c(account, address, ord)`,
    [firstIndex, accounts, rows.map(({ address }) => address)],
  );
  await pool().query("ANALYZE custodial_wallet");
  return rows;
}

/** The value below which this share of them lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
