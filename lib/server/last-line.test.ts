// A program's last log line is in the log: commands end on their own, without waiting for the logger.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundleProgram } from "@/lib/db/testing/programs";

const AT_ONCE = 12;

test("programs that end at once, many in parallel, have each written their last line", async () => {
  const program = bundleProgram("lib/server/testing/last-line.ts");
  const run = () => promisify(execFile)(process.execPath, [program]);
  const ended = await Promise.all(Array.from({ length: AT_ONCE }, run));
  expect(ended.map(({ stdout }) => stdout.split("\n").length)).toEqual(ended.map(() => 2));
});
