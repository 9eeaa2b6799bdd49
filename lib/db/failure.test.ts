import { expect, test } from "vitest";
import { isStatementError, sqlStateOf } from "./failure";
import { prisma } from "./prisma";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase();

const refused = (code: string) => Object.assign(new Error("refused"), { code, severity: "ERROR" });

test("a statement was refused only if the database reported an error that did not end the connection", () => {
  for (const code of ["23505", "40P01", "55P03", "XX000", "P0001"]) expect(isStatementError(refused(code)), code).toBe(true);
  for (const code of ["57P01", "08006", "58030"]) expect(isStatementError(refused(code)), code).toBe(false);
  for (const code of ["EPIPE", "ECONNRESET"]) expect(isStatementError(Object.assign(new Error("broken"), { code })), code).toBe(false);
  for (const other of [new Error("timeout"), null, undefined, "23505"]) expect(isStatementError(other)).toBe(false);
});

test("a refusal's code is found through Prisma too, and a broken connection is not taken for a refusal", async () => {
  const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);
  await prisma().setting.create({ data: { name: "taken", value: "" } });
  const again = await failureOf(prisma().setting.create({ data: { name: "taken", value: "" } }));
  const divided = await failureOf(prisma().$queryRaw`SELECT 1 / 0`);
  expect([sqlStateOf(again), sqlStateOf(divided)]).toEqual(["23505", "22012"]);
  expect([again, divided].map(isStatementError)).toEqual([true, true]);
  const broken = await failureOf(prisma().$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`);
  expect([broken instanceof Error, isStatementError(broken)]).toEqual([true, false]);
});
