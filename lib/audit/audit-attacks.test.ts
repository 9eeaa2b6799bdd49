// What must not succeed: to change what the log says, even for whoever may write into the database and switches its guards off.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { AccountId } from "@/lib/base/ids";
import { runActing } from "@/lib/db/acting";
import { pool } from "@/lib/db/pool";
import { inTransaction } from "@/lib/db/prisma";
import { openTestDatabase } from "@/lib/db/testing/test-database";
import { chainEntries, checkChain, findDifference, readHead, verifyChain } from "./chain";
import { listEntries } from "./entries";
import { recordAudit } from "./record";

await openTestDatabase();

const origin = { address: "192.0.2.7", device: "Firefox on Linux" };

beforeAll(async () => {
  for (let number = 1; number <= 9; number++) {
    const entry = {
      accountId: "acc_one",
      kind: "key.paused",
      subject: `key_${number}`,
      before: { state: "active" },
      after: { state: "paused" },
    } as const;
    await runActing({ actor: null, origin }, () => recordAudit(entry));
  }
  await chainEntries();
});
afterAll(async () => expect((await verifyChain()).fault).toBeNull());

test.each([
  ["altered", "UPDATE audit_entry SET after = '{}' WHERE sequence = 5"],
  ["given another actor", `UPDATE audit_entry SET actor = '{"kind": "database"}' WHERE sequence = 5`],
  ["given to another account", "UPDATE audit_entry SET account_id = 'acc_two' WHERE sequence = 5"],
  ["moved in time", "UPDATE audit_entry SET at = now() WHERE sequence = 5"],
  ["moved in the chain", "UPDATE audit_entry SET sequence = 50 WHERE sequence = 5"],
  ["taken out of the chain", "UPDATE audit_entry SET sequence = NULL, digest = NULL WHERE sequence = 5"],
  ["given other personal fields", `UPDATE audit_entry SET personal = '{"address": "203.0.113.1"}' WHERE sequence = 5`],
  ["given another salt", "UPDATE audit_entry SET salt = '\\x00' WHERE sequence = 5"],
  ["freed of its commitment", "UPDATE audit_entry SET personal = NULL, salt = NULL, commitment = NULL WHERE sequence = 5"],
  ["deleted", "DELETE FROM audit_entry WHERE sequence = 5"],
  ["deleted with all others", "TRUNCATE audit_entry"],
])("an entry is not %s", async (_, sql) => {
  await expect(pool().query(sql)).rejects.toThrow("the audit log is only added to");
});

/** Does what only the owner of the database can, looks at the chain, and undoes it. */
async function afterTampering(sql: string, look: () => Promise<unknown>): Promise<void> {
  const client = await pool().connect();
  try {
    await client.query("ALTER TABLE audit_entry DISABLE TRIGGER USER");
    await client.query("CREATE TABLE kept AS SELECT * FROM audit_entry");
    await client.query(sql);
    await look();
  } finally {
    await client.query("DELETE FROM audit_entry");
    await client.query("INSERT INTO audit_entry SELECT * FROM kept");
    await client.query("DROP TABLE kept");
    await client.query("ALTER TABLE audit_entry ENABLE TRIGGER USER");
    client.release();
  }
}

