import { expect, test } from "vitest";
import { listen } from "./listen";
import { closePool, pool } from "./pool";
import { inTransaction, lockName, notify, prisma } from "./prisma";
import { openTestDatabase } from "./testing/test-database";

const { url } = await openTestDatabase();

test("Prisma reads and writes through the process's pool, and through the next one once that is closed", async () => {
  await prisma().setting.create({ data: { name: "colour", value: "green" } });
  expect((await pool().query("SELECT value FROM setting WHERE name = 'colour'")).rows).toEqual([{ value: "green" }]);
  expect(prisma()).toBe(prisma());
  await closePool();
  expect(await prisma().setting.findUnique({ where: { name: "colour" } })).toEqual({ name: "colour", value: "green" });
});

test("an error inside a transaction rolls all of it back", async () => {
  const failed = inTransaction(async (transaction) => {
    await transaction.setting.create({ data: { name: "half", value: "done" } });
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await prisma().setting.count({ where: { name: "half" } })).toBe(0);
});

test("a failed query whose error the work swallowed makes the transaction throw", async () => {
  const swallowed = inTransaction(async (transaction) => {
    await transaction.setting.create({ data: { name: "lost", value: "1" } });
    await transaction.$queryRaw`SELECT 1 / 0`.catch(() => undefined);
  });
  await expect(swallowed).rejects.toThrow("current transaction is aborted");
  expect(await prisma().setting.count({ where: { name: "lost" } })).toBe(0);
});

test("each query of a transaction sees earlier commits; at a higher isolation level all queries see the same", async () => {
  const countTwice = (options?: Parameters<typeof inTransaction>[1]) =>
    inTransaction(async (transaction) => {
      const before = await transaction.setting.count();
      await pool().query("INSERT INTO setting (name, value) VALUES (gen_random_uuid()::text, '')");
      return (await transaction.setting.count()) - before;
    }, options);
  expect(await countTwice()).toBe(1);
  expect(await countTwice({ isolationLevel: "RepeatableRead" })).toBe(0);
});

test("times are written and read exactly, whatever time zone a database is set to", async () => {
  await pool().query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET TimeZone = 'Asia/Kolkata'`);
  await closePool();
  const beat = new Date("2026-11-01T00:00:00.007Z");
  await prisma().process.create({ data: { id: "prc_zone", roles: "web", startedAt: beat, beat: 1n } });
  const [row] = await prisma().$queryRaw<{ at: Date; asked: Date; isSame: boolean }[]>`
    SELECT started_at AS at, ${beat}::timestamptz AS asked, started_at = '2026-11-01T00:00:00.007Z' AS "isSame" FROM process WHERE id = 'prc_zone'`;
  expect(row).toEqual({ at: beat, asked: beat, isSame: true });
});

test("an error contains neither source code nor argument values", async () => {
  const secret = "pp_secret";
  await prisma().setting.create({ data: { name: secret, value: "" } });
  const again = prisma().setting.create({ data: { name: secret, value: "" } });
  const error: unknown = await again.catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "P2002" });
  expect(`${error}`).not.toContain(secret);
  expect(`${error}`).not.toContain("prisma.test.ts");
});

test("a notice arrives when its transaction commits, and not when it is rolled back", async () => {
  const heard: string[] = [];
  const { stop } = await listen("colours", { onMessage: (colour) => heard.push(colour), onDown: () => {}, onUp: () => {} });
  const failed = inTransaction(async (transaction) => {
    await notify("colours", "red", transaction);
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  await inTransaction((transaction) => notify("colours", "green", transaction));
  await notify("colours", "blue");
  await expect.poll(() => heard).toEqual(["green", "blue"]);
  await stop();
});

test("a name is locked until the transaction that locked it ends", async () => {
  const order: string[] = [];
  await inTransaction(async (transaction) => {
    await lockName("wallet of acc_1", transaction);
    void inTransaction(async (other) => {
      await lockName("wallet of acc_2", other);
      order.push("another name");
      await lockName("wallet of acc_1", other);
      order.push("the same name");
    });
    await expect.poll(() => order).toEqual(["another name"]);
    order.push("the first ends");
  });
  await expect.poll(() => order).toEqual(["another name", "the first ends", "the same name"]);
});
