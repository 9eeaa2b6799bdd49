import fc from "fast-check";
import { expect, test } from "vitest";
import { prettyJson } from "./pretty-json";

test("JSON is laid out as JavaScript does it, whatever it holds", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("numbers stay as they were written", () => {
  expect(prettyJson('{"amount":1.500000000,"large":12345678901234567890}')).toBe(
    '{\n  "amount": 1.500000000,\n  "large": 12345678901234567890\n}',
  );
});

test("marks inside of texts are no marks, and what is laid out stays as it is", () => {
  const laidOut = '{\n  "a": "{\\"b\\": [1, 2]}",\n  "c": {},\n  "d": []\n}';
  expect(prettyJson(laidOut)).toBe(laidOut);
});

test("what is not JSON stays as it is", () => {
  expect(prettyJson("Your balance is $4.98, below your threshold: {$5}.")).toBe("Your balance is $4.98, below your threshold: {$5}.");
});

test("what is deeper than anybody reads stays as it is: indented, it would fill the memory", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(prettyJson(nested(100))).toBe(JSON.stringify(JSON.parse(nested(100)), null, 2));
  for (const depth of [101, 5_000, 200_000]) expect(prettyJson(nested(depth))).toBe(nested(depth));
});

test("what is longer than anybody reads stays as it is", () => {
  const long = `{"image":"${"A".repeat(20_000_000)}"}`;
  expect(prettyJson(long)).toBe(long);
});
