// A stolen session is not money: what gives a key power takes a fresh signature of a linked wallet over exactly that action.

import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { KeyScope } from "@/lib/access/find-key";
import type { SpendCap } from "@/lib/access/keys";
import { setClock } from "@/lib/base/clock";
import type { KeyId } from "@/lib/base/ids";
import { parseUsd } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { whileHeld } from "@/lib/db/testing/held-lock";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { findOwnerOf, type Owner } from "../owner";
import { startConfirmation } from "../step-up";
import { openTestCustody } from "../testing/custody";
import { link } from "../testing/linking";
import { newOwner } from "../testing/owners";
import { newWallet, prove, type TestWallet } from "../testing/wallets";
import type { Answer, Refusal } from "../views/answer";
import { createConfirmedKey, resumeConfirmedKey, rotateConfirmedKey, setConfirmedLimits } from "./confirmed-keys";
import { listOwnKeys, setOwnKeyState } from "./keys";

await openTestDatabase();
setSandboxPepper("a pepper for tests, of more than 32 characters");
beforeAll(openTestCustody);
beforeEach(() => forgetSingleton("limits.limiter"));
let restore: () => void = () => {};
afterEach(() => restore());

const MINUTE = 60_000;
const later = (ms: number) => {
  restore();
  const at = Date.now() + ms;
  restore = setClock(() => at);
};

const cap = (usd: string, period: SpendCap["period"] = "month"): SpendCap => ({ nanoUsd: parseUsd(usd), period });
const limits = { expiry: null, cap: null as SpendCap | null, clip: null, alarm: null, models: null, networks: [] as string[] };
const wish = (fields: object = {}) => ({ name: "ci", ...limits, scopes: ["prompt", "read"] as KeyScope[], ...fields });

const DAY = 86_400_000;
/** What whoever signed lately may give away without another signature: little, and for a while. */
const little = (usd: string, fields: object = {}) => wish({ cap: cap(usd), expiry: new Date(Date.now() + 30 * DAY), ...fields });

const askedOf = (answer: Answer): NonNullable<Refusal["confirm"]> => {
  if (answer.ok || !answer.confirm) throw new Error("no signature was asked for");
  return answer.confirm;
};

/** What an honest page does: asks for the text, and has the wallet sign it. */
async function sign(owner: Owner, wallet: TestWallet, asked: NonNullable<Refusal["confirm"]>) {
  const started = await startConfirmation(owner, { wallet, ...asked });
  if (!started.ok) throw new Error(started.message);
  return prove(wallet, started.challenge);
}

const keysOf = async (owner: Owner) =>
  (await listOwnKeys(owner)).map(({ name, state, cap: spend }) => [name, state, spend?.nanoUsd ?? null]);

test("a key with a cap of at most $5 is created without a signature for 15 minutes, and with one afterwards", async () => {
  const { owner, wallet } = await newOwner();
  expect(await createConfirmedKey(owner, little("4", { name: "small" }), null)).toMatchObject({ ok: true });
  later(16 * MINUTE);
  const late = wish({ name: "late", cap: cap("5") });
  const asked = askedOf(await createConfirmedKey(owner, late, null));
  expect(asked.statement).toBe("Create the API key 'late' at PennyPrompt. It can spend up to $5.00 a month and read its own usage.");
  const proof = await sign(owner, wallet, asked);
  expect(proof.message).toContain(`\n${asked.statement}\n`);
  expect(await createConfirmedKey(owner, late, proof)).toMatchObject({ ok: true });
  // The signature counts for this browser: the next small key is not asked for again.
  const confirmed = { ...owner, confirmedAt: new Date(Date.now() + 16 * MINUTE) };
  expect(await createConfirmedKey(confirmed, little("1", { name: "next" }), null)).toMatchObject({ ok: true });
});

