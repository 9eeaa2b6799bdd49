import fc from "fast-check";
import { expect, test } from "vitest";
import { cases, caseTimeoutMs } from "@/lib/ledger/testing/cases";
import { type Json, writeJson } from "./json";

const plain = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }), // lone surrogates too
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.date({ noInvalidDate: false }),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.string({ unit: "binary" }), tie("value"), { maxKeys: 5 }),
  ),
})).value;

test("a value without money is written as JSON.stringify writes it", { timeout: caseTimeoutMs }, () => {
  fc.assert(
    fc.property(plain, (value) => {
      expect(writeJson(value)).toBe(JSON.stringify(value) ?? "null");
    }),
    cases(3_000),
  );
});

test("money is written as a number, digit by digit, at any depth", () => {
  expect(writeJson({ cost: 1_440_001n, list: [0n, -1n, { deep: 9_223_372_036_854_775_807n }], text: "1" })).toBe(
    '{"cost":0.001440001,"list":[0,-0.000000001,{"deep":9223372036.854775807}],"text":"1"}',
  );
});

test("text around money stays valid JSON", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.bigInt({ min: 0n, max: 10n ** 15n })), (value) => {
      expect(Object.keys(JSON.parse(writeJson(value)))).toEqual(Object.keys(value));
    }),
    { seed: 1 },
  );
});

test("undefined properties are left out", () => {
  expect(writeJson({ a: undefined, b: [undefined] })).toBe('{"b":[null]}');
});
