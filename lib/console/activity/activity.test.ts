// The activity page: the owner's own entries in sentences, with what changed, page by page.

import { beforeAll, beforeEach, expect, test } from "vitest";
import { createKey, setKeyState } from "@/lib/access/keys";
import { auditKinds, isAuditKind } from "@/lib/audit/kinds";
import { parseUsd } from "@/lib/base/money";
import { setSandboxPepper } from "@/lib/base/pepper";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { runActing } from "@/lib/db/acting";
import { pool } from "@/lib/db/pool";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { setLowLine } from "@/lib/ledger/accounts";
import { setOwnKeyLimits } from "../keys/keys";
import { findOwnerOf, type Owner } from "../owner";
import { openTestCustody } from "../testing/custody";
import { newOwner } from "../testing/owners";
import { activityChoices, readActivity, readActivityQuery } from "./activity";
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
    "The account was frozen. It cannot spend.",
    "The threshold of the low balance alert changed.",
    `Key ${keyId} was changed.`,
    expect.stringMatching(/^Key “agent” \(….{4}\) was created\.$/),
    `${wallet.address} signed in.`,
    `${wallet.address} opened the account.`,
  ]);
  expect(entries[1]).toMatchObject({
    by: `This session of ${short}`,
    from: "Chrome on macOS, 192.0.2.7",
    changes: [{ name: "Threshold", before: "none", after: "$3.00" }],
  });
  expect(entries[2]?.changes).toEqual([
    { name: "Cap", before: "none", after: "$12.50" },
    { name: "Cap counts by", before: "none", after: "month" },
    { name: "Models", before: "all", after: "gpt-4o" },
  ]);
  expect(entries[0]).toMatchObject({ by: "The service", from: null, changes: [] });
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
