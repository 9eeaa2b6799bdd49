// The chain of entries: each committed one gets its place once, personal fields can go, and appends wait for nobody.

import { beforeEach, expect, test } from "vitest";
import { createAccount } from "@/lib/access/accounts";
import { createKey, setKeyState } from "@/lib/access/keys";
import { now, nowMs, setClock } from "@/lib/base/clock";
import { setSandboxPepper } from "@/lib/base/pepper";
import { runActing } from "@/lib/db/acting";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { chainEntries, checkChain, findDifference, readHead, verifyChain } from "./chain";
import { listEntries } from "./entries";
import { erasePersonal, erasePersonalOf } from "./erase";
import { recordAudit } from "./record";

await openTestDatabase();
beforeEach(() => setSandboxPepper("a pepper for tests, of more than 32 characters"));

const origin = { address: "192.0.2.7", device: "Firefox on Linux" };
const record = (subject: string) =>
  runActing({ actor: null, origin }, () => recordAudit({ accountId: null, kind: "process.started", subject, after: { roles: ["web"] } }));

test("committed entries get their places without gaps, once, and those of one commit stay together", async () => {
  const accountId = await createAccount();
  const { keyId } = await createKey({ accountId, name: 'with "quotes", 💥 and \\ signs' });
  await setKeyState(accountId, keyId, "paused");
  const open = await pool().connect();
  await open.query("BEGIN");
  await open.query("UPDATE api_key SET state = 'revoked', revoked_at = now() WHERE id = $1", [keyId]);
  await record("one");
  await chainEntries();
  const first = await readHead();
  // What is not committed is not chained, and holds nobody up.
  await open.query("COMMIT");
  open.release();
  await chainEntries();
  const { rows } = await pool().query<{ kind: string; sequence: string }>("SELECT kind, sequence FROM audit_entry ORDER BY sequence");
  expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
  expect(rows.at(-1)?.kind).toBe("key.revoked");
  const head = await readHead();
  expect(head.sequence).toBe(first.sequence + 1n);
  expect(await verifyChain()).toEqual({ head, fault: null });
  expect(await findDifference(first)).toBeNull();
  await chainEntries();
  expect(await readHead()).toEqual(head);
});

test("two processes that chain at once give each entry one place", async () => {
  for (let number = 0; number < 30; number++) await record(`at once ${number}`);
  await Promise.all([chainEntries(), chainEntries(), chainEntries()]);
  expect((await verifyChain()).fault).toBeNull();
  const { rows } = await pool().query("SELECT 1 FROM audit_entry WHERE sequence IS NULL");
  expect(rows).toEqual([]);
});

test("appends of two accounts, and of one, wait for no lock of each other, nor for the chain", async () => {
  const [one, two] = [await pool().connect(), await pool().connect()];
  try {
    await one.query("BEGIN");
    await two.query("BEGIN");
    await one.query("SELECT pg_advisory_xact_lock(hashtextextended('audit chain', 0))"); // as the job holds it
    await two.query("SET LOCAL lock_timeout = '5s'");
    await one.query("SELECT audit_record('acc_one', 'key.paused', 'key', NULL, NULL)");
    await two.query("SELECT audit_record('acc_one', 'key.paused', 'key', NULL, NULL)");
    await two.query("SELECT audit_record('acc_two', 'key.paused', 'key', NULL, NULL)");
    await two.query("COMMIT");
    await one.query("COMMIT");
  } finally {
    for (const client of [one, two]) client.release();
  }
});

test("after 90 days address and browser are gone with their salt, and the chain holds", async () => {
  const accountId = await createAccount();
  await runActing({ actor: null, origin }, () => createKey({ accountId, name: "agent" }));
  await chainEntries();
  const head = await readHead();
  expect((await listEntries(accountId, { limit: 10 }))?.[0]?.from).toEqual(origin);
  const at = nowMs();
  const restore = setClock(() => at + 89 * 24 * 3_600_000);
  try {
    await erasePersonal();
    expect((await listEntries(accountId, { limit: 10 }))?.[0]?.from).toEqual(origin);
    restore();
    setClock(() => at + 91 * 24 * 3_600_000);
    await erasePersonal();
  } finally {
    setClock(() => Date.now());
  }
  const { rows } = await pool().query<{ text: string }>("SELECT row_to_json(e)::text AS text FROM audit_entry e");
  expect(rows.map(({ text }) => text).join()).not.toMatch(/192\.0\.2\.7|Firefox/);
  const [entry] = (await listEntries(accountId, { limit: 10 })) ?? [];
  expect(entry).toMatchObject({ kind: "key.created", from: null, actor: { kind: "service" } });
  expect(await verifyChain()).toEqual({ head, fault: null });
});

