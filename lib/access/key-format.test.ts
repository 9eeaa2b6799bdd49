import fc from "fast-check";
import { expect, test } from "vitest";
import { cases, caseTimeoutMs } from "@/lib/ledger/testing/cases";
import { generateKey, hashKey, isWellFormedKey, keyDisplay } from "./key-format";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("every generated key is well-formed, and no two are the same", () => {
  const keys = new Set(Array.from({ length: 5_000 }, generateKey));
  expect(keys.size).toBe(5_000);
  for (const key of keys) expect(isWellFormedKey(key)).toBe(true);
});

test("a key with a single changed character is not well-formed", { timeout: caseTimeoutMs }, () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.nat({ max: 61 }), (place, digit) => {
      const key = generateKey();
      const changed = key.slice(0, place) + digits[digit] + key.slice(place + 1);
      expect(isWellFormedKey(changed)).toBe(changed === key);
    }),
    cases(3_000),
  );
});

test("a truncated key, or a key with text around it, is not well-formed", () => {
  const key = generateKey();
  for (let length = 0; length < key.length; length++) {
    expect(isWellFormedKey(key.slice(0, length))).toBe(false);
    expect(isWellFormedKey(key.slice(length + 1))).toBe(false);
  }
  for (const text of [` ${key}`, `${key} `, `${key}\n`, `"${key}"`, key.toUpperCase(), `${key}${key}`])
    expect(isWellFormedKey(text)).toBe(false);
});

test("a key's hash is 32 bytes, deterministic, and different under another pepper", () => {
  const key = generateKey();
  expect(hashKey(key, "pepper")).toHaveLength(32);
  expect(hashKey(key, "pepper")).toEqual(hashKey(key, "pepper"));
  expect(hashKey(key, "pepper")).not.toEqual(hashKey(key, "another pepper"));
  expect(hashKey(key, "pepper")).not.toEqual(hashKey(generateKey(), "pepper"));
});

test("the hash is plain HMAC-SHA256, so that keys survive a change of libraries", () => {
  expect(hashKey("what do ya want for nothing?", "Jefe").toString("hex")).toBe(
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});

test("a list shows too little of a key to use it", () => {
  const key = generateKey();
  const { prefix, last4 } = keyDisplay(key);
  expect(prefix).toBe(key.slice(0, 7));
  expect(key.endsWith(last4)).toBe(true);
  expect(prefix.length + last4.length).toBe(11);
});
