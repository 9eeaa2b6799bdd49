import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { setClock } from "./clock";
import { madeAtMs, newAccountId, newKeyId, newRequestId, randomBase62, requestIdAt, toBase62 } from "./ids";

let restore = () => {};
afterEach(() => restore());

const at = (ms: number) => {
  restore();
  restore = setClock(() => ms);
};

const moment = fc.integer({ min: 0, max: 62 ** 8 - 1 });

test("100,000 ids of one millisecond are all different", () => {
  at(1_767_225_600_000);
  const ids = new Set(Array.from({ length: 100_000 }, newRequestId));
  expect(ids.size).toBe(100_000);
  for (const id of [...ids].slice(0, 100)) expect(id).toMatch(/^req_[0-9A-Za-z]{20}$/);
});

test("ids sort by creation time, as plain text", () => {
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      fc.pre(one !== other);
      const [earlier, later] = one < other ? [one, other] : [other, one];
      at(earlier);
      const first = newRequestId();
      at(later);
      const second = newRequestId();
      expect(first < second).toBe(true);
      expect(Buffer.compare(Buffer.from(first), Buffer.from(second))).toBe(-1);
    }),
    { seed: 1 },
  );
});

test("requestIdAt is a lower bound: no id of that moment or later is below it, and every earlier one is", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 62 ** 8 - 1 }), (ms) => {
      at(ms);
      expect(newRequestId() > requestIdAt(ms)).toBe(true);
      at(ms - 1);
      expect(newRequestId() < requestIdAt(ms)).toBe(true);
    }),
    { seed: 1 },
  );
});

test("an id's prefix says what it names", () => {
  expect(newAccountId()).toMatch(/^acc_/);
  expect(newKeyId()).toMatch(/^key_/);
});

test("base62 digits keep the order of numbers", () => {
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      expect(toBase62(one, 8) < toBase62(other, 8)).toBe(one < other);
    }),
    { seed: 1 },
  );
});

test("random text has the given length and draws evenly from all 62 digits", () => {
  const counts = new Map<string, number>();
  const text = randomBase62(62_000);
  expect(text).toHaveLength(62_000);
  for (const digit of text) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Expected 1,000 of each with a standard deviation of 31.4: chance never deviates by eight of those.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(252);
  expect(randomBase62(0)).toBe("");
});

test("an id says when it was made", () => {
  const ms = Date.parse("2026-11-28T23:59:59.999Z");
  at(ms);
  const [request, account] = [newRequestId(), newAccountId()];
  expect([madeAtMs(request), madeAtMs(account)]).toEqual([ms, ms]);
  expect(madeAtMs(requestIdAt(1_234_567_890_123))).toBe(1_234_567_890_123);
});
