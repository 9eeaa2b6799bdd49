import { expect, test } from "vitest";
import { pool } from "./pool";
import { closePrisma, prisma } from "./prisma";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase();

test("Prisma reads and writes through the process's pool, and leaves it open when it ends", async () => {
  await prisma().setting.create({ data: { name: "colour", value: "green" } });
  expect((await pool().query("SELECT value FROM setting WHERE name = 'colour'")).rows).toEqual([{ value: "green" }]);
  await closePrisma();
  expect(await prisma().setting.findUnique({ where: { name: "colour" } })).toEqual({ name: "colour", value: "green" });
  await closePrisma();
  expect((await pool().query("SELECT 1")).rowCount).toBe(1);
});

test("an error inside a Prisma transaction takes all of it back", async () => {
  const failed = prisma().$transaction(async (transaction) => {
    await transaction.setting.create({ data: { name: "half", value: "done" } });
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await prisma().setting.count({ where: { name: "half" } })).toBe(0);
});
