// What a schema says and Gemini has no keyword for is told in its description.

import { expect, test } from "vitest";
import { GeminiSchemas } from "./schema";

test.each([
  [
    { properties: { a: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    { properties: { a: {} }, anyOf: [{ description: '{"required":["a"]}' }, { description: '{"required":["b"]}' }] },
  ],
  [
    { properties: { a: {} }, required: ["a", "b"] },
    { properties: { a: {} }, required: ["a"], description: '{"required":["b"]}' },
  ],
  [
    { $ref: "#/$defs/A", anyOf: [{ type: "null" }] },
    { anyOf: [{ type: "null" }], description: '{"$ref":"#/$defs/A"}' },
  ],
  [
    { const: "a", enum: ["a", "b"] },
    { enum: ["a", "b"], description: '{"const":"a"}' },
  ],
])("%j loses nothing in silence", (schema, narrowed) => {
  expect(new GeminiSchemas().of(schema)).toEqual(narrowed);
});

test.each([
  ["a keyword", '{"type":"object","__proto__":{"minLength":1}}', '{"type":"object","description":"{\\"__proto__\\":{\\"minLength\\":1}}"}'],
  ["a property", '{"properties":{"__proto__":{"type":"string"}}}', '{"properties":{"__proto__":{"type":"string"}}}'],
])("%s named __proto__ is one like any other", (_what, given, narrowed) => {
  expect(JSON.stringify(new GeminiSchemas().of(JSON.parse(given)))).toBe(narrowed);
});

/** A megabyte of keywords without a place, of properties, and of required names. */
const large = (): Record<string, unknown> => {
  const many = (count: number, fieldOf: (index: number) => unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, fieldOf(index)]));
  const properties = { ...many(1_900, () => many(30, String)), z: { properties: many(20_000, () => true) } };
  return { properties, required: Array.from({ length: 20_000 }, (_, index) => `r${index}`) };
};

test("a large schema is narrowed in slices, once, and is sent as it was made then", () => {
  const schema = large();
  const work = new GeminiSchemas().inSlices(schema);
  let slices = 0;
  let step = work.next();
  for (; !step.done; step = work.next()) slices += 1;
  expect(slices).toBeGreaterThan((1_900 * 30 + 20_000 + 20_000) / 64);
  expect(new GeminiSchemas().of(schema)).toBe(step.value);
  expect(new GeminiSchemas().of(large())).toEqual(step.value);
});
