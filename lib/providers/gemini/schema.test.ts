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
