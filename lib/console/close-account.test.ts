// Closing an account: only without money to withdraw, only signed, and what is left of it afterwards.

import type { PoolClient } from "pg";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { listLiveKeys } from "@/lib/access/key-list";
import { createKey } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { pool } from "@/lib/db/pool";
import { accountLock, whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createEndpoint } from "@/lib/events/endpoints";
import { numberEvents } from "@/lib/events/outbox";
import { readBalance } from "@/lib/ledger/accounts";
import { credit, openFunding } from "@/lib/ledger/testing/fund";
import { closeOwnAccount } from "./close-account";
import { eraseClosedAccounts } from "./erase-closed";
import { findOwnerOf, type Owner } from "./owner";
import { startConfirmation } from "./step-up";
import { openTestCustody } from "./testing/custody";
import { enter, newOwner } from "./testing/owners";
import { prove, type TestWallet } from "./testing/wallets";

await openTestDatabase();
beforeAll(openTestCustody);
beforeAll(openFunding);
beforeAll(() => setSandboxPepper("a pepper for tests, of more than 32 characters"));
beforeEach(() => forgetSingleton("limits.limiter"));

const USD = 1_000_000_000n;
const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

async function close(owner: Owner, wallet: TestWallet) {
  const asked = await closeOwnAccount(owner, null);
  if (asked.ok || !asked.confirm) return { asked, answer: asked };
  const started = await startConfirmation(owner, { wallet, ...asked.confirm });
  if (!started.ok) throw new Error(started.message);
  return { asked, answer: await closeOwnAccount(owner, await prove(wallet, started.challenge)) };
}

