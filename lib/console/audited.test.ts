// What the audit log has of everything that changes power or money outside requests: each operation, done by the product's own functions,
// leaves its entry, with who did it and from where.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { keepIdentity } from "@/lib/access/identities";
import { createKey } from "@/lib/access/keys";
import { endExpiredSessions } from "@/lib/access/sessions";
import { type Entry, leftBy } from "@/lib/audit/testing/left-by";
import { dateOf, now, nowMs, setClock } from "@/lib/base/clock";
import { type AccountId, newWithdrawalId, randomBase62, type WithdrawalId } from "@/lib/base/ids";
import { parseUsd } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readWallet } from "@/lib/chains/wallet";
import { type Actor, runActing } from "@/lib/db/acting";
import { pool } from "@/lib/db/pool";
import { inTransaction, prisma } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { withClient } from "@/lib/db/with-client";
import { setResolver } from "@/lib/events/outside/addresses";
import { openLiabilityAccount } from "@/lib/ledger/accounts";
import { credit, openFunding } from "@/lib/ledger/testing/fund";
import { postTransfer } from "@/lib/ledger/transfers";
import { approveWithdrawal, cancelWithdrawal, refuseWithdrawal } from "@/lib/wallets/withdrawals/decisions";
import { setOwnRules } from "@/lib/wallets/withdrawals/own-rules";
import {
  addOwnEndpoint,
  deleteOwnEndpoint,
  renewOwnSecret,
  setOwnEndpointTypes,
  setOwnLowBalance,
  switchOwnEndpoint,
} from "./alerts/own-endpoints";
import { createOwnKey, endOwnOldSecret, renameOwnKey, rotateOwnKey, setOwnKeyLimits, setOwnKeyState } from "./keys/keys";
import { findOwnerOf, type Owner } from "./owner";
import { endEverySession, endOneSession } from "./settings";
import { linkWallet, startUnlinking, unlinkLeft } from "./sign-in/link-wallet";
import { checkConfirmation, startConfirmation } from "./step-up";
import { openTestCustody } from "./testing/custody";
import { joinWith, link } from "./testing/linking";
import { enter, newOwner } from "./testing/owners";
import { newWallet, prove } from "./testing/wallets";

const database = await openTestDatabase();
beforeAll(async () => {
  setSandboxPepper("a pepper for tests, of more than 32 characters");
  await openTestCustody();
  await openFunding();
  await openLiabilityAccount("withdrawal_pending");
});
beforeEach(() => forgetSingleton("limits.limiter"));
afterAll(setResolver(async () => ["93.184.215.14"]));

const origin = { address: "192.0.2.7", device: "Chrome on macOS" };
const operator: Actor = { kind: "command", command: "withdrawals approve", user: "ops", host: "box" };

/** As a page's POST: the session is looked up, and acts from then on. */
const asOwner = (token: string, act: (owner: Owner) => Promise<unknown>) =>
  runActing({ actor: null, origin }, async () => {
    const owner = await findOwnerOf(token);
    if (!owner) throw new Error("the session has ended");
    return act(owner);
  });

const ok = async (answer: Promise<{ ok: boolean }>) => expect(await answer).toMatchObject({ ok: true });

