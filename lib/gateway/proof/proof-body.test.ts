// What is no payment is refused by its form, before anything is computed or kept of it.

import { expect, test } from "vitest";
import { isAppError } from "@/lib/base/errors";
import { paymentSchema, readProof } from "./proof-body";

const payment = {
  from: `0x${"a".repeat(40)}`,
  amount: 5,
  signature: `0x${"ab".repeat(65)}`,
  timestamp: 1,
  requestId: "req_1",
  network: "base",
};

const issuesOf = (given: object) => paymentSchema.safeParse({ ...payment, ...given }).error?.issues.map(({ message }) => message);

test("a text without the form of an address reaches no checksum, and a long signature no pattern", () => {
  expect(issuesOf({ from: "a".repeat(1_000_000) })).toEqual(["must be 0x and 40 hex digits"]);
  expect(issuesOf({ from: `0x${"aB".repeat(20)}` })).toEqual([expect.stringContaining("wrong checksum")]);
  expect(issuesOf({ signature: `0x${"a".repeat(1_000_001)}` })).toEqual(["must be at most 4096 bytes"]);
  expect(issuesOf({})).toBeUndefined();
});

test("a hundred thousand unknown names are refused by the first", () => {
  const names = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`name${at}`, 1]));
  try {
    readProof({ ...payment, ...names });
    expect.unreachable();
  } catch (error) {
    expect(isAppError(error) && error.details).toMatchObject({ issues: { length: 20, 0: { path: "payment.name0" } } });
  }
});
