// Hostile payment objects: anybody may send one, without an account.

import { expect, test } from "vitest";
import { isAppError } from "@/lib/base/errors";
import { collectGarbage } from "@/lib/base/testing/collect-garbage";
import { readProof } from "./proof-body";

const usedMb = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
};

test("a payer's address of a megabyte is refused, and nothing keeps it", () => {
  const before = usedMb();
  for (let number = 0; number < 64; number++) {
    const from = `${number}`.padEnd(1_000_000, "a");
    expect(() => readProof({ from })).toThrow(expect.toSatisfy(isAppError));
  }
  expect(usedMb() - before).toBeLessThan(20);
});