test("each thing that an owner does with keys and alerts leaves exactly one entry, with the session, the wallet and where from", async () => {
  const { owner, wallet } = await newOwner();
  const access = { scopes: ["prompt", "read"] as const, networks: [] };
  const wish = { expiry: null, cap: null, clip: null, alarm: null, models: null, ...access };
  let [keyId, endpointId] = ["", ""] as [never, string];
  const steps: [kind: string, act: (owner: Owner) => Promise<unknown>][] = [
    ["key.created", (me) => ok(createOwnKey(me, { name: "agent", ...wish, expiry: null }))],
    ["key.changed", (me) => ok(renameOwnKey(me, { keyId, name: "other" }))],
    [
      "key.changed",
      (me) => {
        const cap = { nanoUsd: parseUsd("5"), period: "day" as const };
        const alarm = { factor: 3, above: parseUsd("2"), pauses: true };
        return ok(setOwnKeyLimits(me, { keyId, ...wish, cap, alarm, clip: 256, networks: ["192.0.2.0/24"], scopes: ["prompt"] }));
      },
    ],
    ["key.secret_rotated", (me) => ok(rotateOwnKey(me, { keyId, overlap: 60_000 }))],
    ["key.old_secret_ended", (me) => ok(endOwnOldSecret(me, keyId))],
    ["key.paused", (me) => ok(setOwnKeyState(me, keyId, "paused"))],
    ["key.resumed", (me) => ok(setOwnKeyState(me, keyId, "active"))],
    ["key.revoked", (me) => ok(setOwnKeyState(me, keyId, "revoked"))],
    ["endpoint.created", (me) => ok(addOwnEndpoint(me, { kind: "webhook", target: "https://hooks.example.com/secret", types: null }))],
    ["endpoint.changed", (me) => ok(setOwnEndpointTypes(me, { endpointId, types: ["key.spike"] }))],
    ["endpoint.changed", (me) => ok(switchOwnEndpoint(me, endpointId, "off"))],
    ["endpoint.changed", (me) => ok(switchOwnEndpoint(me, endpointId, "on"))],
    ["endpoint.secret_rotated", (me) => ok(renewOwnSecret(me, endpointId))],
    ["endpoint.deleted", (me) => ok(deleteOwnEndpoint(me, endpointId))],
    ["alarm.changed", (me) => ok(setOwnLowBalance(me, parseUsd("5")))],
  ];
  const all: Entry[] = [];
  for (const [kind, act] of steps) {
    const left = await leftBy(() => asOwner(owner.token, act));
    expect(left.map((entry) => entry.kind)).toEqual([kind]);
    const [entry] = left as [Entry];
    expect(entry.account_id).toBe(owner.accountId);
    expect(entry.actor).toEqual({ kind: "session", sessionId: owner.sessionId, chain: "evm", address: wallet.address.toLowerCase() });
    expect(entry.personal).toMatchObject(origin);
    if (kind === "key.created") keyId = entry.subject as never;
    if (kind === "endpoint.created") endpointId = entry.subject ?? "";
    all.push(entry);
  }
  expect(all[2]).toMatchObject({
    before: { cap: null, scopes: ["prompt", "read"], alarmFactor: null, networks: null },
    personal: { before: { networks: [] }, after: { networks: ["192.0.2.0/24"] } },
    after: { cap: "5000000000", capPeriod: "day", scopes: ["prompt"], alarmFactor: 3, alarmAbove: "2000000000", clipMinTokens: 256 },
  });
  expect(all[2]?.after).not.toHaveProperty("name");
  expect(all[8]).toMatchObject({ after: { kind: "webhook", host: null }, personal: { after: { host: "hooks.example.com" } } });
  // Neither hashes nor the secret part of a URL.
  expect(JSON.stringify(all)).not.toMatch(/hash|hooks\.example\.com\/|whsec|pp_/);
});

test("what is asked for again, refused or another account's leaves no entry", async () => {
  const [{ owner }, { owner: other }] = [await newOwner(), await newOwner()];
  const { keyId } = await createKey({ accountId: owner.accountId, name: "one" });
  await setOwnKeyState(owner, keyId, "paused");
  const left = await leftBy(async () => {
    await setOwnKeyState(owner, keyId, "paused");
    await setOwnKeyState(other, keyId, "revoked");
    await renameOwnKey(owner, { keyId, name: "one" });
    await endOwnOldSecret(owner, keyId);
    await setOwnLowBalance(owner, null);
    await inTransaction(async (transaction) => {
      await transaction.$executeRaw`UPDATE api_key SET name = 'undone' WHERE id = ${keyId}`;
      throw new Error("undone");
    }).catch(() => undefined);
  });
  expect(left).toEqual([]);
});

test("signing in and out, and every other end of a session", async () => {
  const first = await leftBy(() => runActing({ actor: null, origin }, () => newOwner()));
  expect(first.map(({ kind }) => kind)).toEqual(["wallet.linked", "session.opened"]);
  expect(first.map(({ actor }) => actor.kind)).toEqual(["wallet", "wallet"]);
  expect(first[1]?.personal).toEqual(origin);

  const { owner, wallet } = await newOwner();
  const [second, third] = [await enter(wallet), await enter(wallet)];
  const reasonsOf = (entries: Entry[]) => entries.map(({ kind, after }) => [kind, after?.reason]);
  const endSecond = () => asOwner(owner.token, (me) => ok(endOneSession(me, second.sessionId)));
  expect(reasonsOf(await leftBy(endSecond))).toEqual([["session.ended", "ended"]]);
  const all = await leftBy(() => asOwner(third.token, (me) => endEverySession(me, { pausesKeys: true })));
  expect(reasonsOf(all)).toEqual([
    ["session.ended", "everywhere"],
    ["session.ended", "everywhere"],
  ]);
  await enter(wallet);
  const at = nowMs();
  const restore = setClock(() => at + 25 * 3_600_000);
  try {
    const idle = (await leftBy(() => endExpiredSessions(now()))).filter(({ account_id }) => account_id === owner.accountId);
    expect(reasonsOf(idle)).toEqual([["session.ended", "idle"]]);
    expect(idle[0]?.actor).toEqual({ kind: "job", job: "end-expired-sessions" });
  } finally {
    restore();
  }
});

