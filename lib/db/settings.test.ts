import { expect, test } from "vitest";
import { listSettings, writeSetting } from "./settings";
import { openTestDatabase } from "./testing/test-database";

await openTestDatabase();

test("settings are listed by an exact prefix of their names, whatever characters it contains", async () => {
  for (const name of ["a_b:1", "a_b:2", "axb:1", "a%:1", "a\\:1"]) await writeSetting(name, name);
  const names = async (prefix: string) => (await listSettings(prefix)).map(({ name }) => name).sort();
  expect(await names("a_b:")).toEqual(["a_b:1", "a_b:2"]);
  expect(await names("a%")).toEqual(["a%:1"]);
  expect(await names("a\\")).toEqual(["a\\:1"]);
});

test("a setting that many write at once gets the value of one of them", async () => {
  const values = Array.from({ length: 16 }, (_, n) => `${n}`);
  await Promise.all(values.map((value) => writeSetting("colour", value)));
  expect(values).toContain((await listSettings("colour"))[0]?.value);
});
