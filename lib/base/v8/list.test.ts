// The list of tricks for V8 and Node is complete: a trick that it does not name would never be measured again.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const list = readFileSync("lib/base/v8/README.md", "utf8");
/** Names in the first column of the tables. */
const listed = list
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));

test("every start flag of Node, and every module of this folder, is listed with its worth", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { start: string } };
  const flagsOfStart = scripts.start.split(" ").filter((word) => word.startsWith("--"));
  const flagsOfLaunch = [...readFileSync("lib/server/launch/process.mjs", "utf8").matchAll(/setFlagsFromString\("([^"]+)"\)/g)].map(
    ([, flag = ""]) => flag,
  );
  expect(listed.filter((name) => name.startsWith("--")).sort()).toEqual([...flagsOfStart, ...flagsOfLaunch].sort());
  const modules = readdirSync("lib/base/v8").filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  for (const name of modules) expect(listed).toContain(`lib/base/v8/${name}`);
});

test("every file that the list names exists", () => {
  const files = listed.filter((name) => !name.startsWith("--"));
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
