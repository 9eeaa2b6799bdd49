// What `npm start` tells Node before the program begins.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { start: string } };

/** The most bytes of heap, the young generation included, that Node takes when it is started with these arguments. */
const heapLimitBytes = (nodeArguments: string[]): number =>
  Number(execFileSync(process.execPath, [...nodeArguments, "-p", "v8.getHeapStatistics().heap_size_limit"], { encoding: "utf8" }));

test("npm start gives young objects more room than Node does by itself, so that a request's are gone before they count as old", () => {
  const [program, ...rest] = scripts.start.split(" ");
  expect(program).toBe("node");
  expect(rest.pop()).toBe("lib/server/launch.mjs");
  expect(heapLimitBytes(rest)).toBeGreaterThan(heapLimitBytes([]));
});
