import { expect, test } from "vitest";
import { closeHotConnection, queryHot } from "./hot-connection";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase();

test("closed while it is being opened, it ends: the statement fails, and the next one opens another", async () => {
  const early = queryHot({ text: "SELECT 1 AS one" });
  const refused = expect(early).rejects.toThrow("closed while it was being opened");
  await closeHotConnection();
  await refused;
  expect(await queryHot({ text: "SELECT 2 AS two" })).toEqual([{ two: 2 }]);
  await closeHotConnection();
});
