// A watcher's addresses always equal those in the database, however they got there.

import { expect, test } from "vitest";
import { isLong } from "@/lib/db/testing/sample";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { readWatchedAddresses } from "./addresses";
import { openCustomers } from "./testing/watched-chain";

const database = await openTestDatabase();

async function expectAll(): Promise<void> {
  const { rows } = await database.pool.query<{ key: string; owner: string }>(
    "SELECT lower(base_address) AS key, account_id AS owner FROM custodial_wallet ORDER BY 1",
  );
  const known = [...(await readWatchedAddresses())].map(([key, { accountId: owner }]) => ({ key, owner }));
  expect(known.sort((one, other) => (one.key < other.key ? -1 : 1))).toEqual(rows);
}

test("newly assigned addresses, one or many, are known at the next read", async () => {
  await expectAll();
  for (const count of [1, 3, 1]) {
    await openCustomers(count);
    await expectAll();
  }
  expect((await readWatchedAddresses()).size).toBe(5);
});

test("rows from another clock, deleted rows and changed rows are noticed too", async () => {
  const [late, gone, other] = await openCustomers(3);
  await database.pool.query("UPDATE custodial_wallet SET shown_at = now() - interval '2 days' WHERE account_id = $1", [late?.account]);
  await expectAll();
  await database.pool.query("DELETE FROM custodial_wallet WHERE account_id = $1", [gone?.account]);
  await expectAll();
  await database.pool.query("UPDATE custodial_wallet SET base_address = '0xAb' WHERE account_id = $1", [other?.account]);
  await expectAll();
});

const MANY = isLong ? 100_000 : 10_000;

test(`with ${MANY} addresses an incremental read equals a full one, also when one is new or changed`, async () => {
  await database.pool.query(
    `INSERT INTO custodial_wallet (account_id, derivation_index, base_address, solana_owner, solana_token_account, attestation, created_at, shown_at)
     SELECT 'acc_' || n, n, '0x' || md5('a' || n), 'owner ' || n, 'tokens ' || n, '\\x', now() - interval '1 day', now() - interval '1 day'
     FROM generate_series(1000, ${MANY + 999}) n`,
  );
  await expectAll();
  await database.pool.query("UPDATE custodial_wallet SET base_address = base_address || '1' WHERE account_id = 'acc_1000'");
  await expectAll();
  await openCustomers(1);
  await expectAll();
}, 120_000);
