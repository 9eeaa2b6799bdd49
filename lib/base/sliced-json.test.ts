// JSON in slices: the same value as JSON.parse's, or a refusal where that refuses, for any text; and long texts give way in between.

import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonReading, readJson } from "./sliced-json";
import { runAtOnce } from "./slices";

function byJsonParse(text: string): JsonReading | { faultAt: unknown } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { faultAt: expect.any(Number) };
  }
}

const read = (text: string): JsonReading => runAtOnce(readJson(text));

test.each([
  "",
  " ",
  "nul",
  "nulll",
  "true false",
  "01",
  "-",
  "-0",
  "1.",
  ".5",
  "+1",
  "1e5",
  "1E+400",
  "0x1",
  "123456789",
  "1234567890123456789012",
  "NaN",
  '"',
  '"a',
  '"\\',
  '"\\"',
  '"\\\\"',
  '"\\x"',
  '"\\u12"',
  '"\\ud83d\\ude00"',
  '"\ud83d"',
  '"\u0000"',
  '"a\nb"',
  '"\u007f\u2028"',
  "[",
  "]",
  "[]",
  "[,]",
  "[1,]",
  "[1 2]",
  "[1}",
  "[[],[]]]",
  "{",
  "{}",
  "{,}",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a":1 "b":2}',
  "{a:1}",
  "{1:1}",
  '{"a":1]',
  '{"a":1,"a":{"b":2}}',
  '{"__proto__":{"a":1},"constructor":1,"2":"b","1":"a"}',
  '{"long name of a field":{"\\u0061":[null,true,false]}}',
  ' \t\r\n[ 1 , { "a" : [ ] } ]\n',
  `${" \n".repeat(100)}[${"\t".repeat(100)}]${" ".repeat(100)}`,
  `[1${" ".repeat(100)}`,
  `[${"1".repeat(100)},0.${"1".repeat(100)}]`,
  "1".repeat(100_000),
  `${"1".repeat(100)}x`,
  "\ufeff[]",
  "\u00a0[]",
  "[1]/**/",
  "'a'",
])("%j reads as JSON.parse reads it", (text) => {
  expect(read(text)).toEqual(byJsonParse(text));
});

test("an object keeps the names, their order and its prototype", () => {
  const reading = read('{"b":1,"__proto__":2,"a":3,"b":4}');
  if (!("value" in reading)) throw new Error("no JSON");
  expect(Object.entries(reading.value as object)).toEqual(Object.entries(JSON.parse('{"b":1,"__proto__":2,"a":3,"b":4}')));
  expect(Object.getPrototypeOf(reading.value)).toBe(Object.prototype);
});

test("any JSON reads as JSON.parse reads it, and any change of it", () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'"\\,:[]{} \n\u0001é01-eEtnu')), { maxLength: 3 });
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(undefined, 1, "\t"), changes, (json, indent, edits) => {
      let text = JSON.stringify(JSON.parse(json), null, indent);
      for (const [at, character] of edits) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + character + text.slice(place + (at % 2));
      }
      expect(read(text)).toEqual(byJsonParse(text));
    }),
    { numRuns: 3_000 },
  );
});

test("long texts are divided at no escape, whatever stands at the border", () => {
  const escapes = ["\\\\", '\\"', "\\u00e9", "\\ud83d\\ude00", "\\n", "é", "😀", "a"];
  fc.assert(
    fc.property(fc.constantFrom(...escapes), fc.constantFrom(...escapes), fc.nat(13), (first, second, shift) => {
      const text = `"${"a".repeat(shift)}${first.repeat(40_000)}${second.repeat(40_000)}"`;
      expect(read(text)).toEqual(byJsonParse(text));
    }),
    { numRuns: 60 },
  );
});

test.each([
  ["a character that is none", '[1,2,"three",x]', 13],
  ["a missing comma", `[${'"a long text of words",'.repeat(3)} 5 6]`, 73],
  ["a wrong bracket", '{"a":[1}', 7],
  ["the end", "[1", 2],
])("a fault is named by its place: %s", (_what, text, faultAt) => {
  expect(read(text)).toEqual({ faultAt });
});

const times = 200_000;
test.each([
  ["opening brackets", "[".repeat(times)],
  ["nested lists", "[".repeat(times) + "]".repeat(times)],
  ["nested objects", `${'{"a":'.repeat(times)}1${"}".repeat(times)}`],
  ["names", `{${Array.from({ length: times }, (_, at) => `"k${at}":1`).join(",")}}`],
  ["numbers", `[${"1,".repeat(times)}1]`],
  ["escaped quotes", `"${'\\"'.repeat(times)}"`],
  ["a text", JSON.stringify("words ".repeat(times))],
])("a long text gives way: %s", (_what, text) => {
  let steps = 0;
  const work = readJson(text);
  let step = work.next();
  for (; !step.done; step = work.next()) steps += 1;
  expect(steps).toBeGreaterThan(10);
  // Deep values cannot be compared.
  expect(Object.keys(step.value)).toEqual(Object.keys(byJsonParse(text)));
});