test("an owner's words and addresses can be erased, and the chain holds; what they were fields of, and all else, stays", async () => {
  const accountId = await createAccount();
  const { keyId } = await createKey({ accountId, name: "Ada's laptop" });
  await pool().query("UPDATE api_key SET networks = '{203.0.113.0/24}', clip_min_tokens = 256 WHERE id = $1", [keyId]);
  await recordAudit({ accountId, kind: "session.confirmed", subject: null, after: { chain: "evm", text: "Ada signs" } });
  await chainEntries();
  const head = await readHead();
  const read = async () => (await listEntries(accountId, { limit: 10 }))?.map(({ before, after }) => ({ before, after }));
  expect(await read()).toMatchObject([
    { before: null, after: { chain: "evm", text: "Ada signs" } },
    { before: { networks: [], clipMinTokens: null }, after: { networks: ["203.0.113.0/24"], clipMinTokens: 256 } },
    { before: null, after: { name: "Ada's laptop", networks: [], scopes: ["prompt", "read"] } },
  ]);
  await inTransaction((transaction) => erasePersonalOf(accountId, transaction));
  expect(await read()).toMatchObject([
    { before: null, after: { chain: "evm", text: null } },
    { before: { networks: null, clipMinTokens: null }, after: { networks: null, clipMinTokens: 256 } },
    { before: null, after: { name: null, networks: null, scopes: ["prompt", "read"] } },
  ]);
  const { rows } = await pool().query<{ text: string }>("SELECT row_to_json(e)::text AS text FROM audit_entry e WHERE account_id = $1", [
    accountId,
  ]);
  expect(rows.map(({ text }) => text).join()).not.toMatch(/Ada|203\.0\.113/);
  expect(await verifyChain()).toEqual({ head, fault: null });
});

test("an entry that was chained with such fields in the open is read and verified as before, also after its account is closed", async () => {
  const accountId = await createAccount();
  await pool().query(
    `INSERT INTO audit_entry (id, account_id, kind, at, actor, subject, after, personal, salt, commitment)
     SELECT 'aud_earlier', $1, 'endpoint.created', now(), '{"kind": "service"}', 'ep_1', '{"kind": "email", "host": "example.com"}', p, '\\x01',
       sha256('\\x01' || convert_to(p::text, 'UTF8')) FROM (SELECT '{"email": "ada@example.com"}'::jsonb AS p) own`,
    [accountId],
  );
  await chainEntries();
  const head = await readHead();
  expect(await verifyChain()).toEqual({ head, fault: null });
  await inTransaction((transaction) => erasePersonalOf(accountId, transaction));
  expect(await verifyChain()).toEqual({ head, fault: null });
  expect(await listEntries(accountId, { limit: 1 })).toMatchObject([{ after: { kind: "email", host: "example.com" } }]);
});

test("an owner reads the own entries only, the newest first, page by page, and of one group", async () => {
  const [accountId, other] = [await createAccount(), await createAccount()];
  const { keyId } = await createKey({ accountId, name: "agent" });
  for (const state of ["paused", "active", "revoked"] as const) await setKeyState(accountId, keyId, state);
  await createKey({ accountId: other, name: "theirs" });
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [accountId]);
  const page = await listEntries(accountId, { limit: 2 });
  expect(page?.map(({ kind }) => kind)).toEqual(["account.frozen", "key.revoked"]);
  const rest = await listEntries(accountId, { limit: 10, before: page?.[1]?.id });
  expect(rest?.map(({ kind }) => kind)).toEqual(["key.resumed", "key.paused", "key.created"]);
  expect((await listEntries(accountId, { limit: 10, group: "account" }))?.map(({ kind }) => kind)).toEqual(["account.frozen"]);
  expect(await listEntries(other, { limit: 10, before: page?.[1]?.id })).toBeNull();
});

test("of the operator an owner learns that, and no name of a user, a machine or a command", async () => {
  const accountId = await createAccount();
  const { keyId } = await createKey({ accountId, name: "agent" });
  const actor = { kind: "command", command: "keys pause", user: "somebody", host: "a-machine" } as const;
  await runActing({ actor, origin: null }, () => setKeyState(accountId, keyId, "paused"));
  const [entry] = (await listEntries(accountId, { limit: 1 })) ?? [];
  expect(entry).toMatchObject({ kind: "key.paused", actor: { kind: "operator" }, from: null });
  expect(JSON.stringify({ ...entry, sequence: null, at: now() })).not.toMatch(/somebody|a-machine/);
});

test("the check finds nothing wrong, begins anew at the end, and sees what comes later", async () => {
  await chainEntries();
  expect([await checkChain(), await checkChain()]).toEqual([null, null]);
  await record("later");
  await chainEntries();
  expect(await checkChain()).toBeNull();
});