const rowsOf = async ({ accountId }: Owner): Promise<Record<string, number>> => {
  const tables = ["sign_in_nonce", "failed_request", "endpoint", "delivery", "event", "identity", "api_key"];
  const counts = tables.map(async (table) => {
    const { rows } = await pool().query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table} WHERE account_id = $1`, [
      accountId,
    ]);
    return [table, rows[0]?.count ?? 0] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
};

/** A withdrawal as its order is stored. */
const orderWithdrawal = ({ accountId }: Owner, on: Pick<PoolClient, "query">) =>
  on.query(
    `INSERT INTO withdrawal (id, account_id, chain, destination, amount, fee, opens_account, nonce, issued_at, valid_until, signer_chain,
       signer_address, signature, state, requested_at)
     VALUES ('wd_' || left(md5($1), 20), $1, 'base', '0x00000000000000000000000000000000000000cc', 1000, 0, false, left(md5($1), 22), now(),
       now() + interval '1 hour', 'evm', '0x00000000000000000000000000000000000000cc', 'signature', 'awaiting_approval', now())`,
    [accountId],
  );

const DAY = 24 * 3_600_000;
let restore: () => void = () => {};
afterEach(() => restore());

/** The job, as it runs so many days later. */
async function eraseAfter(days: number): Promise<void> {
  const at = Date.now() + days * DAY;
  restore = setClock(() => at);
  await eraseClosedAccounts();
  restore();
}

test("a closed account has no sessions or keys at once, and a week later nothing that names a person; its wallet opens it again", async () => {
  const { owner, wallet } = await newOwner("evm", browser);
  const { keyId } = await createKey({ accountId: owner.accountId, name: "Ada's laptop" });
  await pool().query("UPDATE api_key SET networks = '{203.0.113.7}' WHERE id = $1", [keyId]);
  await createEndpoint({ accountId: owner.accountId, kind: "webhook", target: "https://93.184.215.14/hook", types: null });
  await credit(owner.accountId, USD / 2n, `left_${owner.accountId}`);
  const { asked, answer } = await close(owner, wallet);
  expect(asked).toMatchObject({
    confirm: {
      statement: `Close account ${owner.accountId} at PennyPrompt: its keys stop working and its personal data is erased in 7 days. The remaining $0.50 stays on it.`,
    },
  });
  expect(answer).toEqual({ ok: true });
  expect(await findOwnerOf(owner.token)).toBeNull();
  expect(await listLiveKeys(owner.accountId)).toEqual([]);
  await eraseAfter(7.1);
  expect(await rowsOf(owner)).toEqual({
    sign_in_nonce: 0,
    failed_request: 0,
    endpoint: 0,
    delivery: 0,
    event: 0,
    identity: 1,
    api_key: 1,
  });
  const { rows } = await pool().query("SELECT state, name, networks FROM api_key WHERE id = $1", [keyId]);
  expect(rows).toEqual([{ state: "revoked", name: "closed", networks: [] }]);
  const sessions = await pool().query("SELECT user_agent, client_address, ended_at FROM session WHERE account_id = $1", [owner.accountId]);
  expect(sessions.rows).toEqual([{ user_agent: "", client_address: "", ended_at: expect.any(Date) }]);
  const audited = await pool().query<{ kind: string; personal: unknown }>(
    "SELECT kind, personal FROM audit_entry WHERE account_id = $1 ORDER BY place",
    [owner.accountId],
  );
  expect(audited.rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["account.closed", "endpoint.deleted"]));
  expect(audited.rows.filter(({ personal }) => personal !== null)).toEqual([]);
  await eraseAfter(8); // once is enough
  const closedAt = async () => (await pool().query("SELECT closed_at FROM account WHERE id = $1", [owner.accountId])).rows[0].closed_at;
  expect(await closedAt()).toBeInstanceOf(Date);

  const again = await enter(wallet, browser);
  expect(again.accountId).toBe(owner.accountId);
  expect(await closedAt()).toBeNull();
  expect((await readBalance(owner.accountId)).available).toBe(USD / 2n);
});

test("a thief who closes the account removes no trace: its alerts are told, and its owner, who signs in within a week, finds all", async () => {
  const { owner, wallet } = await newOwner("evm", browser);
  await createKey({ accountId: owner.accountId, name: "thief's" });
  await createEndpoint({ accountId: owner.accountId, kind: "webhook", target: "https://93.184.215.14/hook", types: null });
  const { answer } = await close(owner, wallet);
  expect(answer).toEqual({ ok: true });
  await numberEvents();
  const told = await pool().query("SELECT type, state FROM delivery WHERE account_id = $1 ORDER BY sequence", [owner.accountId]);
  expect(told.rows).toEqual([
    { type: "key.created", state: "pending" },
    { type: "key.revoked", state: "pending" },
    { type: "account.closed", state: "pending" },
  ]);
  await eraseAfter(6.9);
  await enter(wallet, browser);
  await eraseAfter(8);
  expect(await rowsOf(owner)).toMatchObject({ endpoint: 1, delivery: 3, event: 3 });
  const traces = `SELECT user_agent, client_address FROM session WHERE account_id = $1 AND end_reason = 'closed'`;
  expect((await pool().query(traces, [owner.accountId])).rows).toEqual([{ user_agent: browser, client_address: "192.0.2.1" }]);
  const personal = "SELECT FROM audit_entry WHERE account_id = $1 AND kind = 'key.created' AND personal IS NOT NULL";
  expect((await pool().query(personal, [owner.accountId])).rowCount).toBe(1);
});

test("a frozen account is not erased, however long it is closed; and an endpoint with chosen events hears of the closing", async () => {
  const { owner, wallet } = await newOwner("evm", browser);
  await createEndpoint({
    accountId: owner.accountId,
    kind: "webhook",
    target: "https://93.184.215.14/hook",
    types: ["deposit.credited"],
  });
  await close(owner, wallet);
  await numberEvents();
  const told = await pool().query("SELECT type FROM delivery WHERE account_id = $1", [owner.accountId]);
  expect(told.rows).toEqual([{ type: "account.closed" }]);
  const setState = (state: string) => pool().query("UPDATE account SET state = $2 WHERE id = $1", [owner.accountId, state]);
  await setState("frozen");
  await eraseAfter(30);
  expect(await rowsOf(owner)).toMatchObject({ endpoint: 1 });
  await setState("open");
  await eraseAfter(30);
  expect(await rowsOf(owner)).toMatchObject({ endpoint: 0 });
});

test("an account with money to withdraw, with money on its way, or with a running request is not closed", async () => {
  const { owner, wallet } = await newOwner("evm", browser);
  await credit(owner.accountId, 3n * USD, `more_${owner.accountId}`);
  expect((await close(owner, wallet)).answer).toEqual({ ok: false, message: "Withdraw your balance of $3.00 first." });
  await pool().query("UPDATE ledger_account SET held = 1 WHERE id = $1", [owner.accountId]);
  expect((await close(owner, wallet)).answer).toMatchObject({ message: expect.stringMatching(/^A request is still running/) });
  await pool().query("UPDATE ledger_account SET held = 0 WHERE id = $1", [owner.accountId]);
  await orderWithdrawal(owner, pool());
  expect((await close(owner, wallet)).answer).toMatchObject({ message: expect.stringMatching(/^A withdrawal is still open/) });
});

test("money that comes in, or a request that starts, while the owner signs, keeps the account open", async () => {
  const { owner, wallet } = await newOwner("evm", browser);
  const closing = () => close(owner, wallet);
  const meanwhile = async (change: () => Promise<unknown>) => (await whileHeld(accountLock(owner.accountId), closing, change)).answer;
  expect(await meanwhile(() => credit(owner.accountId, USD / 2n, `late_${owner.accountId}`))).toEqual({
    ok: false,
    message: "Your balance has changed since you signed. Close the account again.",
  });
  const held = (amount: number) => pool().query("UPDATE ledger_account SET held = $2 WHERE id = $1", [owner.accountId, amount]);
  expect(await meanwhile(() => held(1))).toMatchObject({ message: expect.stringMatching(/^A request is still running/) });
  await held(0);
  expect(await meanwhile(() => credit(owner.accountId, 3n * USD, `later_${owner.accountId}`))).toEqual({
    ok: false,
    message: "Withdraw your balance of $3.50 first.",
  });
  expect(await findOwnerOf(owner.token)).not.toBeNull();
});

test("an order for a withdrawal that is taken while the owner signs keeps the account open", async () => {
  const { owner, wallet } = await newOwner("evm", browser);
  const ledgerLock = ["SELECT ledger_lock_accounts(ARRAY[$1])", owner.accountId] as const;
  const { answer } = await whileHeld(
    ledgerLock,
    () => close(owner, wallet),
    (on) => orderWithdrawal(owner, on),
  );
  expect(answer).toMatchObject({ message: expect.stringMatching(/^A withdrawal is still open/) });
});

test("a sign-in during the closing waits for it, and opens the account again", async () => {
  const { owner, wallet } = await newOwner("evm", browser);
  const again = await whileHeld(
    accountLock(owner.accountId),
    () => enter(wallet, browser),
    (on) => on.query("UPDATE account SET closed_at = now() WHERE id = $1", [owner.accountId]),
  );
  expect(again.accountId).toBe(owner.accountId);
  const { rows } = await pool().query("SELECT closed_at FROM account WHERE id = $1", [owner.accountId]);
  expect(rows).toEqual([{ closed_at: null }]);
});

test("a stolen session closes nothing: without a signature, with one for another account's closing, or when frozen", async () => {
  const [{ owner }, other] = [await newOwner("evm", browser), await newOwner("evm", browser)];
  const asked = await closeOwnAccount(other.owner, null);
  if (asked.ok || !asked.confirm) throw new Error("no signature was asked for");
  const started = await startConfirmation(other.owner, { wallet: other.wallet, ...asked.confirm });
  if (!started.ok) throw new Error(started.message);
  expect(await closeOwnAccount(owner, await prove(other.wallet, started.challenge))).toMatchObject({ ok: false });
  expect(await closeOwnAccount({ ...owner, isFrozen: true }, null)).toMatchObject({ ok: false, message: expect.stringMatching(/frozen/) });
  expect(await findOwnerOf(owner.token)).not.toBeNull();
});