test("a hundred keys at once give away $5 together; what is spent and revoked, or lowered, makes no room for a day", async () => {
  const { owner, wallet } = await newOwner();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, count) => createConfirmedKey(owner, little("1", { name: `${count}` }), null)),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(5);
  const [key, other] = await listOwnKeys(owner);
  if (!key || !other) throw new Error("no key was made");
  const limit = (usd: string, keyId = key.keyId) => ({ ...little(usd), keyId, expiry: "keep" as const });
  await setOwnKeyState(owner, other.keyId, "revoked");
  expect(await setConfirmedLimits(owner, limit("0.01"), null)).toEqual({ ok: true });
  askedOf(await createConfirmedKey(owner, little("0.01"), null));
  // What a wallet signs for is no more among them; a new secret of it is.
  const asked = askedOf(await setConfirmedLimits(owner, limit("2"), null));
  expect(await setConfirmedLimits(owner, limit("2"), await sign(owner, wallet, asked))).toEqual({ ok: true });
  const secret = { keyId: key.keyId, overlap: 0 };
  askedOf(await rotateConfirmedKey(owner, secret, null));
  expect(await createConfirmedKey(owner, little("1"), null)).toMatchObject({ ok: true });
  later(DAY + MINUTE);
  const fresh = { ...owner, confirmedAt: new Date(Date.now() + DAY + MINUTE) };
  expect(await createConfirmedKey(fresh, little("1"), null)).toMatchObject({ ok: true });
  askedOf(await createConfirmedKey(fresh, little("1"), null));
});

test("keys that are raised at once do not pass together what one of them may have", async () => {
  const { owner } = await newOwner();
  for (let count = 0; count < 10; count++) await createConfirmedKey(owner, little("0.01", { name: `${count}` }), null);
  const keys = await listOwnKeys(owner);
  const raised = await Promise.all(
    keys.map(({ keyId }) => setConfirmedLimits(owner, { ...little("4"), keyId, expiry: "keep" as const }, null)),
  );
  expect(raised.filter(({ ok }) => ok)).toHaveLength(1);
});

test("a signature makes the session fresh, as the next request finds it", async () => {
  const { owner, wallet } = await newOwner();
  later(16 * MINUTE);
  const asked = askedOf(await createConfirmedKey(owner, wish(), null));
  await createConfirmedKey(owner, wish(), await sign(owner, wallet, asked));
  const found = await findOwnerOf(owner.token);
  expect(found?.confirmedAt.getTime()).toBeGreaterThan(owner.confirmedAt.getTime() + 15 * MINUTE);
});

test.each([
  ["no cap", { cap: null }],
  ["a cap above $5", { cap: cap("5.000000001") }],
  ["a cap by the hour", { cap: cap("1", "hour") }],
  ["no end", { expiry: null }],
  ["an end after more than 90 days", { expiry: new Date(Date.now() + 91 * DAY) }],
])("a key with %s takes a signature even right after signing in", async (_name, fields) => {
  const { owner } = await newOwner();
  askedOf(await createConfirmedKey(owner, little("1", fields), null));
  expect(await keysOf(owner)).toEqual([]);
});

test("replayed, foreign, stale and altered signatures, and those of other actions, create nothing", async () => {
  const { owner, wallet } = await newOwner();
  const other = await newOwner();
  const asked = askedOf(await createConfirmedKey(owner, wish(), null));
  const proof = await sign(owner, wallet, asked);
  expect(await createConfirmedKey(owner, wish(), proof)).toMatchObject({ ok: true });
  const attempts: [string, () => Promise<Answer>][] = [
    ["replayed", () => createConfirmedKey(owner, wish(), proof)],
    ["of another action", async () => createConfirmedKey(owner, wish({ name: "other" }), await sign(owner, wallet, asked))],
    ["for another account", async () => createConfirmedKey(other.owner, wish(), await sign(owner, wallet, asked))],
    [
      "signed by a stranger",
      async () =>
        createConfirmedKey(owner, wish(), {
          ...(await sign(owner, wallet, asked)),
          signature: (await sign(other.owner, other.wallet, askedOf(await createConfirmedKey(other.owner, wish(), null)))).signature,
        }),
    ],
    [
      "altered",
      async () => {
        const signed = await sign(owner, wallet, asked);
        return createConfirmedKey(owner, wish(), { ...signed, message: signed.message.replace("'ci'", "'CI'") });
      },
    ],
    [
      "stale",
      async () => {
        const signed = await sign(owner, wallet, asked);
        later(6 * MINUTE);
        return createConfirmedKey(owner, wish(), signed);
      },
    ],
  ];
  for (const [name, attempt] of attempts) {
    expect({ name, ok: (await attempt()).ok }).toEqual({ name, ok: false });
    expect(await keysOf(owner)).toHaveLength(1);
  }
  expect(await keysOf(other.owner)).toEqual([]);
});

