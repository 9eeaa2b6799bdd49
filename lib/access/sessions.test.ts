import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { now, setClock } from "@/lib/base/clock";
import type { AccountId, SessionId } from "@/lib/base/ids";
import type { Wallet } from "@/lib/chains/wallet";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createAccount } from "./accounts";
import {
  type EndReason,
  endAllSessions,
  endExpiredSessions,
  endSession,
  endSessionOfToken,
  endSessionsOf,
  findSession,
  listSessions,
  openSession,
} from "./sessions";

await openTestDatabase();

const start = Date.UTC(2030, 0, 1);
const day = 24 * 60 * 60 * 1_000;
const wallet: Wallet = { chain: "evm", address: `0x${"ab".repeat(20)}` };
const other: Wallet = { chain: "solana", address: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk" };

let restore: () => void = () => {};
afterEach(() => restore());
const setTime = (ms: number) => {
  restore();
  restore = setClock(() => ms);
};

const open = (accountId: AccountId, opened: Partial<Parameters<typeof openSession>[0]> = {}) =>
  openSession({ accountId, wallet, userAgent: "a browser", clientAddress: "192.0.2.1", ...opened });

test("a session is found by its cookie, and by nothing that is stored of it", async () => {
  const accountId = await createAccount();
  const { sessionId, token } = await open(accountId);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  expect(await findSession(token)).toMatchObject({ sessionId, accountId, accountState: "open", wallet });
  const { rows } = await pool().query<{ row: string }>("SELECT row_to_json(s)::text AS row FROM session s WHERE id = $1", [sessionId]);
  expect(rows[0]?.row).not.toContain(token);
  const hash = createHash("sha256").update(token).digest();
  for (const forged of ["", "rubbish", sessionId, hash.toString("base64url"), hash.toString("hex"), `${token} `, token.slice(0, -1)]) {
    expect(await findSession(forged), forged).toBeNull();
  }
});

test("a session ends after 7 days, however much it is used", async () => {
  setTime(start);
  const { token } = await open(await createAccount());
  for (let hours = 20; hours < 7 * 24; hours += 20) {
    setTime(start + (hours / 24) * day);
    expect(await findSession(token)).toMatchObject({ expiresAt: new Date(start + 7 * day) });
  }
  setTime(start + 7 * day - 1);
  expect(await findSession(token)).not.toBeNull();
  setTime(start + 7 * day);
  expect(await findSession(token)).toBeNull();
});

test("a session ends after 24 hours without use, and is neither found nor listed, and its row says why", async () => {
  setTime(start);
  const accountId = await createAccount();
  const { token } = await open(accountId);
  setTime(start + day - 1);
  expect(await findSession(token)).not.toBeNull();
  setTime(start + 2 * day - 2);
  expect(await findSession(token)).not.toBeNull();
  setTime(start + 3 * day - 2);
  expect(await findSession(token)).toBeNull();
  expect(await listSessions(accountId)).toEqual([]);
  await endExpiredSessions(now());
  const { rows } = await pool().query("SELECT ended_at, end_reason FROM session WHERE account_id = $1", [accountId]);
  expect(rows).toEqual([{ ended_at: now(), end_reason: "idle" }]);
});

test("the time last seen is written at most once a minute, and never goes back", async () => {
  setTime(start);
  const accountId = await createAccount();
  const { token } = await open(accountId);
  const seen = async () => (await listSessions(accountId))[0]?.lastSeenAt.getTime();
  for (const [at, expected] of [
    [59_999, 0],
    [60_000, 60_000],
    [119_999, 60_000],
    [200_000, 200_000],
    [100_000, 200_000],
  ] as const) {
    setTime(start + at);
    expect(await findSession(token)).not.toBeNull();
    expect(await seen()).toBe(start + expected);
  }
});

test("an owner can end one session or all; a stranger none", async () => {
  const [owner, stranger] = [await createAccount(), await createAccount()];
  const [first, second, third] = [await open(owner), await open(owner), await open(owner)];
  const strangers = await open(stranger);
  expect(await endSession(stranger, first.sessionId)).toBe(false);
  expect(await findSession(first.token)).not.toBeNull();
  expect(await endSession(owner, first.sessionId)).toBe(true);
  expect(await endSession(owner, first.sessionId)).toBe(false);
  expect(await findSession(first.token)).toBeNull();
  expect(await endAllSessions(owner)).toBe(2);
  for (const { token } of [second, third]) expect(await findSession(token)).toBeNull();
  expect(await findSession(strangers.token)).not.toBeNull();
});

test("however a session ends, it has expired as well, for a process of the release before; the log says why it ended", async () => {
  setTime(start);
  const accountId = await createAccount();
  const ends: [EndReason, (session: { sessionId: SessionId; token: string }) => Promise<unknown>][] = [
    ["signed_out", ({ token }) => endSessionOfToken(token, "signed_out")],
    ["ended", ({ sessionId }) => endSession(accountId, sessionId)],
    ["everywhere", () => endAllSessions(accountId)],
    ["unlinked", () => endSessionsOf(accountId, wallet)],
    ["idle", () => endExpiredSessions(now())],
  ];
  for (const [index, [reason, end]] of ends.entries()) {
    const opened = await open(accountId);
    setTime(start + (index + 1) * 1.5 * day);
    await end(opened);
    const [row] = (await pool().query("SELECT ended_at, expires_at, end_reason FROM session WHERE id = $1", [opened.sessionId])).rows;
    expect(row).toEqual({ ended_at: now(), expires_at: now(), end_reason: reason });
    const audited = await pool().query("SELECT after FROM audit_entry WHERE subject = $1 AND kind = 'session.ended'", [opened.sessionId]);
    expect(audited.rows).toEqual([{ after: { ...wallet, reason } }]);
  }
});

test("a wallet's 51st session ends the one that was idle longest, and none of the account's other wallet", async () => {
  setTime(start);
  const accountId = await createAccount();
  const owners = await open(accountId, { wallet: other });
  const opened = [];
  for (let index = 0; index < 50; index += 1) {
    setTime(start + index * 1_000);
    opened.push(await open(accountId));
  }
  setTime(start + 300_000);
  expect(await findSession(opened[0]?.token ?? "")).not.toBeNull(); // it was just used
  const newest = await open(accountId);
  const left = new Set((await listSessions(accountId)).map(({ sessionId }) => sessionId));
  expect(left).toEqual(new Set([owners, ...opened.filter((_, index) => index !== 1), newest].map(({ sessionId }) => sessionId)));
  const { rows } = await pool().query("SELECT end_reason FROM session WHERE id = $1", [opened[1]?.sessionId]);
  expect(rows).toEqual([{ end_reason: "too_many" }]);
});

test("the sessions of one wallet end without those of another", async () => {
  const accountId = await createAccount();
  const [one, two] = [await open(accountId), await open(accountId, { wallet: other })];
  await endSessionsOf(accountId, wallet);
  expect(await findSession(one.token)).toBeNull();
  expect(await findSession(two.token)).not.toBeNull();
});

test("a list shows the account's own open sessions, the last seen first", async () => {
  setTime(start);
  const accountId = await createAccount();
  await open(await createAccount());
  const early = await open(accountId, { userAgent: `${"x".repeat(299)}💥\0`, clientAddress: "2001:db8::1" });
  setTime(start + 1_000);
  const late = await open(accountId, { wallet: other });
  const lines = await listSessions(accountId);
  expect(lines.map((line) => line.sessionId)).toEqual([late.sessionId, early.sessionId]);
  expect(lines[1]).toEqual({
    sessionId: early.sessionId,
    wallet,
    createdAt: new Date(start),
    lastSeenAt: new Date(start),
    expiresAt: new Date(start + 7 * day),
    userAgent: `${"x".repeat(299)}\uFFFD`,
    clientAddress: "2001:db8::1",
  });
  setTime(start + 8 * day);
  expect(await listSessions(accountId)).toEqual([]);
});

test("a frozen account's session says so", async () => {
  const accountId = await createAccount();
  const { token } = await open(accountId);
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [accountId]);
  expect(await findSession(token)).toMatchObject({ accountState: "frozen" });
});

