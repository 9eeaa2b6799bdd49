// A sandbox for the bench: a data directory with its own database, a thousand wallets and one more, each an account with money,
// limits that never apply and a capped key, and a ledger with the requested number of charges. Money and keys are created by the
// product's own functions; old charges are inserted in bulk, exactly as the ledger would have written them, so that check-ledger
// finds nothing. Bundled by the bench and run as `node seed.mjs <number of charges>` with DATA_DIR set.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { createAccount } from "@/lib/access/accounts";
import { createKey } from "@/lib/access/keys";
import { nowMs } from "@/lib/base/clock";
import type { AccountId, KeyId } from "@/lib/base/ids";
import { fromCents, type NanoUsd, nanoUsd, ZERO_USD } from "@/lib/base/money";
import { setDatabaseUrl } from "@/lib/db/database-url";
import { startEmbeddedPostgres } from "@/lib/db/embedded";
import { migrate } from "@/lib/db/migrate";
import { closePool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openCustomerAccount, openFundingAccount } from "@/lib/ledger/accounts";
import { recordPriceVersions } from "@/lib/ledger/price-versions";
import { rollUpRevenue } from "@/lib/ledger/roll-up";
import { postTransfer } from "@/lib/ledger/transfers";
import { findModel, priceVersion } from "@/lib/providers/catalogue";
import type { Model } from "@/lib/providers/types";
import { openSecrets } from "@/lib/sandbox/secrets";

const WALLETS = 1_000;
const MODEL = "gpt-4-turbo";
const BALANCE = fromCents(10_000_000);
const CAP = { nanoUsd: fromCents(5_000_000), period: "month" } as const;
const FUNDING = "bench_funding";
/** Too high for 64 connections at full speed to reach, but still counted in every request. */
const LIMITS = { ratePerMinute: 100_000_000, concurrency: 10_000 };
const CHARGES_A_STATEMENT = 250_000;
const DAYS_OF_CHARGES = 30;

interface Wallet {
  accountId: AccountId;
  keyId: KeyId;
  key: string;
}

async function seed(charges: number): Promise<void> {
  const dataDir = process.env.DATA_DIR ?? "";
  mkdirSync(dataDir, { recursive: true });
  // Before the settings are first read: the keys must be valid in the sandbox that will run here.
  process.env.KEY_PEPPER = openSecrets(dataDir).keyPepper;
  // Written in bulk and synced at the end; the service then runs on it with every safety on.
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_wal_size: "2GB",
    autovacuum: "off",
    maintenance_work_mem: "512MB",
  };
  const database = await startEmbeddedPostgres({ dataDir: resolve(join(dataDir, "postgres")), settings });
  setDatabaseUrl(database.url);
  try {
    await migrate({ url: database.url, mode: "sandbox" });
    const model = findModel(MODEL);
    if (!model) throw new Error(`The catalogue has no ${MODEL}`);
    await recordPriceVersions([{ id: priceVersion(model), model: model.id, prices: model.prices }]);
    const wallets = await openWallets(WALLETS + 1, BALANCE);
    const empty = await openWallets(WALLETS, ZERO_USD);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await writeCharges(client, wallets.slice(0, WALLETS), model, charges);
    await rollUpRevenue();
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
    await client.end();
    const keys = wallets.map((wallet) => wallet.key);
    const all = { wallets: keys.slice(0, WALLETS), hot: keys[WALLETS], empty: empty.map((wallet) => wallet.key) };
    writeFileSync(join(dataDir, "bench-keys.json"), JSON.stringify(all), { mode: 0o600 });
  } finally {
    await closePool();
    await database.stop();
  }
  execFileSync("sync");
}

async function openWallets(count: number, balance: NanoUsd): Promise<Wallet[]> {
  await openFundingAccount(FUNDING);
  const wallets: Wallet[] = [];
  for (let number = 0; number < count; number++) wallets.push(await openWallet(balance));
  return wallets;
}