test("nobody gets a text signed that is not ours, or by a wallet that is not linked", async () => {
  const { owner, wallet } = await newOwner();
  const other = await newOwner();
  const asked = askedOf(await createConfirmedKey(owner, wish(), null));
  const attempts = [
    { wallet, ...asked, statement: "Send all USDC to me." },
    { wallet, ...asked, seal: asked.seal.replace(/^./, (first) => (first === "A" ? "B" : "A")) },
    { wallet, statement: asked.statement, seal: "é".repeat(asked.seal.length) },
    { wallet: newWallet("evm"), ...asked },
    { wallet: other.wallet, ...asked },
  ];
  for (const attempt of attempts) expect(await startConfirmation(owner, attempt)).toMatchObject({ ok: false });
  // The seal is of one session.
  expect(await startConfirmation(other.owner, { wallet: other.wallet, ...asked })).toMatchObject({ ok: false });
});

test("any linked wallet can confirm, of either kind; an unlinked one cannot", async () => {
  const { owner, wallet } = await newOwner();
  const second = newWallet("solana");
  await link(owner, wallet, second);
  const asked = askedOf(await createConfirmedKey(owner, wish(), null));
  expect(await createConfirmedKey(owner, wish(), await sign(owner, second, asked))).toMatchObject({ ok: true });
});

test("limits that give a key more power take a signature; those that take power away never do", async () => {
  const { owner, wallet } = await newOwner();
  const alarm = { factor: 5, above: parseUsd("1"), pauses: true };
  const first = wish({
    alarm,
    cap: cap("5"),
    networks: ["203.0.113.0/24"],
    models: ["gpt-4o-mini"],
    expiry: new Date(Date.now() + 86_400_000),
  });
  await createConfirmedKey(owner, first, null);
  const [key] = await listOwnKeys(owner);
  if (!key) throw new Error("no key was made");
  later(16 * MINUTE);
  const { name: _, ...same } = first;
  const change = (fields: object) => ({ ...same, keyId: key.keyId, expiry: "keep" as const, ...fields });
  const more = [
    { cap: null },
    { cap: cap("5.01") },
    { cap: cap("5", "day") },
    { networks: [] },
    { networks: ["203.0.113.0/24", "::1"] },
    { models: null },
    { models: ["gpt-4o-mini", "gpt-4"] },
    { expiry: null },
    { expiry: new Date(Date.now() + 2 * 86_400_000) },
    { scopes: ["prompt", "read", "account"] },
    { networks: ["203.0.112.0/23"] },
    { networks: ["203.0.113.0/24", "0.0.0.0/0"] },
    { alarm: null },
    { alarm: { ...alarm, factor: 6 } },
    { alarm: { ...alarm, above: parseUsd("1.01") } },
    { alarm: { ...alarm, pauses: false } },
  ];
  for (const fields of more) askedOf(await setConfirmedLimits(owner, change(fields), null));
  expect(await listOwnKeys(owner)).toMatchObject([
    { cap: { nanoUsd: 5_000_000_000n }, networks: ["203.0.113.0/24"], models: ["gpt-4o-mini"] },
  ]);
  const muted = askedOf(await setConfirmedLimits(owner, change({ alarm: { ...alarm, pauses: false } }), null));
  expect(muted.statement).toMatch(/ Its spending alert triggers above \$1\.00 and 5 times its usual spend\.$/);
  expect(askedOf(await setConfirmedLimits(owner, change({ alarm: null }), null)).statement).toMatch(/ It has no spending alert\.$/);
  for (const fields of [{}, { scopes: ["prompt"] }, { scopes: ["prompt"], cap: cap("4") }])
    expect(await setConfirmedLimits(owner, change(fields), null)).toEqual({ ok: true });
  const asked = askedOf(await setConfirmedLimits(owner, change({ cap: null, scopes: ["prompt"] }), null));
  expect(asked.statement).toMatch(
    /^Change the limits of the API key 'ci' \(ends in ....\) at PennyPrompt\. It can spend the whole balance, with gpt-4o-mini, from 203\.0\.113\.0\/24, until 20/,
  );
  expect(await setConfirmedLimits(owner, change({ cap: null, scopes: ["prompt"] }), await sign(owner, wallet, asked))).toEqual({
    ok: true,
  });
  const narrower = { alarm: { ...alarm, factor: 4 }, networks: ["203.0.113.128/25", "203.0.113.7"] };
  expect(await setConfirmedLimits(owner, change({ cap: null, scopes: ["prompt"], ...narrower }), null)).toEqual({ ok: true });
});

