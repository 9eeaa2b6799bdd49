// What `npm start` does before the program begins: the flags that it gives Node, and what its build leaves running.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundleServer } from "./launch/build.mjs";
import { childrenOf } from "./testing/service";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { start: string } };

/** The heap limit, young generation included, when Node is started with these arguments. */
const heapLimitBytes = (nodeArguments: string[]): number =>
  Number(execFileSync(process.execPath, [...nodeArguments, "-p", "v8.getHeapStatistics().heap_size_limit"], { encoding: "utf8" }));

test("npm start gives Node a larger young generation than the default, so that a request's objects die before they are promoted", () => {
  const [program, ...rest] = scripts.start.split(" ");
  expect(program).toBe("node");
  expect(rest.pop()).toBe("lib/server/launch.mjs");
  expect(heapLimitBytes(rest)).toBeGreaterThan(heapLimitBytes([]));
});

test("esbuild's process ends when the server is bundled; otherwise it would run as long as the service", async () => {
  const outdir = join("node_modules/.cache/pennyprompt", `launch-${randomBytes(6).toString("hex")}`);
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  const bundling = bundleServer(process.cwd(), { outdir });
  await expect.poll(() => childrenOf(process.pid, "esbuild")).toHaveLength(1);
  await bundling;
  await expect.poll(() => childrenOf(process.pid, "esbuild")).toEqual([]);
});
