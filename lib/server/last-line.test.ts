// What a program logs right before its end is in the log: commands end by themselves, without waiting for it.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundleProgram } from "@/lib/db/testing/programs";

const AT_ONCE = 12;

test("programs that end at once, and leave each other little time, have each written their last line", async () => {
  const program = bundleProgram("lib/server/testing/last-line.ts");
  const run = () => promisify(execFile)(process.execPath, [program]);
  const ended = await Promise.all(Array.from({ length: AT_ONCE }, run));
  expect(ended.map(({ stdout }) => stdout.split("\n").length)).toEqual(ended.map(() => 2));
});