test("expired sessions are ended, the others stay", async () => {
  setTime(start);
  const accountId = await createAccount();
  await open(accountId);
  setTime(start + 6.5 * day);
  const { sessionId } = await open(accountId);
  setTime(start + 7.25 * day);
  await endExpiredSessions(now());
  const { rows } = await pool().query("SELECT id, end_reason FROM session WHERE account_id = $1 ORDER BY created_at DESC", [accountId]);
  expect(rows).toEqual([
    { id: sessionId, end_reason: null },
    { id: expect.any(String), end_reason: "expired" },
  ]);
});

test("an ended session is forgotten by nobody but its browser: who had it is erased after 90 days, the rest stays", async () => {
  setTime(start);
  const accountId = await createAccount();
  const { sessionId, token } = await open(accountId);
  expect(await endSession(accountId, sessionId, "signed_out")).toBe(true);
  expect(await findSession(token)).toBeNull();
  const row = async () =>
    (await pool().query("SELECT address, end_reason, user_agent, client_address FROM session WHERE id = $1", [sessionId])).rows[0];
  setTime(start + 90 * day - 1);
  await endExpiredSessions(now());
  expect(await row()).toMatchObject({ user_agent: "a browser", client_address: "192.0.2.1" });
  setTime(start + 90 * day);
  await endExpiredSessions(now());
  expect(await row()).toEqual({ address: wallet.address, end_reason: "signed_out", user_agent: "", client_address: "" });
});

test("while the database does not answer, a session lookup fails, and afterwards it works again", async () => {
  const { token } = await open(await createAccount());
  const blocker = await pool().connect();
  await blocker.query("BEGIN; LOCK TABLE session IN ACCESS EXCLUSIVE MODE");
  await expect(findSession(token)).rejects.toThrow("timeout");
  await blocker.query("ROLLBACK");
  blocker.release();
  expect(await findSession(token)).not.toBeNull();
  await expect.poll(() => pool().totalCount - pool().idleCount).toBe(0);
});
