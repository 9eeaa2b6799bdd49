// The migrated database equals schema.prisma, in both directions.

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { databaseFacts } from "./testing/database-facts";
import { schemaFacts } from "./testing/schema-facts";
import { createTestDatabase } from "./testing/test-database";

/** Facts that are in the database on purpose and that Prisma's language cannot express, each with its reason. */
const onlyInTheDatabase: readonly (readonly [RegExp, string])[] = [
  [
    /^function (db|audit|events|access|ledger|relay|wallets|payments|gateway|console)_\w+$/,
    "a request's hot path decides inside the database; the owner's name comes first",
  ],
  [/^reserve_(report|holding): check \w+$/, "a report with half of its figures would be read as a complete one"],
  [/^(custody|address_pool|custodial_wallet): check \w+$/, "there is one seed, and derivation indexes are never negative"],
  [
    /^(deposit|chain_scan|chain_scan_end|foreign_token|watch_lease|solana_cursor|solana_foreign_token): check \w+$/,
    "values that no chain can show and no deposit can have are not stored",
  ],
  [/^view ledger_entry$/, "charges and transfers as one list of entries, for reading the books and for their proof"],
  [/^composite type ledger_(hold_request|settlement|cap)$/, "what a hold and its end need goes through the functions as one value"],
  [/^aggregate ledger_total$/, "sum() of bigints returns numeric, which costs as much as reading the row"],
  [
    /^(account|api_key|arrival|audit_entry|charge|debt|entry|expired_hold|identity|event|event_count|endpoint|delivery|key_spend|ledger_account|payment_claim|price_version|relay_sender|relayed|session|sign_in_nonce|spend_sum|spend_sum_mark|sweep|withdrawal|withdrawal_rules): check \w+$/,
    "no bug of ours may store an impossible value",
  ],
  [/^(charge|entry|price_version|relay_broadcast|transfer): trigger \w+_immutable$/, "booked and signed rows are never changed"],
  [/^audit_entry: trigger audit_entry_(immutable|kept)$/, "the audit log is only added to"],
  [/^\w+: trigger \w+_audited$/, "what changed power or money is recorded with the change, whoever writes it"],
  [/^account: trigger absorbed_account_stays_frozen$/, "an operator who unfreezes by hand gets an error that says why not"],
  [/^(account|api_key): trigger \w+_changed$/, "every process is notified when a key or its account changes"],
  [
    /^(account|api_key|endpoint|identity|deposit|withdrawal|withdrawal_rules|payment_claim): trigger (account|api_key|endpoint|wallet|deposit|withdrawal|withdrawal_rules|payment)_(made|stopped|linked|leaving|unlinked|seen|moved|ended|closed)$/,
    "what an owner hears of is recorded with the change, whoever writes it",
  ],
  [
    /^(ledger_account|key_spend): (trigger|constraint) (low_line|cap)_is_judged$/,
    "a line is judged at the commit, whoever moved the money",
  ],
  [
    /^(payment_claim|idempotent_reply|event|endpoint|delivery|audit_entry|session): index .* where /,
    "open, paid, marked, void, new, served, pending or personal rows have their own index, and Prisma cannot express a partial index",
  ],
  [/^charge: index using brin \(seq\)$/, "it has autosummarize on, a setting that Prisma cannot express"],
];

const isExcused = (fact: string) => onlyInTheDatabase.some(([pattern]) => pattern.test(fact));

const missing = (from: Set<string>, of: Iterable<string>) => [...of].filter((fact) => !from.has(fact)).sort();

/** The facts of a database: the migrated one, or one created by `sql`. */
async function factsOf(sql?: string): Promise<Set<string>> {
  const database = await createTestDatabase({ empty: sql !== undefined });
  try {
    if (sql !== undefined) await database.pool.query(sql);
    return await databaseFacts(database.pool);
  } finally {
    await database.drop();
  }
}

describe("the migrated database", () => {
  const said = schemaFacts(readFileSync("prisma/schema.prisma", "utf8"));
  let found = new Set<string>();
  beforeAll(async () => {
    found = await factsOf();
  });

  test("has everything that schema.prisma declares", () => {
    expect(missing(found, said)).toEqual([]);
  });

  test("has nothing else, except what is excused here with a reason", () => {
    expect(missing(said, found).filter((fact) => !isExcused(fact))).toEqual([]);
  });

  test("has a fact for every excuse, and none of these facts is in schema.prisma", () => {
    const unused = onlyInTheDatabase.filter(([pattern]) => ![...found].some((fact) => pattern.test(fact)));
    expect(unused).toEqual([]);
    expect([...said].filter(isExcused)).toEqual([]);
  });
});