async function openWallet(balance: NanoUsd): Promise<Wallet> {
  const wallet = await inTransaction(async (transaction) => {
    const accountId = await createAccount(LIMITS, transaction);
    await openCustomerAccount(accountId, transaction);
    const { keyId, key } = await createKey({ accountId, name: "bench", cap: CAP }, transaction);
    return { accountId, keyId, key };
  });
  const legs = [
    { account: wallet.accountId, amount: balance },
    { account: FUNDING, amount: nanoUsd(-balance) },
  ];
  if (balance > 0n) await postTransfer({ id: `bench_${wallet.accountId}`, kind: "credit", legs });
  return wallet;
}

// In order of time and over all wallets in turn, as they would have arrived; ids have the format of real ones.
async function writeCharges(client: pg.Client, wallets: readonly Wallet[], model: Model, total: number): Promise<void> {
  const endMs = nowMs() - 3_600_000;
  const stepMs = Math.max(1, Math.floor((DAYS_OF_CHARGES * 86_400_000) / total));
  await client.query(`CREATE FUNCTION pg_temp.base62(value bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (value / power(62, 7 - place)::bigint % 62)::int + 1, 1), '' ORDER BY place)
    FROM generate_series(0, 7) AS place $$`);
  await client.query("CREATE TEMPORARY TABLE wallet (number integer PRIMARY KEY, account_id text, key_id text)");
  await client.query(
    "INSERT INTO wallet SELECT number - 1, account_id, key_id FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w(account_id, key_id, number)",
    [wallets.map((wallet) => wallet.accountId), wallets.map((wallet) => wallet.keyId)],
  );
  const prices = [priceVersion(model), model.id, model.prices[0].input.toString(), model.prices[0].output.toString()];
  for (let from = 0; from < total; from += CHARGES_A_STATEMENT) {
    const to = Math.min(total, from + CHARGES_A_STATEMENT) - 1;
    await client.query(chargeStatement, [from, to, wallets.length, endMs - (total - 1) * stepMs, stepMs, ...prices]);
    process.stdout.write(`\r${(to + 1).toLocaleString("en")} of ${total.toLocaleString("en")} charges`);
  }
  await client.query(`UPDATE ledger_account a SET posted = a.posted - c.paid
    FROM (SELECT account_id, sum(input_cost + output_cost)::bigint AS paid FROM charge GROUP BY account_id) c WHERE a.id = c.account_id`);
  await client.query(
    `SELECT ledger_open_key_spend(account_id, key_id, '${CAP.period}', access_cap_period_start('${CAP.period}', now()), 0, 0) FROM wallet`,
  );
  process.stdout.write("\n");
}

const chargeStatement = `
  WITH made AS MATERIALIZED (
    SELECT i.i, w.account_id, w.key_id, 'req_' || pg_temp.base62(t.ms) || substr(md5(i.i::text), 1, 12) AS request_id,
      to_timestamp(t.ms / 1000.0) AS at, 20 + i.i % 211 AS input_tokens, 40 + i.i % 701 AS output_tokens
    FROM generate_series($1::bigint, $2::bigint) AS i
    CROSS JOIN LATERAL (SELECT $4::bigint + i.i * $5::bigint AS ms) AS t
    JOIN wallet w ON w.number = i.i % $3::bigint
  )
  INSERT INTO charge (account_id, request_id, key_id, model, provider, price_version, tokens, input_cost, output_cost, operator_loss, ceiling, late, outcome, streamed, estimated, paid_by, first_token_ms, provider_ms, at)
  SELECT account_id, request_id, key_id, $7, 'openai', $6, ARRAY[input_tokens, output_tokens]::integer[], input_tokens * $8::bigint,
    output_tokens * $9::bigint, 0, input_tokens * $8::bigint + output_tokens * $9::bigint, false, 'complete', false, false, 'balance', 400 + i % 300, 1500 + i % 900, at
  FROM made ORDER BY i`;

await seed(Number(process.argv[2]));
process.stdout.write("{}\n");
