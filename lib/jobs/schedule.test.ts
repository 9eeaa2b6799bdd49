// Each job on a real database, through the service's own schedule.

import { afterAll, beforeAll, expect, test } from "vitest";
import { recordKeyUse } from "@/lib/access/key-cache";
import { createKey } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import type { AccountId, KeyId, RequestId } from "@/lib/base/ids";
import { fromCents } from "@/lib/base/money";
import { metrics } from "@/lib/base/observe/metrics";
import { writeSetting } from "@/lib/db/settings";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { commit } from "@/lib/gateway/prompt/commit";
import { needsByteBound } from "@/lib/gateway/prompt/quote";
import { readBalance } from "@/lib/ledger/accounts";
import { settleHold } from "@/lib/ledger/commit/commit";
import { closeCommitConnections } from "@/lib/ledger/commit/connections";
import type { Hold } from "@/lib/ledger/holds";
import { placeHold } from "@/lib/ledger/place-hold";
import { fundedAccount, openFunding } from "@/lib/ledger/testing/fund";
import { chargeOf, newHold } from "@/lib/ledger/testing/holding";
import { claimed } from "@/lib/payments/testing/credited";
import { startTestCustody } from "@/lib/wallets/custody/testing/seeds";
import { databaseJobs, webJobs } from "./schedule";

const database = await openTestDatabase();
const query = (sql: string, values: unknown[] = []) => database.pool.query(sql, values);

let accountId: AccountId;
let keyId: KeyId;

beforeAll(async () => {
  await openFunding();
  accountId = await fundedAccount(fromCents(100));
  ({ keyId } = await createKey({ accountId, name: "worker" }));
});

afterAll(closeCommitConnections);

async function runJob(name: string): Promise<void> {
  const job = [...webJobs, ...databaseJobs].find((one) => one.name === name);
  if (!job) throw new Error(`there is no job ${name}`);
  await job.run(new AbortController().signal);
}

const holdOf = (id: string): Hold => newHold(accountId, 1_000, { key: keyId, idempotency: id, requestId: id as RequestId });

/** A hold left by a dead process, with its idempotency claim, placed `minutesAgo`. */
async function leaveHold(id: string, minutesAgo: number): Promise<void> {
  const restore = setClock(() => Date.now() - minutesAgo * 60_000);
  try {
    const hold = holdOf(id);
    expect(await placeHold(commit(), hold)).toMatchObject({ outcome: "held" });
  } finally {
    restore();
  }
}

async function ledgerViolations(): Promise<number> {
  await runJob("check-ledger");
  return (await metrics().ledgerViolations.get()).values[0]?.value ?? Number.NaN;
}

test("expire-holds frees holds past their deadline of six minutes with their idempotency keys, and nothing else", async () => {
  await leaveHold("req_dead", 7);
  await leaveHold("req_alive", 5);
  expect((await readBalance(accountId)).held).toBe(2_000n);
  await runJob("expire-holds");
  expect((await query("SELECT request_id FROM hold")).rows).toEqual([{ request_id: "req_alive" }]);
  expect((await query("SELECT request_id FROM idempotent_reply")).rows).toEqual([{ request_id: "req_alive" }]);
  expect((await readBalance(accountId)).held).toBe(1_000n);
});

test("roll-up-revenue posts the revenue appended by requests to the accounts, once", async () => {
  await settleHold(commit(), chargeOf(holdOf("req_alive"), 300, 400));
  const revenue = async () => (await query("SELECT posted FROM ledger_account WHERE id = 'revenue'")).rows[0] as { posted: bigint };
  expect((await revenue()).posted).toBe(0n);
  await runJob("roll-up-revenue");
  await runJob("roll-up-revenue");
  expect((await revenue()).posted).toBe(700n);
});

test("write-key-uses records when a key was last used", async () => {
  const lastUsed = async () =>
    ((await query("SELECT last_used_at FROM api_key WHERE id = $1", [keyId])).rows[0] as { last_used_at: Date | null }).last_used_at;
  expect(await lastUsed()).toBeNull();
  const before = Date.now();
  recordKeyUse(keyId);
  await runJob("write-key-uses");
  expect((await lastUsed())?.getTime()).toBeGreaterThanOrEqual(before);
});

test("settle-payments does nothing in a process without the relayer", async () => {
  const id = await claimed({ chain: "evm", payer: `0x${"1".repeat(40)}`, amount: fromCents(5) });
  await query("UPDATE payment_claim SET wanted_at = now() - interval '1 day', valid_until = now() - interval '1 day' WHERE id = $1", [id]);
  await runJob("settle-payments");
  expect((await query("SELECT state FROM payment_claim WHERE id = $1", [id])).rows).toEqual([{ state: "claimed" }]);
});

test("delete-expired-replies deletes replies after a day, but no open claim", async () => {
  await query(
    `INSERT INTO idempotent_reply (account_id, idempotency_key, request_id, body_hash, claimed_at, expires_at, status, streamed, body) VALUES
       ($1, 'old', 'req_1', '', now(), now() - interval '1 second', 200, false, '{}'),
       ($1, 'open', 'req_2', '', now(), now() - interval '1 second', NULL, NULL, NULL),
       ($1, 'fresh', 'req_3', '', now(), now() + interval '1 hour', 200, false, '{}')`,
    [accountId],
  );
  await runJob("delete-expired-replies");
  const { rows } = await query("SELECT idempotency_key AS key FROM idempotent_reply WHERE request_id LIKE 'req__' ORDER BY 1");
  expect(rows).toEqual([{ key: "fresh" }, { key: "open" }]);
});

test("load-overruns loads the models that another process recorded", async () => {
  expect(needsByteBound("found-elsewhere")).toBe(false);
  await writeSetting("token_bound:found-elsewhere", "bytes");
  await runJob("load-overruns");
  expect(needsByteBound("found-elsewhere")).toBe(true);
});

test("fill-address-pool creates addresses for new accounts in advance", async () => {
  await startTestCustody();
  await runJob("fill-address-pool");
  expect((await query("SELECT 1 FROM address_pool")).rowCount).toBe(50);
});

test("check-ledger counts broken invariants in its metric, and none in clean books", async () => {
  expect(await ledgerViolations()).toBe(0);
  await query("UPDATE ledger_account SET posted = posted + 1 WHERE id = $1", [accountId]);
  expect(await ledgerViolations()).toBe(1);
  await query("UPDATE ledger_account SET posted = posted - 1 WHERE id = $1", [accountId]);
  expect(await ledgerViolations()).toBe(0);
});