describe("the comparison itself", () => {
  const tables = `
    CREATE TYPE colour AS ENUM ('red', 'light-green');
    CREATE TABLE owner (id text PRIMARY KEY, created_at timestamptz(3) NOT NULL DEFAULT now(), note text);
    CREATE TABLE thing (
      owner_id text NOT NULL REFERENCES owner (id) ON DELETE RESTRICT ON UPDATE CASCADE,
      number   integer NOT NULL,
      amount   bigint NOT NULL DEFAULT 0 CHECK (amount >= 0),
      colour   colour NOT NULL,
      share    numeric(20,4),
      tags     text[] NOT NULL,
      hash     bytea NOT NULL UNIQUE,
      seen     timestamptz,
      kept_by  text REFERENCES owner (id) ON DELETE SET NULL ON UPDATE NO ACTION,
      serial   bigint GENERATED ALWAYS AS IDENTITY,
      PRIMARY KEY (owner_id, number)
    );
    CREATE INDEX ON thing (seen DESC, amount);
    CREATE INDEX ON thing USING brin (serial);
    CREATE INDEX ON thing (amount) WHERE seen IS NULL;
    CREATE FUNCTION nothing() RETURNS int LANGUAGE sql AS 'SELECT 1';
  `;
  let found = new Set<string>();
  beforeAll(async () => {
    found = await factsOf(tables);
  });
  const schema = `
datasource db {
  provider = "postgresql"
}

enum Colour {
  red
  lightGreen @map("light-green") // a comment

  @@map("colour")
}

/// Somebody who owns things.
model Owner {
  id        String   @id
  createdAt DateTime @default(now()) @map("created_at") @db.Timestamptz(3)
  note      String?
  things    Thing[]  @relation("owns")
  kept      Thing[]  @relation("keeps")

  @@map("owner")
}

model Thing {
  ownerId String    @map("owner_id")
  owner   Owner     @relation("owns", fields: [ownerId], references: [id])
  number  Int
  amount  BigInt    @default(0)
  colour  Colour
  share   Decimal?  @db.Decimal(20, 4)
  tags    String[]
  hash    Bytes     @unique
  seen    DateTime? @db.Timestamptz(6)
  keptBy  String?   @map("kept_by")
  keeper  Owner?    @relation("keeps", fields: [keptBy], references: [id], onUpdate: NoAction)
  serial  BigInt    @default(autoincrement())

  @@id([ownerId, number])
  @@index([seen(sort: Desc), amount], map: "some_name")
  @@index([serial], type: Brin)
  @@map("thing")
}
`;
  const different = (text: string) => ({ onlySaid: missing(found, schemaFacts(text)), onlyFound: missing(schemaFacts(text), found) });
  const unsayable = ["function nothing", "thing: check thing_amount_check", "thing: index (amount) where seen IS NULL"];

  test("finds a database equal to its schema, except for what Prisma cannot express", () => {
    expect(different(schema)).toEqual({ onlySaid: [], onlyFound: unsayable });
  });

  test.each([
    ["a column that is missing", "  number  Int\n", "  number  Int\n  extra   Int\n", ["thing.extra integer not null"], []],
    ["a column that nobody declared", "  note      String?\n", "", [], ["owner.note text null"]],
    [
      "another type",
      "amount  BigInt ",
      "amount  Int ",
      ["thing.amount integer not null default"],
      ["thing.amount bigint not null default"],
    ],
    [
      "another precision",
      "@db.Timestamptz(3)",
      "@db.Timestamptz(6)",
      ["owner.created_at timestamp with time zone not null default"],
      ["owner.created_at timestamp(3) with time zone not null default"],
    ],
    ["another nullability", "String?\n  things", "String\n  things", ["owner.note text not null"], ["owner.note text null"]],
    [
      "a default that is missing",
      "note      String?",
      'note      String? @default("x")',
      ["owner.note text null default"],
      ["owner.note text null"],
    ],
    ["an index that is missing", '  @@map("owner")', '  @@index([note])\n  @@map("owner")', ["owner: index (note)"], []],
    [
      "an index that nobody declared",
      '  @@index([seen(sort: Desc), amount], map: "some_name")\n',
      "",
      [],
      ["thing: index (seen desc, amount)"],
    ],
    [
      "another order of an index",
      "seen(sort: Desc), amount",
      "seen, amount",
      ["thing: index (seen, amount)"],
      ["thing: index (seen desc, amount)"],
    ],
    ["uniqueness that nobody declared", " @unique", "", [], ["thing: unique (hash)"]],
    [
      "another primary key",
      "@@id([ownerId, number])",
      "@@id([number])",
      ["thing: primary key (number)"],
      ["thing: primary key (owner_id, number)"],
    ],
    [
      "another action of a foreign key",
      "references: [id])\n  number",
      "references: [id], onDelete: Cascade)\n  number",
      ["thing: foreign key (owner_id) references owner (id) on delete cascade on update cascade"],
      ["thing: foreign key (owner_id) references owner (id) on delete restrict on update cascade"],
    ],
    ["another value of an enum", "  red\n", "", ["enum colour: light-green"], ["enum colour: red, light-green"]],
    [
      "a table that is missing",
      "/// Somebody",
      "model Extra {\n  id Int @id\n}\n/// Somebody",
      ["Extra.id integer not null", "Extra: primary key (id)", "table Extra"],
      [],
    ],
  ])("notices %s", (_, from, to, onlySaid, onlyFound) => {
    expect(schema).toContain(from);
    expect(different(schema.replace(from, to))).toEqual({ onlySaid, onlyFound: [...onlyFound, ...unsayable].sort() });
  });

  test("refuses syntax that it does not understand instead of ignoring it", () => {
    expect(() => schemaFacts(schema.replace("@@index([serial], type: Brin)", "@@fulltext([serial])"))).toThrow(
      "@@fulltext is not understood",
    );
    expect(() => schemaFacts(schema.replace("note      String?", "note      Text?"))).toThrow("the type Text is not understood");
  });
});
