// The activity page: the owner's own entries in sentences, with what changed, page by page.

import { beforeAll, beforeEach, expect, test } from "vitest";
import { rotateKey } from "@/lib/access/key-access";
import { createKey, setKeyState } from "@/lib/access/keys";
import { auditKinds, isAuditKind } from "@/lib/audit/kinds";
import { parseUsd } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { runActing } from "@/lib/db/acting";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { createEndpoint } from "@/lib/events/endpoints";
import { setLowLine } from "@/lib/ledger/accounts";
import { deleteOwnEndpoint, setOwnEndpointTypes } from "../alerts/own-endpoints";
import { setOwnKeyLimits } from "../keys/keys";
import { findOwnerOf, type Owner } from "../owner";
import { openTestCustody } from "../testing/custody";
import { newOwner } from "../testing/owners";
import { activityChoices, readActivity, readActivityQuery } from "./activity";
import { activityChanges } from "./changes";
import { activitySentence } from "./sentences";

await openTestDatabase();
beforeAll(async () => {
  setSandboxPepper("a pepper for tests, of more than 32 characters");
  await openTestCustody();
});
beforeEach(() => forgetSingleton("limits.limiter"));

const read = (owner: Owner, params: Record<string, string> = {}) => readActivity(owner, readActivityQuery(params));
const access = { scopes: ["prompt", "read"] as const, networks: [] };

test("what was done, by whom, from where, and what it changed", async () => {
  const { owner, wallet } = await newOwner();
  const short = `${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}`;
  const origin = { address: "192.0.2.7", device: "Chrome on macOS" };
  const { keyId } = await createKey({ accountId: owner.accountId, name: "agent", alarm: null });
  await runActing({ actor: null, origin }, async () => {
    await findOwnerOf(owner.token);
    const cap = { nanoUsd: parseUsd("12.5"), period: "month" as const };
    await setOwnKeyLimits(owner, { keyId, expiry: "keep", cap, clip: null, alarm: null, models: ["gpt-4o"], ...access });
    await setLowLine(owner.accountId, parseUsd("3"));
  });
  await pool().query("UPDATE account SET state = 'frozen' WHERE id = $1", [owner.accountId]);
  const { entries, older } = await read(owner);
  expect(older).toBeNull();
  expect(entries.map(({ sentence }) => sentence)).toEqual([
    "The account was frozen and cannot spend.",
    "The threshold of the low balance alert changed.",
    expect.stringMatching(/^Key “agent” \(….{4}\) was changed\.$/),
    expect.stringMatching(/^Key “agent” \(….{4}\) was created\.$/),
    `${wallet.address} signed in.`,
    `${wallet.address} opened the account.`,
  ]);
  expect(entries[1]).toMatchObject({
    by: `This session of ${short}`,
    from: "Chrome on macOS, 192.0.2.7",
    changes: [{ name: "Threshold", before: "off", after: "$3.00" }],
  });
  expect(entries[2]?.changes).toEqual([
    { name: "Spending limit", before: "none", after: "$12.50" },
    { name: "Limit resets", before: null, after: "every month" },
    { name: "Models", before: "all", after: "gpt-4o" },
  ]);
  expect(entries[0]).toMatchObject({ by: "The service", from: null, changes: [] });
});

test("what is new, and what has ended, is listed without a value before or after it", async () => {
  const { owner } = await newOwner();
  const expiresAt = new Date("2027-02-24T23:59:59Z");
  const { keyId } = await createKey({ accountId: owner.accountId, name: "agent", expiresAt, alarm: null });
  const made = await createEndpoint({ accountId: owner.accountId, kind: "webhook", target: "https://93.184.215.14/hook", types: null });
  if (!made.ok) throw new Error(made.problem);
  await setOwnEndpointTypes(owner, { endpointId: made.endpointId, types: ["key.spike"] });
  expect((await read(owner, { group: "endpoint" })).entries[0]).toMatchObject({
    sentence: "The webhook at 93.184.215.14 was changed.",
    changes: [{ name: "Events", before: "all", after: "key.spike" }],
  });
  await deleteOwnEndpoint(owner, made.endpointId);
  await rotateKey(owner.accountId, keyId, 60_000);
  const { entries } = await read(owner);
  expect(entries.slice(0, 5).map(({ kind, changes }) => ({ kind, changes }))).toEqual([
    { kind: "key.secret_rotated", changes: [{ name: "Old secret works until", before: null, after: expect.stringMatching(/^\d.* UTC$/) }] },
    { kind: "endpoint.deleted", changes: [{ name: "Events", before: "key.spike", after: null }] },
    { kind: "endpoint.changed", changes: [{ name: "Events", before: "all", after: "key.spike" }] },
    { kind: "endpoint.created", changes: [{ name: "Events", before: null, after: "all" }] },
    {
      kind: "key.created",
      changes: [
        { name: "Expires", before: null, after: "24 Feb 2027" },
        { name: "Spending limit", before: null, after: "none" },
        { name: "Models", before: null, after: "all" },
        { name: "Permissions", before: null, after: "send prompts, read its usage" },
        { name: "Allowed IP addresses", before: null, after: "all" },
      ],
    },
  ]);
});

test("what was erased is said to be, and a text that was signed is told by its statement", () => {
  const changed = { kind: "key.changed", before: { networks: null, name: null }, after: { networks: null, name: null } } as const;
  expect(activityChanges(changed)).toEqual([
    { name: "Name", before: null, after: "erased" },
    { name: "Allowed IP addresses", before: null, after: "erased" },
  ]);
  expect(activitySentence({ ...changed, subject: "key_1" })).toBe("Key key_1 was changed.");
  const text = "example.com wants you to sign in with your Ethereum account:\n0xAb\n\nPause every key.\n\nURI: https://example.com";
  const signed = { kind: "session.confirmed", before: null, subject: "ses_1" } as const;
  expect(activitySentence({ ...signed, after: { text } })).toBe("A wallet signed: Pause every key.");
  expect(activitySentence({ ...signed, after: { text: null } })).toBe("A wallet signed an action.");
});

test("page by page, narrowed to one kind, and never another account's", async () => {
  const [{ owner }, { owner: other }] = [await newOwner(), await newOwner()];
  const { keyId } = await createKey({ accountId: owner.accountId, name: "agent" });
  for (let turn = 0; turn < 15; turn++) for (const state of ["paused", "active"] as const) await setKeyState(owner.accountId, keyId, state);
  const first = await read(owner);
  expect(first.entries).toHaveLength(25);
  const rest = await read(owner, { before: first.older ?? "" });
  expect(rest).toMatchObject({ entries: { length: 8 }, older: null });
  expect((await read(owner, { group: "session" })).entries.map(({ kind }) => kind)).toEqual(["session.opened"]);
  expect((await read(owner, { group: "alarm" })).entries).toEqual([]);
  // Another account's place, and what is no place or kind at all, count as the beginning.
  expect((await read(other, { before: first.older ?? "" })).entries.map(({ kind }) => kind)).toEqual(["session.opened", "wallet.linked"]);
  expect((await read(owner, { before: "x", group: "money" })).entries).toHaveLength(25);
  expect(activityChoices.map(({ value }) => value)).toContain("key");
});

test("every kind has a sentence, whatever its entry lacks", () => {
  for (const kind of Object.keys(auditKinds)) {
    if (!isAuditKind(kind)) throw new Error(kind);
    const sentence = activitySentence({ kind, before: null, after: null, subject: "a_subject" });
    expect(sentence).toMatch(/^[A-Z“].*\.$/);
    expect(sentence).not.toMatch(/undefined|null/);
  }
});