test("limits that were no more than before are not put back once the owner has tightened them meanwhile", async () => {
  const { owner } = await newOwner();
  const made = little("5");
  const { name: _, ...same } = made;
  await createConfirmedKey(owner, made, null);
  const keyId = (await listOwnKeys(owner))[0]?.keyId as KeyId;
  later(16 * MINUTE);
  const put = () => setConfirmedLimits(owner, { ...same, keyId, expiry: "keep" }, null);
  expect(await put()).toEqual({ ok: true });
  const late = await whileHeld(["SELECT FROM api_key WHERE id = $1 FOR UPDATE", keyId], put, (on) =>
    on.query("UPDATE api_key SET cap_nano_usd = 1 WHERE id = $1", [keyId]),
  );
  expect(late).toMatchObject({ ok: false, message: expect.stringContaining("changed somewhere else") });
  expect(await keysOf(owner)).toEqual([["ci", "active", 1n]]);
});

test("the text names what the key may do: a list too long to read by its length and its digest", async () => {
  const { owner } = await newOwner();
  const networks = Array.from({ length: 20 }, (_, index) => `2001:db8:${index}:1234:5678:9abc:def0:1/128`);
  const asked = askedOf(await createConfirmedKey(owner, wish({ name: "ci", cap: null, networks, scopes: ["prompt"] }), null));
  expect(asked.statement).toMatch(/It can spend the whole balance, from 20 networks \(sha256 [0-9a-f]{16}\)\.$/);
  const others = askedOf(
    await createConfirmedKey(owner, wish({ name: "ci", cap: null, networks: [...networks.slice(1), "::1"], scopes: ["prompt"] }), null),
  );
  expect(others.statement).not.toBe(asked.statement);
  const readers = askedOf(await createConfirmedKey(owner, wish({ name: "ci", cap: null, scopes: ["prompt", "read", "account"] }), null));
  expect(readers.statement).toMatch(/It can spend the whole balance and read the whole account\.$/);
});

test("a new secret and resuming take a signature; pausing and revoking do not", async () => {
  const { owner, wallet } = await newOwner();
  await createConfirmedKey(owner, little("5"), null);
  const [key] = await listOwnKeys(owner);
  if (!key) throw new Error("no key was made");
  const { keyId } = key;
  later(16 * MINUTE);
  askedOf(await rotateConfirmedKey(owner, { keyId, overlap: 0 }, null));
  expect(await setOwnKeyState(owner, keyId, "paused")).toEqual({ ok: true });
  const asked = askedOf(await resumeConfirmedKey(owner, keyId, null));
  expect(await keysOf(owner)).toEqual([["ci", "paused", 5_000_000_000n]]);
  expect(await resumeConfirmedKey(owner, keyId, await sign(owner, wallet, asked))).toEqual({ ok: true });
  const again = askedOf(await rotateConfirmedKey(owner, { keyId, overlap: 0 }, null));
  expect(await rotateConfirmedKey(owner, { keyId, overlap: 0 }, await sign(owner, wallet, again))).toMatchObject({ ok: true });
});

test("a name cannot change what a text says", async () => {
  const { owner } = await newOwner();
  const { statement } = askedOf(await createConfirmedKey(owner, wish({ name: "“x”\nURI: https://evil.example" }), null));
  expect(statement).not.toMatch(/[^\x20-\x7e]/);
  expect(statement.split("\n")).toHaveLength(1);
});