test("a step-up leaves the text that was signed, and the wallet that signed it", async () => {
  const { owner, wallet } = await newOwner();
  const left = await leftBy(() =>
    asOwner(owner.token, async (me) => {
      const statement = "Create the API key 'agent' at PennyPrompt.";
      const asked = await checkConfirmation(me, statement, null);
      if (!asked?.confirm) throw new Error("nothing is asked");
      const started = await startConfirmation(me, { wallet, ...asked.confirm });
      if (!started.ok) throw new Error(started.message);
      expect(await checkConfirmation(me, statement, await prove(wallet, started.challenge))).toBeNull();
    }),
  );
  expect(left).toMatchObject([{ kind: "session.confirmed", subject: owner.sessionId, account_id: owner.accountId }]);
  expect(left[0]).toMatchObject({ after: { chain: "evm" }, personal: { after: { text: expect.stringContaining("the API key 'agent'") } } });
});

test("a wallet that is linked, leaves, is kept, and is unlinked by the job; its row's history stays", async () => {
  const { owner, wallet } = await newOwner();
  const joining = newWallet("solana");
  const stored = readWallet(joining.chain, joining.address);
  if (!stored) throw new Error("a new wallet has an address");
  const kindsOf = async (act: (me: Owner) => Promise<unknown>) =>
    (await leftBy(() => asOwner(owner.token, act))).map(({ kind, subject }) => [kind, subject]);
  expect(await kindsOf((me) => ok(link(me, wallet, joining)))).toEqual([["wallet.linked", joining.address]]);
  expect(await kindsOf((me) => ok(startUnlinking(me, joining)))).toEqual([["wallet.leaving", joining.address]]);
  expect(await kindsOf((me) => keepIdentity(me.accountId, stored))).toEqual([["wallet.kept", joining.address]]);
  await asOwner(owner.token, (me) => ok(startUnlinking(me, joining)));
  const at = nowMs();
  const restore = setClock(() => at + 25 * 3_600_000);
  try {
    const [entry, ...more] = await leftBy(unlinkLeft);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      kind: "wallet.unlinked",
      actor: { kind: "job", job: "unlink-left-wallets" },
      account_id: owner.accountId,
    });
    expect(entry?.before).toMatchObject({ chain: "solana", address: joining.address, isFirst: false, linkedAt: expect.any(String) });
  } finally {
    restore();
  }
  // The same wallet may be anybody's now.
  expect((await enter(joining)).accountId).not.toBe(owner.accountId);
});

test("an account that is absorbed: told to the account that has it now", async () => {
  const [mine, unused] = [await newOwner(), await newOwner()];
  const joined = await joinWith(mine.owner, mine.wallet, unused.wallet);
  if (!joined.ok) throw new Error(joined.reason);
  const proof = await prove(mine.wallet, joined.allow);
  const left = await leftBy(() => asOwner(mine.owner.token, (me) => linkWallet(me, proof)));
  const [into, of] = [mine.owner.accountId, unused.owner.accountId];
  expect(left.map(({ kind, account_id, after }) => [kind, account_id, after?.reason])).toEqual([
    ["session.ended", of, "absorbed"],
    ["wallet.unlinked", of, undefined],
    ["account.absorbed", into, undefined],
    ["wallet.linked", into, undefined],
  ]);
  expect(left[2]).toMatchObject({ subject: of, after: { absorbedBy: into } });
});

/** A withdrawal in the books and in its table, as if it had been ordered. */
async function order(account: AccountId): Promise<WithdrawalId> {
  const id = newWithdrawalId();
  const amount = parseUsd("2");
  await postTransfer({
    ...{ id: `withdrawal_${id}`, kind: "reversal" },
    legs: [
      { account, amount: -amount as typeof amount },
      { account: "withdrawal_pending" as AccountId, amount },
    ],
  });
  await prisma().$executeRaw`
    INSERT INTO withdrawal (id, account_id, chain, destination, amount, fee, opens_account, nonce, issued_at, valid_until, signer_chain,
      signer_address, signature, state, requested_at)
    VALUES (${id}, ${account}, 'base', '0x00000000000000000000000000000000000000cc', ${amount}, 0, false, ${randomBase62(22)}, ${now()},
      ${dateOf(nowMs() + 3_600_000)}, 'evm', '0x00000000000000000000000000000000000000cc', 'signature', 'awaiting_approval', ${now()})`;
  return id;
}

