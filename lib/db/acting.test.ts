// What a transaction says of who acts: with every way to write, only within its own work.

import { afterEach, expect, test } from "vitest";
import { type Actor, runActing, setActor } from "./acting";
import { pool } from "./pool";
import { actAs, inTransaction, prisma } from "./prisma";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase();

const actor = (job: string): Actor => ({ kind: "job", job });
const acting = (job: string) => ({ actor: actor(job), origin: null });

/** What the database hears, in the transaction that asks. */
async function heard(): Promise<string | null> {
  const [row] = await prisma().$queryRaw<{ said: string }[]>`SELECT current_setting('pennyprompt.acting', true) AS said`;
  return row?.said ? JSON.parse(row.said).actor?.job : null;
}

afterEach(async () => {
  expect(await heard()).toBeNull();
  expect(pool().totalCount - pool().idleCount).toBe(0);
});

test("a single statement, Prisma's own write and a transaction say who acts; nobody does outside", async () => {
  await pool().query(
    "CREATE TABLE IF NOT EXISTS said (who text); CREATE OR REPLACE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS " +
      "$$ BEGIN INSERT INTO said VALUES (current_setting('pennyprompt.acting', true)); RETURN NULL; END $$;" +
      "CREATE OR REPLACE TRIGGER say AFTER INSERT OR UPDATE OR DELETE ON setting FOR EACH ROW EXECUTE FUNCTION say()",
  );
  await runActing(acting("one"), async () => {
    expect(await heard()).toBe("one");
    await prisma().setting.create({ data: { name: "a", value: "1" } });
    expect(await prisma().setting.updateMany({ where: { name: "a" }, data: { value: "2" } })).toEqual({ count: 1 });
    expect(await prisma().setting.findUnique({ where: { name: "a" } })).toEqual({ name: "a", value: "2" });
    await prisma().$executeRaw`UPDATE setting SET value = '3' WHERE name = 'a'`;
    await inTransaction((transaction) => transaction.setting.deleteMany({ where: { name: "a" } }));
  });
  await prisma().setting.create({ data: { name: "a", value: "1" } });
  await inTransaction(async (transaction) => {
    await actAs(actor("two"), transaction);
    await transaction.setting.delete({ where: { name: "a" } });
  });
  const { rows } = await pool().query<{ who: string | null }>("SELECT who FROM said");
  expect(rows.map(({ who }) => (who ? JSON.parse(who).actor.job : null))).toEqual(["one", "one", "one", "one", null, "two"]);
});

test("two that act at once are not taken for each other, and who is looked up acts from then on", async () => {
  const all = Array.from({ length: 20 }, (_, index) =>
    runActing({ actor: null, origin: null }, async () => {
      await Promise.resolve();
      setActor(actor(`job ${index}`));
      return heard();
    }),
  );
  expect(await Promise.all(all)).toEqual(all.map((_, index) => `job ${index}`));
  setActor(actor("nobody")); // outside of any work
});

test("a statement that fails is rolled back, and its connection is free again", async () => {
  await runActing(acting("one"), async () => {
    await expect(prisma().$executeRaw`INSERT INTO setting (name, value) VALUES ('b', '1'), ('b', '1')`).rejects.toThrow();
    await expect(prisma().$queryRaw`SELECT 1 / 0`).rejects.toThrow();
    await expect(
      inTransaction(async (transaction) => {
        await transaction.setting.create({ data: { name: "b", value: "1" } });
        throw new Error("undone");
      }),
    ).rejects.toThrow("undone");
    expect(await prisma().setting.findUnique({ where: { name: "b" } })).toBeNull();
  });
});
