// The lockfile: npm compares what it installs with what was locked, on every system.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Locked {
  version?: string;
  integrity?: string;
  link?: boolean;
  resolved?: string;
}

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> };

/** Builds of litesvm for other systems, which the registry that this lockfile was made from does not have. */
const unknown = ["darwin-arm64", "darwin-x64", "linux-arm64-gnu", "linux-arm64-musl", "linux-x64-musl"].map((one) => `litesvm-${one}`);

test("each package has its integrity, so that `npm ci` takes no other bytes", () => {
  const without = Object.entries(packages).filter(([path, { integrity, link }]) => path.includes("node_modules/") && !integrity && !link);
  expect(without.map(([path]) => path.replace(/^.*node_modules\//, ""))).toEqual(unknown);
});

test("no entry names a host: npm asks the registry that is configured", () => {
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith("http"))).toEqual([]);
});