test.each([
  ["altered", 'UPDATE audit_entry SET after = \'{"state": "active"}\' WHERE sequence = 5', /entry 5 .* not the one that was chained/, 4n],
  ["given another actor", `UPDATE audit_entry SET actor = '{"kind": "service", "x": 1}' WHERE sequence = 5`, /entry 5 /, 4n],
  ["moved in time", "UPDATE audit_entry SET at = at + interval '1 microsecond' WHERE sequence = 5", /entry 5 /, 4n],
  ["removed", "DELETE FROM audit_entry WHERE sequence = 5", /entry 5 is missing/, 4n],
  [
    "removed, with the gap closed",
    "DELETE FROM audit_entry WHERE sequence = 5; UPDATE audit_entry SET sequence = -sequence + 1 WHERE sequence > 5; UPDATE audit_entry SET sequence = -sequence WHERE sequence < 0",
    /entry 5 /,
    4n,
  ],
  [
    "inserted",
    `UPDATE audit_entry SET sequence = sequence + 100 WHERE sequence > 5; UPDATE audit_entry SET sequence = sequence - 99 WHERE sequence > 100;
     INSERT INTO audit_entry (id, account_id, kind, at, actor, sequence, digest) SELECT 'aud_new', account_id, kind, at, actor, 6, digest FROM audit_entry WHERE sequence = 5`,
    /entry 6 /,
    5n,
  ],
  [
    "reordered",
    "UPDATE audit_entry SET sequence = 100 WHERE sequence = 5; UPDATE audit_entry SET sequence = 5 WHERE sequence = 6; UPDATE audit_entry SET sequence = 6 WHERE sequence = 100",
    /entry 5 /,
    4n,
  ],
  [
    "given other personal fields",
    `UPDATE audit_entry SET personal = '{"address": "203.0.113.1", "device": "curl"}' WHERE sequence = 5`,
    /personal fields of entry 5 .* were altered/,
    4n,
  ],
  [
    "given other personal fields, without a salt",
    `UPDATE audit_entry SET personal = '{"after": {"state": "revoked"}}', salt = NULL WHERE sequence = 5`,
    /personal fields of entry 5 .* were altered/,
    4n,
  ],
])("an entry that was %s is found, at its place", async (_, sql, fault, holds) => {
  // What the table refuses, such as a negative sequence: whoever may write lifts that too.
  const lifted = "ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_sequence_check, DROP CONSTRAINT audit_entry_personal_check";
  try {
    await afterTampering(`${lifted}; DROP INDEX audit_entry_sequence_key; ${sql}`, async () => {
      const found = await verifyChain();
      expect(found.fault).toMatch(fault);
      expect(found.head.sequence).toBe(holds);
      expect(await checkChain()).toMatch(fault);
    });
  } finally {
    await pool().query(
      `CREATE UNIQUE INDEX audit_entry_sequence_key ON audit_entry (sequence);
       ALTER TABLE audit_entry ADD CONSTRAINT audit_entry_sequence_check CHECK (sequence > 0),
         ADD CONSTRAINT audit_entry_personal_check CHECK ((personal IS NULL) = (salt IS NULL) AND (personal IS NULL OR commitment IS NOT NULL))`,
    );
  }
});

test("personal fields replace nothing that the chain covers", async () => {
  await afterTampering(`UPDATE audit_entry SET personal = personal || '{"after": {"state": "revoked", "cap": 1}}'`, async () => {
    const entries = await listEntries("acc_one" as AccountId, { limit: 100 });
    expect(entries?.map(({ after }) => after)).toEqual(Array(9).fill({ state: "paused" }));
  });
});

test("a chain that is rewritten to its end holds by itself, and differs from the head that was kept outside", async () => {
  const kept = await readHead();
  expect(await checkChain()).toBeNull(); // the process remembers the head
  await afterTampering(
    "UPDATE audit_entry SET after = '{}' WHERE sequence = 5; UPDATE audit_entry SET sequence = NULL, digest = NULL WHERE sequence >= 5",
    async () => {
      await chainEntries();
      expect((await verifyChain()).fault).toBeNull();
      expect(await findDifference(kept)).toBe("the chain up to entry 9 was written anew");
      expect(await checkChain()).toBe("the chain up to entry 9 was written anew");
    },
  );
});

test("the newest entries that are cut off are missed by whoever kept the head", async () => {
  const kept = await readHead();
  await afterTampering("DELETE FROM audit_entry WHERE sequence > 7", async () => {
    expect((await verifyChain()).fault).toBeNull();
    expect(await findDifference(kept)).toBe("entry 9, which was the last one, is missing");
  });
});

test("nobody acts in another one's name: what a transaction says of itself ends with it", async () => {
  const actor = { kind: "command", command: "x", user: "ops", host: "box" } as const;
  await runActing({ actor, origin: null }, () => inTransaction(async (transaction) => transaction.$executeRaw`SELECT 1`));
  const places = Array.from({ length: 12 }, async () =>
    inTransaction((transaction) => recordAudit({ accountId: "acc_late", kind: "key.paused", subject: null }, transaction)),
  );
  await Promise.all(places);
  const { rows } = await pool().query("SELECT DISTINCT actor FROM audit_entry WHERE account_id = 'acc_late'");
  expect(rows).toEqual([{ actor: { kind: "service" } }]);
  await chainEntries();
});
