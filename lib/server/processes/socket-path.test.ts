import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSocketPlace } from "./socket-path";

test("only this user reaches the socket, no two places are the same, and nothing is left", () => {
  const [one, two] = [openSocketPlace(), openSocketPlace()];
  expect(one.path).not.toBe(two.path);
  expect(statSync(dirname(one.path)).mode & 0o777).toBe(0o700);
  for (const { path, remove } of [one, two]) {
    remove();
    expect(existsSync(dirname(path))).toBe(false);
  }
});

test("below a folder whose path is too long for a socket it is elsewhere", () => {
  const base = mkdtempSync(join(tmpdir(), "long-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const long = join(base, "a".repeat(100));
  mkdirSync(long);
  const { path, remove } = openSocketPlace(long);
  expect(Buffer.byteLength(path)).toBeLessThan(104);
  remove();
});