test("a withdrawal that is ordered, cancelled, approved and refused: who decided, and no amount, which the ledger says", async () => {
  const { owner } = await newOwner();
  await credit(owner.accountId, 50_000_000_000);
  let id = "" as WithdrawalId;
  const ordered = await leftBy(() => asOwner(owner.token, async (me) => (id = await order(me.accountId))));
  expect(ordered).toMatchObject([{ kind: "withdrawal.ordered", subject: id, actor: { kind: "session" }, personal: origin }]);
  const cancelled = await leftBy(() => asOwner(owner.token, (me) => cancelWithdrawal(me.accountId, id)));
  expect(cancelled).toMatchObject([{ kind: "withdrawal.cancelled", subject: id, before: { state: "awaiting_approval" } }]);
  const atTerminal = (act: () => Promise<unknown>) => leftBy(() => runActing({ actor: operator, origin: null }, act));
  const [one, two] = [await order(owner.accountId), await order(owner.accountId)];
  const approved = await atTerminal(() => approveWithdrawal(one, "0x12"));
  expect(approved).toMatchObject([{ kind: "withdrawal.approved", subject: one, actor: operator, personal: null }]);
  const refused = await atTerminal(() => refuseWithdrawal(two, "ask us"));
  expect(refused).toMatchObject([{ kind: "withdrawal.refused", subject: two, actor: operator, after: { reason: "ask us" } }]);
  const fields = [ordered, cancelled, approved, refused].flat().map(({ before, after }) => ({ before, after }));
  expect(JSON.stringify(fields)).not.toMatch(/amount|2000000000/);
});

test("whoever writes into the database by hand is named by its user and program: a frozen account, other limits, a stopped key", async () => {
  const { owner } = await newOwner();
  const { keyId } = await createKey({ accountId: owner.accountId, name: "one" });
  const byHand = (sql: string) =>
    leftBy(() => withClient(database.url, "psql", (client) => client.query(sql, [owner.accountId]).then(() => undefined)));
  const { rows } = await pool().query<{ user: string }>('SELECT session_user AS "user"');
  const actor = { kind: "database", user: rows[0]?.user, application: "psql" };
  for (const [sql, kind, subject] of [
    ["UPDATE account SET state = 'frozen' WHERE id = $1", "account.frozen", owner.accountId],
    ["UPDATE account SET state = 'open' WHERE id = $1", "account.unfrozen", owner.accountId],
    ["UPDATE account SET rate_per_minute = 500 WHERE id = $1", "account.limits_changed", owner.accountId],
    ["UPDATE api_key SET state = 'paused' WHERE account_id = $1", "key.paused", keyId],
    ["DELETE FROM session WHERE account_id = $1", "session.ended", owner.sessionId],
  ] as const) {
    expect(await byHand(sql)).toMatchObject([{ kind, subject, actor, account_id: owner.accountId }]);
  }
});

test("the owner's own rules for withdrawals, with what they were before", async () => {
  const { owner } = await newOwner();
  const none = { dailyLimit: null, waitSeconds: 0, destinations: [] };
  const strict = { dailyLimit: parseUsd("50"), waitSeconds: 3_600, destinations: [] };
  await asOwner(owner.token, (me) => setOwnRules(me.accountId, strict, none));
  const left = await leftBy(() => asOwner(owner.token, (me) => setOwnRules(me.accountId, none, strict)));
  const before = { dailyLimit: "50000000000", waitSeconds: 3_600, destinations: [] };
  expect(left).toMatchObject([{ kind: "withdrawal.rules_changed", actor: { kind: "session" }, personal: origin, before, after: none }]);
});

test("a key that its alarm pauses says so", async () => {
  const { owner } = await newOwner();
  const alarm = { factor: 2, above: parseUsd("1"), pauses: true };
  const { keyId } = await createKey({ accountId: owner.accountId, name: "one", alarm });
  const left = await leftBy(
    () =>
      prisma().$queryRaw`SELECT gateway_raise_spike(${owner.accountId}, ${keyId}, 5::bigint, 1::bigint, true, ${now()}::timestamptz)::text`,
  );
  expect(left).toMatchObject([{ kind: "key.paused", subject: keyId, actor: { kind: "job", job: "watch-spikes" } }]);
});
